import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { callControl } from '../tests/support/requests.ts'

test('what the control interface has not is refused as all else there: by a sentence, and not to other sites', async () => {
  await using emulator = await startEmulator()
  for (const [method, path] of [
    ['GET', '/journl'],
    ['DELETE', '/accounts'],
  ] as const) {
    const { status, json } = await callControl(emulator, path, { method })
    expect([status, json]).toEqual([404, { error: `The control API has no route ${method} /__emulator${path}.` }])
  }
  const headers = { origin: 'https://evil.example' }
  expect((await fetch(`${emulator.url}/__emulator/journl`, { headers })).status).toBe(403)
})

test('a reset needs no body, whatever media type a client states for the one that it does not send', async () => {
  await using emulator = await startEmulator()
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(`${emulator.url}/__emulator/reset`, { method: 'POST', headers })).status).toBe(204)
  const { status, json } = await callControl(emulator, '/accounts', { body: '' })
  expect([status, json.error]).toEqual([400, expect.stringContaining('Send a JSON object')])
})
