import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { callControl } from '../tests/support/requests.ts'

test('returns 404 with a message for an unknown route, but not to another site', async () => {
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

test('accepts an empty body with a JSON content type', async () => {
  await using emulator = await startEmulator()
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(`${emulator.url}/__emulator/reset`, { method: 'POST', headers })).status).toBe(204)
  const { status, json } = await callControl(emulator, '/accounts', { body: '' })
  expect([status, json.error]).toEqual([400, expect.stringContaining('Send a JSON object')])
})
