import { describe, expect, test } from 'vitest'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import type { LoggedRequest, RecordedTiming } from '../target/emulator-client.ts'
import { createError } from '../testing/make-result.ts'
import { compareWithRecord, type RunRecords } from './compare-record.ts'

const PREFIX = 'run-'

/**
 * Times at which the emulator wrote the events of a stream with five tokens: role, a token every 20 ms from 100 ms on,
 * finish and [DONE].
 */
const WRITTEN_MS = [100, 100, 120, 140, 160, 180, 180, 180]

/** Builds the load generator's record of stream `number`, whose events were read at these times. */
function line(number: number, atMs: readonly number[], changes: Partial<EventsResult> = {}): EventsResult {
  return {
    operation: 'chat-stream',
    requestId: `req-${number}`,
    atMs,
    tokens: [1, 2, 3, 4, 5],
    firstText: 0,
    e2eMs: (atMs.at(-1) ?? 0) + 1,
    isComplete: true,
    status: 200,
    clientRequestId: `${PREFIX}${number}`,
    completionId: `chatcmpl-${number}`,
    ...changes,
  }
}

function entry(number: number, changes: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    seq: number,
    id: `req-${number}`,
    clientRequestId: `${PREFIX}${number}`,
    completionId: `chatcmpl-${number}`,
    account: 'funded',
    operation: 'chat',
    model: 'cheap',
    status: 200,
    atMs: number * 1000,
    totalMs: 180,
    clientLeft: false,
    charged: '0.5',
    ignoredFields: [],
    ...changes,
  }
}

const later = (delayMs: number) => WRITTEN_MS.map((ms) => ms + delayMs)

function compare(lines: readonly EventsResult[], log: readonly LoggedRequest[], changes: Partial<RunRecords> = {}) {
  const timings: RecordedTiming[] = log
    .filter(({ status }) => status === 200)
    .map(({ id }) => ({ requestId: id, writtenMs: WRITTEN_MS }))
  const { upstream, notes, gaps } = compareWithRecord({
    upstreamUrl: 'http://upstream',
    lines,
    prefix: PREFIX,
    log,
    timings,
    tokens: {},
    models: { chat: 'cheap', images: 'cheap', transcriptions: 'cheap', speech: 'cheap' },
    isUsageRequested: true,
    calibration: null,
    ...changes,
  })
  return { ...upstream, notes: notes.map(({ code }) => code), gaps: gaps.map(({ code }) => code) }
}

