import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createVirtualClock, type VirtualClock } from '../state/clock.ts'
import type { RateLimit } from '../state/limits/rate-limit.ts'
import { createFixedDelay, LATENCY_PROFILES, type LatencyProfile } from '../state/latency.ts'
import { sendChat, postJson } from './support/requests.ts'

/** Returns the rate limit header fields of one limit. */
function reported(response: Response, name: 'requests' | 'tokens') {
  const field = (part: string) => response.headers.get(`x-ratelimit-${part}-${name}`)
  return { limit: field('limit'), remaining: field('remaining'), reset: field('reset') }
}

/** Converts a duration such as `1m30.5s` to milliseconds. */
function msOf(duration: string | null): number {
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
  return [...(duration ?? '').matchAll(/([\d.]+)(ms|h|m|s)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (units[unit ?? ''] ?? Number.NaN),
    0,
  )
}

/** Latency that makes streams wait for the virtual clock. */
const SLOW: LatencyProfile = {
  ...LATENCY_PROFILES.instant,
  chat: { ttft: createFixedDelay(0), itl: createFixedDelay(1) },
}

async function totalTokens(response: Response): Promise<number> {
  return ((await response.json()) as { usage: { total_tokens: number } }).usage.total_tokens
}

const LIMITS: readonly RateLimit[] = [
  { requestsPerMinute: 90, burst: 4 },
  { requestsPerMinute: 4, algorithm: 'fixed-window' },
  { requestsPerMinute: 240, windowSeconds: 1, algorithm: 'sliding-window' },
]

test.each(LIMITS)('%j: sends correct rate limit headers with every response', async (rateLimit) => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ clock })
  const { key } = emulator.createAccount({ credits: '1', rateLimit })
  const calls = [
    () => sendChat(emulator, { max_tokens: 1 }, { key }),
    () => sendChat(emulator, { temperature: 9 }, { key }),
    () => sendChat(emulator, { max_tokens: 9999 }, { key }),
    () => postJson(emulator, '/v1/nothing', {}, { key }),
    () => sendChat(emulator, { max_tokens: 1 }, { key }),
  ]
  const statuses: number[] = []
  for (const [index, call] of calls.entries()) {
    const response = await call()
    statuses.push(response.status)
    expect(reported(response, 'requests')).toMatchObject({ limit: '4', remaining: String(Math.max(0, 3 - index)) })
    expect(reported(response, 'tokens').limit).toBeNull()
  }
  expect(statuses).toEqual([200, 400, 402, 404, 429])
})

async function exceedLimit(emulator: Emulator, key: string): Promise<Response> {
  for (;;) {
    const response = await sendChat(emulator, { max_tokens: 1 }, { key })
    await response.arrayBuffer()
    if (response.status === 429) return response
  }
}

test.each(LIMITS)(
  '%j: accepts a client after Retry-After, and allows the whole limit after the reset time',
  async (rateLimit) => {
    const clock = createVirtualClock()
    await using emulator = await startEmulator({ clock })
    const { key } = emulator.createAccount({ credits: '100', rateLimit })
    const rests = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(rests, async (rests) => {
        for (const restMs of rests) {
          await (await sendChat(emulator, { max_tokens: 1 }, { key })).arrayBuffer()
          clock.advance(restMs)
        }
        const rejected = await exceedLimit(emulator, key)
        clock.advance(Number(rejected.headers.get('retry-after')) * 1000)
        const admitted = await sendChat(emulator, { max_tokens: 1 }, { key })
        expect(admitted.status).toBe(200)
        clock.advance(msOf(reported(admitted, 'requests').reset))
        const whole = await sendChat(emulator, { max_tokens: 1 }, { key })
        expect(reported(whole, 'requests').remaining).toBe('3')
      }),
      { numRuns: 20, seed: 1 },
    )
  },
)

test("counts the upper bound of a request's tokens until it ends, then the used tokens", async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ clock, answerTokens: 5, latency: SLOW })
  const { key } = emulator.createAccount({ credits: '100', rateLimit: { tokensPerMinute: 1000 } })
  const stream = await sendChat(emulator, { max_tokens: 700, stream: true }, { key })
  const held = 1000 - Number(reported(stream, 'tokens').remaining)
  expect(held).toBeGreaterThan(700)
  const rejected = await sendChat(emulator, { max_tokens: 700 }, { key })
  expect([rejected.status, reported(rejected, 'tokens').remaining]).toEqual([429, String(1000 - held)])
  expect(rejected.headers.get('retry-after')).toBe(String(Math.ceil(((2 * held - 1000) * 60) / 1000)))
  await endOf(stream, clock)
  const again = await sendChat(emulator, { max_tokens: 900, stream: true }, { key })
  expect(again.status).toBe(200)
  await endOf(again, clock)
})

