import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { createTokenValidator } from './access-control.ts'

const TOKEN = 'open-sesame-1234'

test('rejects every control request without the token', async () => {
  await using emulator = await startEmulator({ controlToken: TOKEN })
  const ask = (path: string, method: string, token?: string) =>
    fetch(`${emulator.url}/__emulator${path}`, {
      method,
      headers: token === undefined ? {} : { 'x-touchstone-token': token },
    })
  for (const wrong of [undefined, '', TOKEN.slice(0, -1), `${TOKEN}5`]) {
    for (const [method, path] of [
      ['GET', '/accounts'],
      ['GET', '/request-log'],
      ['DELETE', '/request-log'],
      ['PATCH', '/request-log'],
      ['GET', '/metrics'],
      ['POST', '/reset'],
      ['GET', '/no-such-thing'],
      ['GET', '//health'],
    ] as const) {
      const rejected = await ask(path, method, wrong)
      expect([rejected.status, await rejected.json()]).toEqual([
        401,
        { error: expect.stringContaining('x-touchstone-token') },
      ])
    }
  }
  expect((await ask('/accounts', 'GET', TOKEN)).status).toBe(200)
  expect((await ask('/reset', 'POST', TOKEN)).status).toBe(204)
})

test('serves the console page and the health check without the token, but no data', async () => {
  await using emulator = await startEmulator({ controlToken: TOKEN })
  const open = async (path: string, headers = {}) => fetch(`${emulator.url}/__emulator${path}`, { headers })
  expect((await open('/')).status).toBe(200)
  expect((await open('')).status).toBe(200)
  expect(await (await open('/health')).json()).toEqual({ status: 'locked' })
  expect(await (await open('/health', { 'x-touchstone-token': TOKEN })).json()).toEqual({ status: 'ok', inFlight: 0 })
})

test('compares control tokens of any length in constant time', () => {
  const timingSafeEqual = vi.spyOn(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  onTestFinished(() => {
    timingSafeEqual.mockRestore()
    syncBuiltinESMExports()
  })
  const lock = createTokenValidator(TOKEN)
  const given = ['', 'o', TOKEN.slice(0, -1), TOKEN]
  expect(given.map((token) => lock({ 'x-touchstone-token': token }))).toEqual([false, false, false, true])
  expect(timingSafeEqual.mock.results.map(({ value }) => value)).toEqual([false, false, false, true])
  expect(createTokenValidator(undefined)({})).toBe(true)
})
