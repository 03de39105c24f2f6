import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { createVirtualClock } from '../../emulator/state/clock.ts'
import { sendChat, parseChunks, callControl } from '../../emulator/tests/support/requests.ts'
import { createFixedDelay, createLatencyProfile } from '../../emulator/state/latency.ts'

const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 0, 1)
const TOKENS = 20

/**
 * Replaces `Date`, so that tests can change the time of day as an administrator or NTP would. Monotonic clocks and
 * timers stay real.
 */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START_MS }))
afterEach(() => void vi.useRealTimers())

/** Reads a stream to its end, and calls `act` as soon as the first bytes arrive. */
async function readWhile(response: Response, act: () => void): Promise<string> {
  let text = ''
  for await (const piece of response.body ?? []) {
    if (text === '') act()
    text += Buffer.from(piece).toString()
  }
  return text
}

test.each([
  ['forward', 400 * DAY_MS],
  ['back', -400 * DAY_MS],
])('a stream is not affected if the system clock jumps %s', async (_name, jumpMs) => {
  const latency = createLatencyProfile(createFixedDelay(5), createFixedDelay(5), createFixedDelay(5))
  await using emulator = await startEmulator({ latency, answerTokens: 'fill' })
  const { key } = emulator.createAccount({ credits: '1' })
  const fields = { stream: true, max_tokens: TOKENS, stream_options: { include_usage: true } }
  const response = await sendChat(emulator, fields, { key })
  const text = await readWhile(response, () => vi.setSystemTime(START_MS + jumpMs))
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  const { total_tokens = Number.NaN } = (parseChunks(text).at(-1)?.usage as { total_tokens?: number } | undefined) ?? {}
  expect(emulator.balance(key)).toMatchObject({ heldUnits: 0, chargedUnits: total_tokens * 4 })
  const { json } = await callControl(emulator, '/timing/responses')
  const [{ plannedMs, writtenMs }] = json.responses as [{ plannedMs: number[]; writtenMs: number[] }]
  expect(plannedMs.at(-1)).toBe(5 * TOKENS)
  for (const [index, ms] of writtenMs.entries()) expect(ms).toBeGreaterThanOrEqual(plannedMs[index] ?? Infinity)
  expect(Math.max(...writtenMs)).toBeLessThan(DAY_MS)
  expect((await callControl(emulator, '/invariant')).json.holds).toBe(true)
  const next = (await (await sendChat(emulator)).json()) as { created: number }
  expect(next.created).toBe((START_MS + jumpMs) / 1000) // The reported time of day follows the jump.
})

test.each([
  ['forward', 400 * DAY_MS],
  ['back', -400 * DAY_MS],
])('rate limits are not affected if the system clock jumps %s', async (_name, jumpMs) => {
  await using emulator = await startEmulator()
  for (const algorithm of ['token-bucket', 'fixed-window', 'sliding-window'] as const) {
    vi.setSystemTime(START_MS)
    const limited = emulator.createAccount({ credits: '10', rateLimit: { requestsPerMinute: 1, algorithm } })
    const ask = async () => sendChat(emulator, {}, limited)
    expect((await ask()).status).toBe(200)
    vi.setSystemTime(START_MS + jumpMs)
    const rejected = await ask()
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  }
})

test('after the machine was suspended, the emulator sends overdue events at once and refills limits', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({
    clock,
    latency: createLatencyProfile(createFixedDelay(1000), createFixedDelay(1000), createFixedDelay(1000)),
  })
  const { key } = emulator.createAccount({ credits: '1', rateLimit: { requestsPerMinute: 2, burst: 2 } })
  const [stream, whole] = [sendChat(emulator, { stream: true }, { key }), sendChat(emulator, {}, { key })]
  await expect.poll(() => emulator.activeRequests(), { timeout: 30_000 }).toBe(2)
  expect((await sendChat(emulator, {}, { key })).status).toBe(429)
  clock.advance(3 * DAY_MS)
  expect((await (await stream).text()).endsWith('data: [DONE]\n\n')).toBe(true)
  expect((await whole).status).toBe(200)
  await expect.poll(() => emulator.balance(key)?.heldUnits, { timeout: 30_000 }).toBe(0)
  const again = sendChat(emulator, {}, { key })
  await expect.poll(() => emulator.activeRequests(), { timeout: 30_000 }).toBe(1)
  clock.advance(DAY_MS)
  expect((await again).status).toBe(200)
})
