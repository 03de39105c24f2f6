import { expect, test, vi } from 'vitest'
import { ClientHistory } from './client-history.ts'
import type { RequestObservation } from './observation.ts'

const LOST = { isIncomplete: true, chargedUnits: 42 }
const SERVED = { chargedUnits: 42 }

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
      isIncomplete: false,
      hasBody: true,
      chargedUnits: 0,
      idempotencyKey: undefined,
      retryCount: undefined,
      retryAfterMs: undefined,
      hasAbortedStream: false,
      hasSecretInUrl: false,
      ...more,
    }
    record.observe(observation)
    return observation
  }
  const kinds = () => record.getFindings().map(({ kind, count }) => `${count} ${kind}`)
  const findRepeated = () => record.getFindings().find(({ kind }) => kind === 'repeated-charged-request')
  return { send, kinds, findRepeated, record }
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

test.each([
  ['the client disconnected', LOST],
  ['the emulator closed the connection', { ...LOST, isAborted: true }],
])('reports a request repeated after a charge if %s, with both ids and the charge', (_, outcome) => {
  const { send, findRepeated } = script()
  send(0, 200, outcome)
  send(1000, 200, SERVED)
  send(2000, 200, SERVED)
  expect(findRepeated()).toMatchObject({
    count: 1,
    evidence: [{ requestId: 'req-1000', earlierRequestId: 'req-0', waitedMs: 1000, charged: '0.0042' }],
  })
})

test('reports each repetition of a request whose responses do not reach the client', () => {
  const { send, findRepeated, kinds } = script()
  for (const atMs of [0, 1, 2, 3]) send(atMs, 200, LOST)
  expect(kinds()).toEqual(['3 repeated-charged-request'])
  expect(findRepeated()?.evidence.map(({ earlierRequestId }) => earlierRequestId)).toEqual(['req-0', 'req-1', 'req-2'])
})

test.each([
  ['a complete response', SERVED, 1000, {}],
  ['a complete response if both declare to be first attempts', { ...SERVED, retryCount: 0 }, 1000, { retryCount: 0 }],
  ['a lost response that was free', { isIncomplete: true }, 1000, {}],
  ['a lost response more than a minute ago', LOST, 60_001, {}],
  ['a lost response of another request', { ...LOST, fingerprint: () => 'another' }, 1000, {}],
  ['a parallel lost response', { ...LOST, ended: { atMs: 2000, sequence: 1000 } }, 1000, {}],
  ['a complete response with another key', { ...SERVED, idempotencyKey: 'a' }, 1000, { idempotencyKey: 'b' }],
  [
    'a parallel request with the same key',
    { ...SERVED, idempotencyKey: 'a', ended: { atMs: 2000, sequence: 1000 } },
    1000,
    { idempotencyKey: 'a' },
  ],
  ['an error that was free', { retryCount: 0, chargedUnits: 0 }, 1000, { retryCount: 1 }],
])('accepts a repetition after %s', (_, outcome, atMs, more) => {
  const { send, findRepeated } = script()
  send(0, 200, outcome)
  send(atMs, 200, { ...SERVED, ...more })
  expect(findRepeated()).toBeUndefined()
})

test.each([
  ['an equal Idempotency-Key', { idempotencyKey: 'a' }, { idempotencyKey: 'a' }],
  ['a retry count', { retryCount: 0 }, { retryCount: 1 }],
])('reports a declared retry of a served request by %s, even after more than a minute', (_, first, second) => {
  const { send, findRepeated } = script()
  send(0, 200, { ...SERVED, ...first })
  send(120_000, 200, { ...SERVED, ...second })
  expect(findRepeated()).toMatchObject({ count: 1, evidence: [{ earlierRequestId: 'req-0', charged: '0.0042' }] })
})

test('counts one retry of each served request by a retry count', () => {
  const { send, findRepeated } = script()
  send(0, 200, { ...SERVED, retryCount: 0 })
  for (const atMs of [1000, 2000]) send(atMs, 200, { ...SERVED, retryCount: 1 })
  expect(findRepeated()?.count).toBe(1)
})

test('compares a retry with a failure rather than with a lost response', () => {
  const { send, kinds } = script()
  send(0, 200, LOST)
  send(1, 429, { retryAfterMs: 1000, arrived: { atMs: 0, sequence: 0 } })
  send(500, 200, SERVED)
  expect(kinds()).toEqual(['1 came-back-early'])
})

test('computes no fingerprints after a client disconnected before the emulator read the body', () => {
  const { send } = script()
  const fingerprint = vi.fn<() => string>(() => 'the same')
  send(0, undefined, { isIncomplete: true, hasBody: false, fingerprint })
  send(1000, 200, { ...SERVED, fingerprint })
  expect(fingerprint).not.toHaveBeenCalled()
})

test('requires no backoff after lost responses', () => {
  const { send, kinds } = script()
  for (const atMs of [0, 1, 2]) send(atMs, 200, { isIncomplete: true })
  send(3, 500)
  send(33, 200, { isIncomplete: true })
  send(34, 200)
  expect(kinds()).toEqual([])
})

test('accepts a retry that may belong to a free failure instead of a lost response', () => {
  const { send, findRepeated } = script()
  send(0, 200, LOST)
  send(1, 500, { arrived: { atMs: 0, sequence: 0 } })
  send(1000, 200, SERVED)
  expect(findRepeated()).toBeUndefined()
})

test.each([
  ['before', 408, 200],
  ['after', 200, 408],
])('accepts a retry count that may refer to a free failure %s a served request', (_, ...statuses) => {
  const { send, findRepeated } = script()
  for (const [atMs, status] of statuses.entries()) {
    send(atMs, status, { chargedUnits: status === 200 ? 42 : 0, retryCount: 0 })
  }
  send(1000, 200, { ...SERVED, retryCount: 1 })
  send(2000, 200, { ...SERVED, retryCount: 1 })
  expect(findRepeated()).toBeUndefined()
})

test('accepts a retry count for a minute after the history has dropped a free failure', () => {
  const { send, findRepeated } = script()
  send(0, 408, { retryCount: 0 })
  for (let index = 1; index <= 256; index += 1) {
    send(index, 200, { ...SERVED, retryCount: 0, fingerprint: () => `${index}` })
  }
  send(900, 200, { ...SERVED, retryCount: 0 })
  send(1000, 200, { ...SERVED, retryCount: 1 })
  expect(findRepeated()).toBeUndefined()
  send(60_001, 200, { ...SERVED, retryCount: 1 })
  expect(findRepeated()?.count).toBe(1)
})

test('remembers a lost response longer than the served requests of a busy client', () => {
  const { send, findRepeated } = script()
  send(0, 200, { ...LOST, fingerprint: () => 'lost' })
  for (let index = 1; index <= 1000; index += 1) send(index, 200, { ...SERVED, retryCount: 0 })
  send(2000, 200, { ...SERVED, fingerprint: () => 'lost', retryCount: 0 })
  expect(findRepeated()).toMatchObject({ count: 1, evidence: [{ earlierRequestId: 'req-0' }] })
})
