import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { LATENCY_PROFILES } from '../state/latency.ts'
import { sendChat, callControl } from '../tests/support/requests.ts'

test('advances rate limits and requests in progress by an hour', async () => {
  await using emulator = await startEmulator({ clock: createVirtualClock(1000), latency: LATENCY_PROFILES.slow })
  expect((await callControl(emulator, '/clock')).json).toEqual({
    kind: 'virtual',
    running: false,
    unixSeconds: 1000,
    nowMs: 0,
  })
  const pending = sendChat(emulator)
  await expect.poll(() => callControl(emulator, '/health').then(({ json }) => json.inFlight)).toBe(1)
  const { json } = await callControl(emulator, '/clock', { body: { advanceMs: 3_600_000 } })
  expect(json).toEqual({ kind: 'virtual', running: false, unixSeconds: 4600, nowMs: 3_600_000 })
  expect((await pending).status).toBe(200)
})

test('starts and stops a virtual clock', async () => {
  await using emulator = await startEmulator({ clock: createVirtualClock() })
  expect((await callControl(emulator, '/clock', { body: { running: true } })).json.running).toBe(true)
  await expect.poll(async () => (await callControl(emulator, '/clock')).json.nowMs).toBeGreaterThan(0)
  const { json } = await callControl(emulator, '/clock', { body: { running: false } })
  expect((await callControl(emulator, '/clock')).json).toEqual({ ...json, running: false })
})

test('rejects commands to the real clock with instructions to start a virtual one', async () => {
  await using emulator = await startEmulator()
  expect((await callControl(emulator, '/clock')).json.kind).toBe('real')
  const { status, json } = await callControl(emulator, '/clock', { body: { advanceMs: 1000 } })
  expect(status).toBe(409)
  expect(json.error).toContain('--clock virtual')
})

test('reports a frozen clock, and rejects commands to it', async () => {
  await using emulator = await startEmulator({ frozenAtUnixSeconds: 1000 })
  expect((await callControl(emulator, '/clock')).json).toMatchObject({ kind: 'frozen', unixSeconds: 1000 })
  expect((await callControl(emulator, '/clock', { body: { running: true } })).status).toBe(409)
})

test.each([
  [{}],
  [{ advanceMs: -1 }],
  [{ advanceMs: '5' }],
  [{ running: 1 }],
  [{ freeze: true }],
  [{ advanceMs: 1e12 }],
])('rejects the command %j', async (body) => {
  await using emulator = await startEmulator({ clock: createVirtualClock() })
  const { status, json } = await callControl(emulator, '/clock', { body })
  expect(status).toBe(400)
  expect(json.error).toMatch(/\.$/)
})