describe('added latency', () => {
  test('calculates added latency as the client time less the upstream time of each response, with the error as its bounds', () => {
    const error = { n: 1, ...createError(1.5) }
    const figures = { ttftMs: error, e2eMs: error }
    const calibration = { source: 'self', concurrency: 2, joined: 1, unjoined: 0, profiles: [], figures } as const
    const lines = [line(1, later(20)), line(2, later(22))]
    const { added, compared, notes, gaps } = compare(lines, [entry(1), entry(2)], { calibration })
    expect(added.ttftMs).toMatchObject({
      n: 2,
      mean: { ms: 21 },
      p50: { ms: 20, lowMs: 18.5, highMs: 21.5 },
      p99: { ms: 22, lowMs: 20.5, highMs: 23.5 },
      max: { ms: 22, lowMs: null, highMs: null },
    })
    expect(added.e2eMs?.max.ms).toBe(23)
    expect(added.itlMs).toMatchObject({ n: 8, p50: { ms: 0, lowMs: null } })
    expect([compared, notes, gaps]).toEqual([2, [], []])
  })

  test('bounds added latency by the bounds of the client times of the same responses', () => {
    const bounds = { startMs: 1, tokenMs: [118, 140, 160, 180, 200], e2eMs: 199 }
    const { added } = compare([line(1, later(20), { bounds })], [entry(1)])
    expect(added.ttftMs?.p50).toEqual({ ms: 20, lowMs: 17, highMs: 20 })
    expect(added.ttftMs?.max).toEqual({ ms: 20, lowMs: 17, highMs: 20 })
    expect(added.itlMs?.max).toEqual({ ms: 0, lowMs: 0, highMs: 2 })
    expect(added.e2eMs?.mean).toEqual({ ms: 21, lowMs: 18, highMs: 21 })
  })

  test.each([
    ['the request ID of the emulator', { completionId: '' }],
    ['the completion ID, if the gateway replaces the request ID', { requestId: 'gw-1', clientRequestId: '' }],
    ['the ID of the client, if the gateway replaces the other two', { requestId: null, completionId: 'own-1' }],
  ] as const)('matches responses by %s', (_name, changes) => {
    const { completionId, clientRequestId, ...others } = { ...line(1, later(7)), ...changes }
    const first: EventsResult = {
      ...others,
      ...(completionId === '' || completionId === 'own-1' ? {} : { completionId: 'chatcmpl-1' }),
      ...(clientRequestId === '' ? {} : { clientRequestId: `${PREFIX}1` }),
    }
    const { added } = compare([first], [entry(1), entry(2)])
    expect(added.ttftMs).toMatchObject({ n: 1, p50: { ms: 7 } })
  })

  test('matches responses by the ID of the client, and reports the change, if the gateway replaces all completion IDs', () => {
    const lines = [1, 2].map((number) => line(number, later(7), { requestId: null, completionId: `own-${number}` }))
    const result = compare(lines, [entry(1), entry(2)])
    expect([result.compared, result.notes, result.gaps]).toEqual([2, ['gateway-changes-ids'], []])
    // One response with its own ID is not from the upstream.
    const [, own] = lines
    const { compared, notes } = compare([line(1, later(7)), ...(own === undefined ? [] : [own])], [entry(1), entry(2)])
    expect([compared, notes]).toEqual([1, []])
  })

  test('reports a different text, and does not mistake a missing event for re-batching or removed usage', () => {
    const log = [1, 2].map((number) => entry(number, { textSha256: 'same' }))
    const shorter = { tokens: [1, 2, 3, 4], textSha256: 'other', hasUsage: false }
    const second = line(2, later(5), { textSha256: 'same', hasUsage: true })
    const result = compare([line(1, later(5).slice(1), shorter), second], log)
    expect([result.notes, result.streams]).toEqual([
      ['gateway-changes-text'],
      { judged: 1, rebatched: 0, buffered: 0, sentAtOnce: 0 },
    ])
    expect(result.added).toMatchObject({ ttftMs: { n: 2 }, itlMs: { n: 4 }, e2eMs: { n: 2 } })
    expect(compare([second], log).notes).toEqual([])
    expect(compare([line(1, later(5), { textSha256: 'other' })], [entry(1)]).notes).toEqual([])
  })

  test('reports requests that reached the upstream with another model', () => {
    const log = [entry(1, { model: 'cheap' }), entry(2, { model: 'expensive' }), entry(3, { model: null }), entry(4)]
    const lines = [1, 2, 3, 4].map((number) => line(number, later(5)))
    expect(compare(lines, log).notes).toEqual(['gateway-changes-model'])
    expect(compare(lines.slice(0, 1), log.slice(0, 1)).notes).toEqual([])
    const rejected = entry(1, { status: 404, model: 'unknown' })
    expect(compare([line(1, [], { status: 404 })], [rejected]).notes).toEqual(['gateway-changes-model'])
  })

  test('does not mistake a truncated stream for a buffered one', () => {
    const { streams } = compare([line(1, later(5).slice(0, 2), { tokens: [1], isComplete: false })], [entry(1)])
    expect(streams?.judged).toBe(0)
  })

  test('reports responses without a record as a gap', () => {
    const lines = [1, 2, 3].map((number) => line(number, later(1)))
    const result = compare(lines, [entry(1), entry(2), entry(3)], { timings: [] })
    expect([result.compared, result.responses, result.gaps]).toEqual([0, 3, ['upstream-record-incomplete']])
    expect(result.added).toEqual({})
    const { clientRequestId: _, ...unnamed } = entry(1)
    const own = line(1, [], { requestId: null, completionId: 'own' })
    expect(compare([own], [unnamed]).gaps).toEqual(['upstream-responses-unidentified'])
  })

  test('compares first token and end of a stream whose events the gateway merged, but not its inter-token latency', () => {
    const merged = line(1, [130, 130, 170, 190], { tokens: [1, 2], e2eMs: 190 })
    const { added, streams, notes } = compare([merged], [entry(1)])
    expect([added.ttftMs?.p50.ms, added.itlMs, added.e2eMs?.p50.ms]).toEqual([30, undefined, 10])
    expect(streams).toEqual({ judged: 1, rebatched: 1, buffered: 0, sentAtOnce: 0 })
    expect(notes).toEqual(['gateway-rebatches'])
  })

  test('compares a response that is not streamed by its end', () => {
    const whole = line(1, [], { operation: 'chat', tokens: [], e2eMs: 42 })
    const timings = [{ requestId: 'req-1', writtenMs: [40] }]
    const { added } = compare([whole], [entry(1)], { timings })
    expect([added.e2eMs?.p50.ms, added.ttftMs]).toEqual([2, undefined])
  })
})

