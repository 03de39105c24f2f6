import { expect, test } from 'vitest'
import { ClientHistory } from './client-history.ts'
import type { RequestObservation } from './observation.ts'

/** A client on a clock of its own, which asks the same each time unless told otherwise. */
function script() {
  const record = new ClientHistory()
  let turn = 0
  const send = (atMs: number, status: number | undefined, more: Partial<RequestObservation> = {}) => {
    const observation: RequestObservation = {
      requestId: `req-${atMs}`,
      atUnixMs: atMs,
      fingerprint: () => 'the same',
      connection: ++turn, // a new connection each time
      isFirstOnConnection: true,
      arrived: { atMs, turn: ++turn },
      ended: { atMs, turn: ++turn },
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
  return { send, kinds: () => record.findings().map(({ kind, count }) => `${count} ${kind}`), record }
}

test.each([400, 401, 402, 404])('a repeated %i is found, with both requests', (status) => {
  const { send, record } = script()
  send(0, status)
  send(1000, status)
  expect(record.findings()).toMatchObject([
    { kind: `repeated-${status}`, count: 1, evidence: [{ requestId: 'req-1000', earlierRequestId: 'req-0' }] },
  ])
})

test.each([
  ['it asks something else', 1000, 400, { fingerprint: () => 'another' }],
  ['it is served now', 1000, 200, {}],
  ['a minute has passed', 60_001, 400, {}],
  ['its connection was opened for it before the refusal', 24, 400, { connection: 0 }],
])('a second request after a 400 is no repetition when %s', (_, atMs, status, more) => {
  const { send, kinds } = script()
  send(0, 400)
  send(atMs, status, more)
  expect(kinds()).toEqual([])
})

test('on a connection opened after the refusal, a wrong request is a repetition; one beyond a limit may be another', () => {
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

test('on the same connection a repetition is known at once, even where the clock stands', () => {
  const { send, kinds } = script()
  send(0, 402, { connection: 7 })
  send(0, 402, { connection: 7, isFirstOnConnection: false })
  expect(kinds()).toEqual(['1 repeated-402'])
})

test('of requests that were sent at once in process, none repeats another', () => {
  const { send, kinds } = script()
  for (const turn of [1, 2, 3]) {
    send(0, 400, { connection: undefined, arrived: { atMs: 0, turn }, ended: { atMs: 0, turn: 10 + turn } })
  }
  expect(kinds()).toEqual([])
})

test('whoever waits as told is clean, to the millisecond, and whoever does not is not', () => {
  const patient = script()
  patient.send(0, 429, { retryAfterMs: 1000 })
  patient.send(1000, 200)
  expect(patient.kinds()).toEqual([])
  const hasty = script()
  hasty.send(0, 429, { retryAfterMs: 1000 })
  hasty.send(990, 200)
  expect(hasty.record.findings()).toMatchObject([
    { kind: 'came-back-early', count: 1, evidence: [{ waitedMs: 990, toldToWaitMs: 1000 }] },
  ])
})

test('of twenty alike that were refused at once, each may be retried by itself', () => {
  const { send, kinds } = script()
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 20; index += 1) send(round * 1000, 429, { retryAfterMs: 1000 })
  }
  expect(kinds()).toEqual([])
})

test('the waits of common clients are a backoff; five retries are not too many, six are', () => {
  const { send, kinds } = script()
  for (const atMs of [0, 375, 1200, 2900, 6000, 12_500]) send(atMs, 500)
  expect(kinds()).toEqual([])
  send(19_000, 500)
  expect(kinds()).toEqual(['1 too-many-retries'])
})

test('one retry at once is allowed, a second is not', () => {
  const { send, kinds } = script()
  send(0, 500)
  send(30, 500)
  expect(kinds()).toEqual([])
  send(60, 500)
  expect(kinds()).toEqual(['1 no-backoff'])
})

test('equal waits are no backoff from the third on, unless they were told', () => {
  const { send, kinds } = script()
  for (const atMs of [0, 500, 1000, 1500]) send(atMs, 500)
  expect(kinds()).toEqual(['1 no-backoff'])
  const told = script()
  for (const atMs of [0, 1000, 2000, 3000, 4000]) told.send(atMs, 429, { retryAfterMs: 1000 })
  expect(told.kinds()).toEqual([])
})

test('a connection that the service broke off counts as trouble, whatever its status', () => {
  const { send, kinds } = script()
  for (const atMs of [0, 30, 60]) send(atMs, 200, { isAborted: true })
  expect(kinds()).toEqual(['1 no-backoff'])
})

test('a success ends a row of retries', () => {
  const { send, kinds } = script()
  for (let row = 0; row < 4; row += 1) {
    send(row * 100_000, 500)
    send(row * 100_000 + 500, 500)
    send(row * 100_000 + 1500, 200)
  }
  expect(kinds()).toEqual([])
})

test('streams that were left and keys in URLs are counted, the first five in full', () => {
  const { send, record } = script()
  for (let index = 0; index < 8; index += 1) send(index * 100, 200, { hasAbortedStream: true })
  send(1000, 401, { hasSecretInUrl: true })
  const [left, secret] = record.findings()
  expect([left?.kind, left?.count, left?.evidence.length]).toEqual(['left-stream', 8, 5])
  expect([secret?.kind, secret?.count]).toEqual(['secret-in-url', 1])
})

test('requests of a client without trouble are not even compared', () => {
  const { send, record } = script()
  send(0, 200, { fingerprint: () => expect.fail('it was') })
  expect(record.requests).toBe(1)
})