async function endOf(stream: Response, clock: VirtualClock): Promise<string> {
  clock.advance(100)
  return stream.text()
}

test('counts no tokens for rejected requests, and no request for one that exceeds the token limit', async () => {
  await using emulator = await startEmulator({ clock: createVirtualClock() })
  const rateLimit = { requestsPerMinute: 60, burst: 10, tokensPerMinute: 400 }
  const { key } = emulator.createAccount({ credits: '0.15', rateLimit })
  const call = (fields: object) => sendChat(emulator, fields, { key })
  const states: unknown[] = []
  for (const fields of [{ temperature: 9 }, { model: 'vendorc-4o' }, { max_tokens: 399 }, { max_tokens: 1 }]) {
    const response = await call(fields)
    const [requests, tokens] = [reported(response, 'requests').remaining, reported(response, 'tokens').remaining]
    states.push([response.status, requests, tokens, response.headers.get('retry-after')])
    if (response.status === 200) expect(Number(tokens)).toBe(400 - (await totalTokens(response)))
  }
  const [bad, poor, tooMuch, served] = states
  expect(bad).toEqual([400, '9', '400', null])
  expect(poor).toEqual([402, '8', '400', null])
  // The response has no Retry-After, because the request exceeds the limit at any time.
  expect(tooMuch).toEqual([429, '8', '400', null])
  expect(served).toEqual([200, '7', expect.any(String), null])
  expect(emulator.balance(key)?.heldUnits).toBe(0)
})

test('charges nothing for a 429 of either limit', async () => {
  await using emulator = await startEmulator({ clock: createVirtualClock(), answerTokens: 'fill' })
  const one = emulator.createAccount({ credits: '1', rateLimit: { requestsPerMinute: 1 } })
  const other = emulator.createAccount({ credits: '1', rateLimit: { tokensPerMinute: 40 } })
  for (const { key } of [one, other]) {
    const served = await sendChat(emulator, { max_tokens: 20 }, { key })
    const costUnits = (await totalTokens(served)) * 4
    const rejected = await Promise.all(Array.from({ length: 5 }, () => sendChat(emulator, { max_tokens: 20 }, { key })))
    expect(rejected.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429])
    expect(emulator.balance(key)).toMatchObject({ chargedUnits: costUnits, heldUnits: 0 })
  }
})

test('sends Retry-After without the rate limit headers', async () => {
  await using emulator = await startEmulator({ options: { 'rate-limit-headers': 'none' } })
  const { key } = emulator.createAccount({ credits: '1', rateLimit: { requestsPerMinute: 1 } })
  await sendChat(emulator, {}, { key })
  const rejected = await sendChat(emulator, {}, { key })
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '60'])
  expect([...rejected.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
})

test('applies rate limits to the account limited, to created accounts, and to an account with its own limit', async () => {
  const limitedRate = { requestsPerMinute: 7, algorithm: 'fixed-window' } as const
  await using emulator = await startEmulator({ limitedRate, createdRate: { tokensPerMinute: 800 } })
  const create = (terms: object) =>
    fetch(`${emulator.url}/__emulator/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ credits: '1', ...terms }),
    })
  const limitsOf = async (key: string) => {
    const response = await sendChat(emulator, { max_tokens: 1 }, { key })
    return [reported(response, 'requests').limit, reported(response, 'tokens').limit]
  }
  const keyOf = async (response: Promise<Response>) => ((await (await response).json()) as { key: string }).key
  expect(await limitsOf(emulator.keys.limited)).toEqual(['7', null])
  expect(await limitsOf(emulator.keys.funded)).toEqual([null, null])
  expect(await limitsOf(await keyOf(create({})))).toEqual([null, '800'])
  const terms = { requestsPerMinute: 60, burst: 3, tokensPerMinute: 600, windowSeconds: 30 }
  expect(await limitsOf(await keyOf(create(terms)))).toEqual(['3', '300'])
  const rejected = await create({ requestsPerMinute: 60, algorithm: 'leaky' })
  expect(rejected.status).toBe(400)
  expect(await rejected.text()).toContain('algorithm')
  expect(() => emulator.createAccount({ credits: '1', rateLimit: {} })).toThrow('requestsPerMinute')
})