describe('batching', () => {
  test.each([
    ['forwards each token', later(5), 'none'],
    ['stalls once', [105, 105, 160, 160, 165, 185, 185, 185], 'none'],
    ['sends tokens in pairs', [125, 125, 125, 165, 165, 185, 185, 185], 'rebatched'],
    ['buffers the stream', WRITTEN_MS.map(() => 190), 'buffered'],
  ] as const)('classifies the batching of a gateway that %s', (_name, atMs, kind) => {
    const { streams, notes } = compare([line(1, atMs)], [entry(1)])
    expect(streams).toEqual({
      judged: 1,
      rebatched: kind === 'rebatched' ? 1 : 0,
      buffered: kind === 'buffered' ? 1 : 0,
      sentAtOnce: 0,
    })
    expect(notes).toEqual({ none: [], rebatched: ['gateway-rebatches'], buffered: ['gateway-buffers'] }[kind])
  })

  test('does not count the intervals between events that the generator read together', () => {
    const tokenMs = [100, 120, 140, 160, 180, 200, 220, 240]
    const timings = [{ requestId: 'req-1', writtenMs: [100, ...tokenMs, 240, 240] }]
    const pairedMs = [125, 125, 165, 165, 205, 205, 225, 245]
    const [tokens, e2eMs] = [tokenMs.map((_, index) => index + 1), 245]
    const rebatched = (earliestMs?: readonly number[]) => {
      const bounds = earliestMs === undefined ? {} : { bounds: { startMs: 0, tokenMs: [...earliestMs], e2eMs } }
      const stream = line(1, [105, ...pairedMs, e2eMs, e2eMs], { tokens, e2eMs, ...bounds })
      return compare([stream], [entry(1)], { timings }).streams?.rebatched
    }
    expect(rebatched()).toBe(1)
    expect(rebatched(pairedMs)).toBe(1)
    expect(rebatched(tokenMs.map((ms) => ms + 5))).toBe(0)
    // If too few intervals are certain, all count.
    expect(rebatched(tokenMs.map(() => 100))).toBe(1)
  })

  test('finds complete streams whose usage the gateway removed', () => {
    const removed = (changes: Partial<EventsResult>) => line(1, later(5), { hasUsage: false, ...changes })
    expect(compare([removed({}), line(2, later(5), { hasUsage: true })], [entry(1), entry(2)]).notes).toEqual([
      'gateway-removes-usage',
    ])
    expect(compare([removed({})], [entry(1)], { isUsageRequested: false }).notes).toEqual([])
    expect(compare([removed({ isComplete: false })], [entry(1)]).notes).toEqual([])
    expect(compare([removed({})], [entry(1, { ignoredFields: ['stream_options'] })]).notes).toEqual([])
    expect(compare([line(1, later(5))], [entry(1)]).notes).toEqual([])
  })

  test('reports no batching for a gateway that stalls a tenth of its streams', () => {
    const numbers = Array.from({ length: 10 }, (_, index) => index + 1)
    const pairs = [125, 125, 125, 165, 165, 185, 185, 185]
    const lines = (stalled: number, paired = 0) =>
      numbers.map((number) => {
        if (number <= stalled)
          return line(
            number,
            WRITTEN_MS.map(() => 190),
          )
        return line(number, number <= stalled + paired ? pairs : later(5))
      })
    const log = numbers.map((number) => entry(number))
    expect(compare(lines(1), log)).toMatchObject({ streams: { judged: 10, buffered: 1 }, notes: [] })
    expect(compare(lines(2), log).notes).toEqual(['gateway-buffers'])
    expect(compare(lines(1, 1), log).notes).toEqual([])
    expect(compare(lines(1, 2), log).notes).toEqual(['gateway-rebatches'])
  })
})

