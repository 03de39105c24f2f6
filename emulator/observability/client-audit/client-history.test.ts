import { expect, test } from 'vitest'
import { ClientHistory } from './client-history.ts'
import type { RequestObservation } from './observation.ts'

/** Creates a client history with its own clock. By default, all requests are identical. */
function script() {
  const record = new ClientHistory()
  let sequence = 0
  const send = (atMs: number, status: number | undefined, more: Partial<RequestObservation> = {}) => {
    const observation: RequestObservation = {
      requestId: `req-${atMs}`,
      atUnixMs: atMs,
      fingerprint: () => 'the same',
      connection: ++sequence, // Every request uses a new connection.
      isFirstOnConnection: true,
      arrived: { atMs, sequence: ++sequence },
      ended: { atMs, sequence: ++sequence },
      status,
      isAborted: false,
      retryAfterMs: undefined,
      hasAbortedStream: false,
      hasSecretInUrl: false,
      ...more,
    }
    record.observe(observation)
    return observation
  }
  return { send, kinds: () => record.getFindings().map(({ kind, count }) => `${count} ${kind}`), record }
}

test.each([400, 402])('reports a request repeated after a %i, with the ids of both requests', (status) => {
  const { send, record } = script()
  send(0, status)
  send(1000, status)
  expect(record.getFindings()).toMatchObject([
    { kind: `repeated-${status}`, count: 1, evidence: [{ requestId: 'req-1000', earlierRequestId: 'req-0' }] },
  ])
})

test.each([
  ['it is served', 1000, 200, {}],
  ['it follows after more than a minute', 60_001, 400, {}],
  ['its connection was opened before the error response', 24, 400, { connection: 0 }],
])('accepts a second request after a 400 if %s', (_, atMs, status, more) => {
  const { send, kinds } = script()
  send(0, 400)
  send(atMs, status, more)
  expect(kinds()).toEqual([])
})

test('reports a repeated invalid request on a connection opened after the error, but not a parallel rate-limited request', () => {
  const wrong = script()
  wrong.send(0, 400)
  wrong.send(1, 400)
  expect(wrong.kinds()).toEqual(['1 repeated-400'])
  const limited = script()
  limited.send(0, 402)
  limited.send(24, 402)
  expect(limited.kinds()).toEqual([])
  limited.send(25, 402)
  expect(limited.kinds()).toEqual(['1 repeated-402'])
})

test('reports an immediate repetition on the same connection, even with a stopped clock', () => {
  const { send, kinds } = script()
  send(0, 402, { connection: 7 })
  send(0, 402, { connection: 7, isFirstOnConnection: false })
  expect(kinds()).toEqual(['1 repeated-402'])
})

test('reports no repetition among parallel in-process requests', () => {
  const { send, kinds } = script()
  for (const sequence of [1, 2, 3]) {
    send(0, 400, { connection: undefined, arrived: { atMs: 0, sequence }, ended: { atMs: 0, sequence: 10 + sequence } })
  }
  expect(kinds()).toEqual([])
})

test('accepts a retry exactly after Retry-After, and reports an earlier retry', () => {
  const inTime = script()
  inTime.send(0, 429, { retryAfterMs: 1000 })
  inTime.send(1000, 200)
  expect(inTime.kinds()).toEqual([])
  const tooEarly = script()
  tooEarly.send(0, 429, { retryAfterMs: 1000 })
  tooEarly.send(990, 200)
  expect(tooEarly.record.getFindings()).toMatchObject([
    { kind: 'came-back-early', count: 1, evidence: [{ waitedMs: 990, toldToWaitMs: 1000 }] },
  ])
})

test('counts the retries of twenty parallel identical requests separately', () => {
  const { send, kinds } = script()
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 20; index += 1) send(round * 1000, 429, { retryAfterMs: 1000 })
  }
  expect(kinds()).toEqual([])
})

test('accepts the backoff of common clients, with five retries but not six', () => {
  const { send, kinds } = script()
  for (const atMs of [0, 375, 1200, 2900, 6000, 12_500]) send(atMs, 500)
  expect(kinds()).toEqual([])
  send(19_000, 500)
  expect(kinds()).toEqual(['1 too-many-retries'])
})

test('accepts one immediate retry, but not two', () => {
  const { send, kinds } = script()
  send(0, 500)
  send(30, 500)
  expect(kinds()).toEqual([])
  send(60, 500)
  expect(kinds()).toEqual(['1 no-backoff'])
})

test('reports equal waits from the third retry on, unless Retry-After required them', () => {
  const { send, kinds } = script()
  for (const atMs of [0, 500, 1000, 1500]) send(atMs, 500)
  expect(kinds()).toEqual(['1 no-backoff'])
  const reported = script()
  for (const atMs of [0, 1000, 2000, 3000, 4000]) reported.send(atMs, 429, { retryAfterMs: 1000 })
  expect(reported.kinds()).toEqual([])
})

test('counts a connection that the emulator closed as a failure, regardless of the status', () => {
  const { send, kinds } = script()
  for (const atMs of [0, 30, 60]) send(atMs, 200, { isAborted: true })
  expect(kinds()).toEqual(['1 no-backoff'])
})

test('counts retries from 0 again after a success', () => {
  const { send, kinds } = script()
  for (let row = 0; row < 4; row += 1) {
    send(row * 100_000, 500)
    send(row * 100_000 + 500, 500)
    send(row * 100_000 + 1500, 200)
  }
  expect(kinds()).toEqual([])
})

test('counts aborted streams and keys in URLs, and keeps evidence for the first five', () => {
  const { send, record } = script()
  for (let index = 0; index < 8; index += 1) send(index * 100, 200, { hasAbortedStream: true })
  send(1000, 401, { hasSecretInUrl: true })
  const [left, secret] = record.getFindings()
  expect([left?.kind, left?.count, left?.evidence.length]).toEqual(['left-stream', 8, 5])
  expect([secret?.kind, secret?.count]).toEqual(['secret-in-url', 1])
})

test('computes no fingerprint for a client without failures', () => {
  const { send, record } = script()
  send(0, 200, { fingerprint: () => expect.fail('it was') })
  expect(record.requests).toBe(1)
})
