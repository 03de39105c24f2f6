import { Agent, request } from 'node:http'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../emulator/start-emulator.ts'
import { formatUnits } from '../../emulator/state/credits.ts'
import { createVirtualClock } from '../../emulator/state/clock.ts'
import type { RateLimit } from '../../emulator/state/limits/rate-limit.ts'
import { callControl } from '../../emulator/tests/support/requests.ts'
import { createFixedDelay, createLatencyProfile } from '../../emulator/state/latency.ts'

/** Number of rounds; the nightly tier sets TOUCHSTONE_LONG and runs more. */
const ROUNDS = process.env['TOUCHSTONE_LONG'] === '1' ? 100 : 20
const PARALLEL = 200
const MAX_TOKENS = 20
/** Test timeout for a busy machine. */
const TEST_TIMEOUT_MS = 300_000

type RequestKind = 'plain' | 'stream' | 'abort'

interface Client {
  readonly agent: Agent
  readonly port: number
  readonly key: string
}

/**
 * Sends one request. With `abort`, the client disconnects when it receives the first bytes of the response.
 * @returns the status
 */
function sendRequest({ agent, port, key }: Client, kind: RequestKind): Promise<number> {
  const messages = [{ role: 'user', content: 'Say hello.' }]
  const body = JSON.stringify({
    model: 'vendora-v4-flash',
    messages,
    max_tokens: MAX_TOKENS,
    stream: kind !== 'plain',
  })
  const headers = { authorization: `Bearer ${key}`, 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const call = request({ agent, port, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST', headers })
    call.on('error', reject)
    call.on('response', (response) => {
      const { statusCode: status = 0 } = response
      response.on('error', () => resolve(status))
      response.on('data', () => {
        if (kind === 'abort' && status === 200) response.destroy()
      })
      response.on('close', () => resolve(status))
    })
    call.end(body)
  })
}

/**
 * Sends {@link PARALLEL} requests concurrently, and cycles through the kinds.
 * @returns the number of responses, keyed by status
 */
async function sendConcurrently(client: Client, kinds: readonly RequestKind[]): Promise<Record<number, number>> {
  const calls = Array.from({ length: PARALLEL }, (_, index) =>
    sendRequest(client, kinds[index % kinds.length] ?? 'plain'),
  )
  const counts: Record<number, number> = { 200: 0, 402: 0, 429: 0 }
  for (const status of await Promise.all(calls)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Measures how many units a chat request costs. It uses its whole hold if the emulator has `answerTokens: 'fill'`. */
async function findHoldUnits(emulator: Emulator, agent: Agent): Promise<number> {
  const { key } = emulator.createAccount({ credits: '10' })
  await sendRequest({ agent, port: emulator.port, key }, 'plain')
  return emulator.balance(key)?.chargedUnits ?? Number.NaN
}

async function expectInvariant(emulator: Emulator): Promise<void> {
  const { json } = await callControl(emulator, '/invariant')
  const { holds, accounts } = json as { holds: boolean; accounts: { holds: boolean; openHolds: number }[] }
  expect(accounts).toHaveLength(4 + 1 + ROUNDS)
  expect(accounts.filter((account) => !account.holds || account.openHolds > 0)).toEqual([])
  expect(holds).toBe(true)
}

/** Returns a rate limit that admits exactly `requests` concurrent requests. The kind of limit depends on `round`. */
function limitOf(requests: number, round: number, holdTokens: number): RateLimit {
  const limits = [
    { requestsPerMinute: 60, burst: requests },
    { requestsPerMinute: requests, algorithm: 'fixed-window' },
    { requestsPerMinute: requests, algorithm: 'sliding-window' },
    { tokensPerMinute: requests * holdTokens + (round % holdTokens) },
  ] as const
  return limits[round % limits.length] ?? limits[0]
}

test(
  `${ROUNDS} times ${PARALLEL} parallel requests on one key get exactly as many 200, 402 and 429 as credits and limit allow`,
  async () => {
    // The clock of the emulator is stopped, so that the limits do not refill.
    await using emulator = await startEmulator({ answerTokens: 'fill', clock: createVirtualClock() })
    const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL })
    const holdUnits = await findHoldUnits(emulator, agent)
    const seen = { 200: 0, 402: 0, 429: 0 }
    for (let round = 0; round < ROUNDS; round += 1) {
      const [holds, admitted] = [(round * 37) % 150, 1 + ((round * 61) % 199)]
      const startUnits = holds * holdUnits + (round % holdUnits)
      const rateLimit = limitOf(admitted, round, holdUnits / 4)
      const { key } = emulator.createAccount({ credits: formatUnits(startUnits), rateLimit })
      const counts = await sendConcurrently({ agent, port: emulator.port, key }, ['plain', 'stream', 'stream'])
      const served = Math.min(holds, admitted)
      // The token limit does not count a request that is rejected with 402.
      const passed = rateLimit.tokensPerMinute === undefined || holds >= admitted ? admitted : PARALLEL
      const expected = { 200: served, 402: passed - served, 429: PARALLEL - passed }
      expect(counts, `round ${round}: ${JSON.stringify(rateLimit)}`).toEqual(expected)
      await expect.poll(() => emulator.balance(key)?.heldUnits, { timeout: TEST_TIMEOUT_MS }).toBe(0)
      expect(emulator.balance(key)?.chargedUnits).toBe(served * holdUnits)
      for (const status of [200, 402, 429] as const) seen[status] += expected[status]
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10 * ROUNDS) // Ensures that every status occurred often.
    await expectInvariant(emulator)
    agent.destroy()
  },
  TEST_TIMEOUT_MS,
)

test(
  `${ROUNDS} times ${PARALLEL} parallel requests, many aborted, spend no credit twice and leave none held`,
  async () => {
    await using emulator = await startEmulator({
      latency: createLatencyProfile(createFixedDelay(0), createFixedDelay(1), createFixedDelay(0)),
      answerTokens: 12,
    })
    const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL })
    const holdUnits = (await findHoldUnits(emulator, agent)) + (MAX_TOKENS - 12) * 4
    let extra = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const holds = 1 + ((round * 13) % 100)
      const startUnits = holds * holdUnits + (round % holdUnits)
      const { key } = emulator.createAccount({ credits: formatUnits(startUnits) })
      const counts = await sendConcurrently({ agent, port: emulator.port, key }, ['plain', 'abort', 'stream', 'abort'])
      await expect.poll(() => emulator.balance(key)?.heldUnits, { timeout: TEST_TIMEOUT_MS }).toBe(0)
      const { chargedUnits = Number.NaN } = emulator.balance(key) ?? {}
      const { 200: served = 0, 402: refused = 0 } = counts
      expect(served + refused).toBe(PARALLEL)
      expect(served).toBeGreaterThanOrEqual(holds)
      expect(chargedUnits).toBeLessThan(Math.min(startUnits + 1, served * holdUnits))
      extra += served - holds
    }
    expect(extra).toBeGreaterThan(0) // Ensures that released credits paid for other requests.
    await expectInvariant(emulator)
    agent.destroy()
  },
  TEST_TIMEOUT_MS,
)