describe('forwarding', () => {
  const retry = { id: 'req-9', completionId: 'chatcmpl-9', clientRequestId: `${PREFIX}1` }
  const failed = { requestId: null, atMs: [], tokens: [], isComplete: false }

  test.each([
    [
      'retried',
      [line(1, later(1))],
      [entry(1, { atMs: 2000 }), entry(9, { ...retry, status: 503, atMs: 1000 })],
      { retried: 1 },
    ],
    ['duplicated', [line(1, later(1))], [entry(1), entry(9, { ...retry, atMs: 1010 })], { duplicated: 1 }],
    ['withheld', [line(1, later(1)), line(2, [], { ...failed, status: 502 })], [entry(1)], { withheld: 1 }],
    ['lost', [line(1, later(1)), line(2, [], { ...failed, status: 502 })], [entry(1), entry(2)], { lost: 1 }],
    [
      'repeated',
      [line(1, later(1)), line(2, [1, 1, 1, 1, 1, 1, 1, 1], { requestId: 'req-1', completionId: 'chatcmpl-1' })],
      [entry(1)],
      { repeated: 1, withheld: 1 },
    ],
  ] as const)('counts requests that were %s', (_name, lines, log, counts) => {
    const none = { retried: 0, duplicated: 0, withheld: 0, lost: 0, repeated: 0 }
    const { forwarding, gaps, added } = compare(lines, log)
    expect(forwarding).toEqual({ sent: lines.length, received: log.length, isIdentified: true, ...none, ...counts })
    expect(gaps).toEqual([])
    // A response from the gateway's cache is not compared with the upstream's response to the earlier request.
    expect(added.ttftMs).toMatchObject({ n: 1, max: { ms: 1 } })
  })

  test('ignores requests of other clients if the gateway forwards IDs', () => {
    const other = entry(5, { clientRequestId: 'other-1' })
    expect(
      compare([line(1, later(1))], [entry(1), other, entry(6, { clientRequestId: 'x' })]).forwarding,
    ).toMatchObject({
      received: 1,
      retried: 0,
    })
  })

  test('compares totals if the gateway drops IDs', () => {
    const anonymous = [1, 2].map((number) => {
      const { clientRequestId: _, ...rest } = entry(number)
      return rest
    })
    const { forwarding, notes } = compare([line(1, later(1))], anonymous)
    expect(forwarding).toEqual({
      sent: 1,
      received: 2,
      isIdentified: false,
      retried: null,
      duplicated: null,
      withheld: null,
      lost: null,
      repeated: 0,
    })
    expect(notes).toEqual(['gateway-sends-more'])
  })

  test('compares totals if the gateway forwards the IDs of only some requests', () => {
    // Without its ID, the first request may be among those that the upstream received.
    const { clientRequestId: _, ...unnamed } = entry(1)
    const { forwarding, notes } = compare([line(1, later(5)), line(2, later(5))], [unnamed, entry(2)])
    expect([forwarding, notes]).toEqual([
      {
        sent: 2,
        received: 2,
        isIdentified: false,
        retried: null,
        duplicated: null,
        withheld: null,
        lost: null,
        repeated: 0,
      },
      [],
    ])
  })

  test('reports credits that the upstream charged and the client did not receive', () => {
    const tokens = { 'vendora-v4-flash': { responses: 1, prompt: 10, completion: 10, estimated: 0 } }
    const seen = (charged: string) => compare([line(1, later(1))], [entry(1, { charged })], { tokens })
    const { credits } = seen('99')
    expect(credits?.charged).toBe('99')
    expect(seen('99').notes).toEqual(['upstream-charged-differently'])
    expect(seen(credits?.seen ?? '').notes).toEqual([])
  })
})
