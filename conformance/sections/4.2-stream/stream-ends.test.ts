import { expect, test } from 'vitest'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import type { ExchangeError } from '../../http/exchange.ts'
import { streamsCompleteCheck } from './stream-ends.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

interface Stream {
  readonly endMs: number
  /** Time of all events. Default: 0. */
  readonly startMs?: number
  /** How the stream ends. Default: with a finish_reason and [DONE]. */
  readonly end?: 'none' | ExchangeError
  readonly wasAborted?: true
  readonly status?: number
  /** Data of an additional event at the end of the stream. */
  readonly last?: string
}

function logged({ endMs, startMs = 0, end, wasAborted, status = 200, last }: Stream, request: number): LoggedExchange {
  const frames = ['{"choices":[{"delta":{"content":"a"}}]}', '{"choices":[{"finish_reason":"stop"}]}', '[DONE]']
  const sent = [...(end === undefined ? frames : frames.slice(0, 1)), ...(last === undefined ? [] : [last])]
  const exchange = createScriptedExchange({
    status,
    headers: { 'content-type': 'text/event-stream' },
    body: sent.map((data) => `data: ${data}\n\n`).join(''),
    ...(end === undefined || end === 'none' ? {} : { error: { kind: end, message: end } }),
  })
  const common = { operation: 'chat', key: 'funded', kind: 'valid', isFinal: true, form: undefined } as const
  const events = exchange.events.map((event) => ({ ...event, atMs: startMs }))
  const abort = wasAborted === undefined ? {} : { wasAborted }
  return { ...common, source: '4.2/a', request, exchange: { ...exchange, events, ...abort, totalMs: endMs } }
}

function summarize(...streams: readonly Stream[]) {
  return streamsCompleteCheck.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges: streams.map(logged) })
}

const COMPLETE = { endMs: 9000 }

test('passes a run whose streams are all complete', () => {
  const { outcome } = summarize(COMPLETE, { endMs: 20_000 })
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { streams: 2, longestMs: 20_000 } } })
})

test('reports an observation for streams too short to show a timeout', () => {
  expect(summarize({ endMs: 300 }, { endMs: 3100 }).outcome).toMatchObject({
    verdict: 'observed',
    params: { seen: { streams: 2, longestMs: 3100, isTooShort: true } },
  })
})

test('evaluates streams with a 2xx status other than 200', () => {
  const { outcome } = summarize({ endMs: 300 }, { endMs: 9000, status: 207 })
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { streams: 2, longestMs: 9000 } } })
})

test('warns about streams without the end of other streams, regardless of their duration', () => {
  const { outcome, evidence } = summarize(COMPLETE, { endMs: 700, end: 'none' }, { endMs: 900, end: 'none' })
  expect(outcome).toMatchObject({
    verdict: 'warn',
    code: 'streams-without-end',
    params: { streams: 2, events: [1, 1], complete: 1 },
  })
  expect(evidence).toHaveLength(2)
})

test('ignores streams that report an error, because another check evaluates them', () => {
  const { outcome } = summarize(COMPLETE, { endMs: 700, end: 'none', last: '{"error":{"message":"overloaded"}}' })
  expect(outcome.verdict).toBe('pass')
})

test.each(['none', 'closed-early', 'reset'] as const)('warns about streams that all stop after 15 s (%s)', (end) => {
  const { outcome, evidence } = summarize(COMPLETE, { endMs: 15_020, end }, { endMs: 15_190, end })
  expect(outcome).toMatchObject({
    verdict: 'warn',
    code: 'streams-timed-out',
    params: { streams: 2, afterMs: 15_020, events: [1, 1], complete: 1 },
  })
  expect(evidence).toHaveLength(2)
})

test('warns about a single truncated stream if its connection closed without an error', () => {
  const { outcome } = summarize(COMPLETE, { endMs: 15_020, end: 'none' })
  expect(outcome).toMatchObject({ verdict: 'warn', code: 'streams-timed-out', params: { streams: 1 } })
})

const lacking = (missing: string) => ({ verdict: 'not-testable', code: 'no-evidence', params: { missing } })

test.each([
  ['a single connection was cut', [COMPLETE, { endMs: 15_000, end: 'closed-early' }]],
  [
    'streams were cut at different times',
    [COMPLETE, ...[10, 15].map((s) => ({ endMs: s * 1000, end: 'reset' as const }))],
  ],
  [
    'a complete stream took longer',
    [{ endMs: 16_000 }, ...[15, 15].map((s) => ({ endMs: s * 1000, end: 'reset' as const }))],
  ],
  ['streams were cut at once', [{ endMs: 5 }, ...[20, 30].map((endMs) => ({ endMs, end: 'reset' as const }))]],
] as const)('observes instead of passing or warning if %s', (_name, streams) => {
  expect(summarize(...streams).outcome).toMatchObject(lacking('stream-ends'))
})

test('stream ends are not testable without a complete stream, and the outcome names the missing evidence', () => {
  expect(summarize().outcome).toMatchObject(lacking('recorded-stream'))
  const endless = [15, 15].map((s) => ({ endMs: s * 1000, end: 'none' as const }))
  expect(summarize(...endless).outcome).toMatchObject(lacking('recognizable-end'))
})

test('does not say that a stream was cut if the suite ended it because of its deadline', () => {
  expect(summarize(COMPLETE, { endMs: 120_000, end: 'timeout' }).outcome).toMatchObject(lacking('deadline'))
})

test('ignores streams that the suite itself aborted', () => {
  const { outcome } = summarize(COMPLETE, { endMs: 15_000, end: 'none', wasAborted: true })
  expect(outcome.verdict).toBe('pass')
})

test('recognizes a timeout that starts with the first event of each stream', () => {
  const { outcome } = summarize(
    { endMs: 2500 },
    { startMs: 100, endMs: 15_100, end: 'closed-early' },
    { startMs: 4000, endMs: 19_050, end: 'closed-early' },
  )
  expect(outcome).toMatchObject({ code: 'streams-timed-out', params: { streams: 2, afterMs: 15_000 } })
})
