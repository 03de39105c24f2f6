import { describe, expect, test } from 'vitest'
import type { OperationOutput } from '../../reports/load-document.ts'
import type { AddedFigure, LoadBudget, LoadUpstream } from '../../reports/load-parts-document.ts'
import type { ExtensionResult } from '../../scenarios/lib/extension-result.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { buildMeasurements } from '../metrics/measurements.ts'
import { createError, createOperationResult, createExtensionResult, repeatValue } from '../testing/make-result.ts'
import { evaluateBudgets, type RunValidity } from './evaluate-budgets.ts'
import { parseBudget } from './parse-budget.ts'

type AddedValue = AddedFigure['p99']

/**
 * A run of ten seconds with two operations. Of 14 chat requests, 10 succeeded, one failed, two were aborted and one did
 * not finish. All 4 image requests succeeded.
 */
const MIXED = createExtensionResult(
  {
    chat: createOperationResult(
      10,
      { e2eMs: repeatValue(11, 10), startLagMs: repeatValue(11, 3) },
      { sent: 14, failed: 1, aborted: 2, good: 5 },
    ),
    images: createOperationResult(4, { e2eMs: repeatValue(4, 500) }, { good: 2 }),
  },
  { plan: { planned: 30, due: 20, taken: 18 } },
)

interface Circumstances {
  readonly run?: ExtensionResult
  readonly isPlanKept?: boolean
  readonly errorMs?: number
}

function evaluateOne(text: string, { run = MIXED, isPlanKept = true, errorMs }: Circumstances = {}) {
  const error = errorMs === undefined ? null : createError(errorMs)
  const [evaluated] = evaluateBudgets(
    [parseBudget(text)],
    buildMeasurements(run, () => error),
    { isPlanKept },
  )
  return evaluated
}

test.each<[string, Partial<LoadBudget>, LoadFinding | null]>([
  ['e2e.p50<=10ms', { metric: 'e2e', statistic: 'p50', actual: 10, n: 15, needed: 11, verdict: 'within' }, null],
  [
    'chat.e2e.max<=9ms',
    { metric: 'chat.e2e', statistic: 'max', actual: 10, n: 11, needed: 1, verdict: 'broken' },
    { code: 'budget-broken', params: { metric: 'chat.e2e.max', actual: 10, op: '<=', limit: 9, unit: 'ms' } },
  ],
  [
    'images.e2e.p50<=1s',
    {
      metric: 'images.e2e',
      statistic: 'p50',
      limit: 1000,
      actual: 500,
      n: 4,
      needed: 11,
      verdict: 'insufficient samples',
    },
    { code: 'too-few-samples', params: { metric: 'images.e2e.p50', needed: 11, samples: 4 } },
  ],
  [
    'speech.e2e.p50<=1s',
    { metric: 'speech.e2e', statistic: 'p50', actual: null, n: 0, needed: 11, verdict: 'insufficient samples' },
    { code: 'no-sample', params: { metric: 'speech.e2e.p50' } },
  ],
  [
    'chat.failed.rate<=1%',
    { metric: 'chat.failed', statistic: 'rate', limit: 1, actual: 7.692, n: 13, needed: 1, verdict: 'broken' },
    { code: 'budget-broken', params: { metric: 'chat.failed.rate', actual: 7.692, op: '<=', limit: 1, unit: '%' } },
  ],
  [
    'failed.count<=0',
    { metric: 'failed', statistic: 'count', unit: '', actual: 1, n: 17, verdict: 'broken' },
    { code: 'budget-broken', params: { metric: 'failed.count', actual: 1, op: '<=', limit: 0, unit: '' } },
  ],
  [
    'dropped.count<=1',
    { metric: 'dropped', statistic: 'count', unit: '', actual: 2, n: 30, verdict: 'broken' },
    { code: 'budget-broken', params: { metric: 'dropped.count', actual: 2, op: '<=', limit: 1, unit: '' } },
  ],
  [
    'rate>=1.5/s',
    { metric: 'rate', statistic: 'rate', op: '>=', unit: '/s', actual: 1.4, n: 14, verdict: 'broken' },
    { code: 'budget-broken', params: { metric: 'rate', actual: 1.4, op: '>=', limit: 1.5, unit: '/s' } },
  ],
  ['goodput>=0.7/s', { metric: 'goodput', statistic: 'goodput', op: '>=', actual: 0.7, n: 7, verdict: 'within' }, null],
])('evaluates %s exactly', (text, entry, finding) => {
  expect(evaluateOne(text)).toMatchObject({ entry, finding, isInvalid: false })
})

test.each(['failed.rate<=1%', 'failed.count<=1', 'rate>=1/s', 'goodput>=1/s'])(
  'does not evaluate %s without a request',
  (text) => {
    expect(evaluateOne(text, { run: createExtensionResult({}) })).toMatchObject({
      entry: { actual: null, verdict: 'insufficient samples' },
      finding: { code: 'no-finished-request', params: { operation: null } },
      isInvalid: false,
    })
  },
)

test('calculates no rate for a run without duration', () => {
  const run = { ...MIXED, endedAtUnixMs: MIXED.startedAtUnixMs }
  expect(evaluateOne('rate>=1/s', { run })?.entry).toMatchObject({ actual: null, verdict: 'insufficient samples' })
})

test('calculates the share of dropped requests of a closed loop from the sent requests', () => {
  expect(evaluateOne('dropped.count<=0', { run: { ...MIXED, plan: null } })?.entry).toMatchObject({ actual: 0, n: 18 })
})

test('evaluates only the scheduling delay if the generator did not keep the plan', () => {
  const evaluated = (text: string) => evaluateOne(text, { isPlanKept: false })
  for (const text of ['e2e.p50<=1ms', 'rate>=99/s', 'goodput>=99/s']) {
    expect(evaluated(text)).toMatchObject({ entry: { verdict: 'not measurable' }, finding: null, isInvalid: true })
  }
  for (const text of ['start_lag.p50<=3ms', 'failed.rate<=6%', 'dropped.count<=2']) {
    expect(evaluated(text)).toMatchObject({ entry: { verdict: 'within' }, finding: null, isInvalid: false })
  }
})

test.each([
  [1, 'chat.e2e.p50<=10ms', 'within'],
  [1.1, 'chat.e2e.p50<=10ms', 'not measurable'],
  [1.1, 'chat.e2e.p50<=8.9ms', 'not measurable'],
  [1.1, 'chat.e2e.p50<=8.8ms', 'broken'],
])('with a measurement error of %d ms, %s is %s', (errorMs, text, verdict) => {
  const evaluated = evaluateOne(text, { errorMs })
  expect(evaluated?.entry.verdict).toBe(verdict)
  expect(evaluated?.isInvalid).toBe(verdict === 'not measurable')
})

test('reports a measurement error that exceeds the precision of a budget', () => {
  expect(evaluateOne('chat.e2e.p50<=10ms', { errorMs: 1.1 })?.finding).toEqual({
    code: 'measurement-error-too-large',
    params: { metric: 'chat.e2e.p50', errorMs: 1.1, limitMs: 10, minLimitMs: 11 },
  })
})

test.each([
  [1.1, 11],
  [2.345, 24],
])('with a measurement error of %d ms, the suggested budget of %d ms can be evaluated', (errorMs, minLimitMs) => {
  const finding = evaluateOne('chat.e2e.p50<=10ms', { errorMs })?.finding
  expect(finding?.params).toMatchObject({ minLimitMs })
  expect(evaluateOne(`chat.e2e.p50<=${minLimitMs}ms`, { errorMs })?.isInvalid).toBe(false)
})

/** Builds a run of streams, of which some lack a token, text or usage. */
const streamsWith = (count: number, output: Partial<OperationOutput>) => {
  const { withoutToken = 0, withoutText = withoutToken } = output
  const all = { responses: count, streams: count, withUsage: count, completionTokens: 20 * count, cutBeforeText: 0 }
  const times = (missing: number) => repeatValue(count - missing, 100)
  return createExtensionResult({
    'chat-stream': createOperationResult(
      count,
      {
        ttftMs: times(withoutToken),
        textTtftMs: times(withoutText),
        itlMs: times(0),
        tpotMs: times(count - (output.withUsage ?? count)),
      },
      { output: { ...all, withoutToken, withoutText, ...output } },
    ),
  })
}

test('does not judge a budget on the remaining streams if more lack the sample than the percentile leaves out', () => {
  const of = (text: string, count: number, output: Partial<OperationOutput>) => {
    const { entry, finding } = evaluateOne(text, { run: streamsWith(count, output) }) ?? {}
    // The histogram reports the upper end of a bucket.
    return [entry?.verdict, entry?.actual && Math.floor(entry.actual), finding?.code]
  }
  const left = ['not measurable', null, 'streams-without-sample']
  const within = ['within', 100, undefined]
  expect(of('text_ttft.p99<=1s', 1000, { withoutText: 11 })).toEqual(left)
  expect(of('text_ttft.p95<=1s', 1000, { withoutText: 11 })).toEqual(within)
  expect(of('text_ttft.p99<=1s', 1000, { withoutText: 10 })).toEqual(within)
  expect(of('text_ttft.mean<=1s', 1000, { withoutText: 1 })).toEqual(left)
  expect(of('text_ttft.max<=1s', 1000, { withoutText: 1 })).toEqual(left)
  expect(of('ttft.p99<=1s', 1000, { withoutText: 500 })).toEqual(within)
  expect(of('ttft.p99<=1s', 1000, { withoutToken: 11 })).toEqual(left)
  expect(of('itl.p99<=1s', 1000, { withoutToken: 11 })).toEqual(left)
  expect(of('tpot.p99<=1s', 1000, { withUsage: 989 })).toEqual(left)
  expect(of('tpot.p90<=1s', 1000, { withUsage: 989 })).toEqual(within)
  expect(of('chat-stream.ttft.p99<=1s', 1000, { streams: 989 })).toEqual(left)
  expect(of('e2e.p50<=1s', 1000, { withoutToken: 1000 })).toEqual(['insufficient samples', null, 'no-sample'])
  // The slowest streams with a sample rank below those without.
  expect(of('ttft.p99<=99ms', 1000, { withoutToken: 10 })).toEqual(['broken', 100, 'budget-broken'])
})

test('counts streams without text as slower than all others', () => {
  const slow = [...repeatValue(990, 100), ...repeatValue(5, 900)]
  const output = {
    responses: 1000,
    streams: 1000,
    withUsage: 0,
    completionTokens: 0,
    withoutToken: 0,
    cutBeforeText: 0,
  }
  const run = createExtensionResult({
    'chat-stream': createOperationResult(1000, { textTtftMs: slow }, { output: { ...output, withoutText: 5 } }),
  })
  expect(evaluateOne('text_ttft.p99<=500ms', { run })?.entry).toMatchObject({ verdict: 'within', n: 995 })
  const worse = [...repeatValue(989, 100), ...repeatValue(6, 900)]
  const other = createExtensionResult({
    'chat-stream': createOperationResult(1000, { textTtftMs: worse }, { output: { ...output, withoutText: 5 } }),
  })
  expect(evaluateOne('text_ttft.p99<=500ms', { run: other })?.entry).toMatchObject({ verdict: 'broken', n: 995 })
})

test('evaluates output tokens per second by usage, and only if all responses report it or the others suffice', () => {
  const of = (limit: number, withUsage: number) => {
    const run = streamsWith(40, { withUsage, completionTokens: 20 * withUsage })
    const { entry, finding } = evaluateOne(`tokens.rate>=${limit}/s`, { run }) ?? {}
    return [entry?.verdict, entry?.actual, finding?.code]
  }
  expect(of(80, 40)).toEqual(['within', 80, undefined])
  expect(of(81, 40)).toEqual(['broken', 80, 'budget-broken'])
  expect(of(60, 30)).toEqual(['within', 60, undefined])
  expect(of(61, 30)).toEqual(['not measurable', 60, 'responses-without-usage'])
})

describe('budgets on added latency', () => {
  const TTFT = { metric: 'added.ttft.p99' }
  const bounded = (ms: number, lowMs: number | null, highMs: number | null) => ({ ms, lowMs, highMs })
  const exact = (ms: number) => bounded(ms, null, null)

  function createUpstream(p99: AddedValue, others: Partial<LoadUpstream> = {}, n = 662): LoadUpstream {
    const figure = { n, mean: exact(1), p50: exact(1), p90: exact(1), p95: exact(1), p99, max: exact(1) }
    return {
      url: 'http://u',
      method: 'record',
      compared: n,
      responses: n,
      added: { ttftMs: figure },
      forwarding: null,
      streams: null,
      credits: null,
      ...others,
    }
  }

  function evaluate(text: string, validity: RunValidity) {
    const measurements = buildMeasurements(createExtensionResult({}), () => null)
    const [result] = evaluateBudgets([parseBudget(text)], measurements, validity)
    return { verdict: result?.entry.verdict, finding: result?.finding, isInvalid: result?.isInvalid }
  }

  const within = { verdict: 'within', finding: null, isInvalid: false }
  const uncertain = (lowMs: number | null, highMs: number | null) => ({
    verdict: 'not measurable',
    finding: { code: 'added-latency-uncertain', params: { ...TTFT, lowMs, highMs, limitMs: 20 } },
    isInvalid: true,
  })

  test.each<[string, AddedValue, object]>([
    ['both bounds below the limit', bounded(18, 17, 19), within],
    [
      'both bounds above the limit',
      bounded(22, 21, 23),
      {
        verdict: 'broken',
        finding: { code: 'budget-broken', params: { ...TTFT, actual: 22, op: '<=', limit: 20, unit: 'ms' } },
        isInvalid: false,
      },
    ],
    ['the limit between the bounds', bounded(19, 18, 21), uncertain(18, 21)],
    ['no upper bound', bounded(19, 18, null), uncertain(18, null)],
    ['no bounds', exact(19), within],
  ])('evaluates a record with %s', (_name, value, expected) => {
    expect(evaluate('added.ttft.p99<=20ms', { isPlanKept: true, upstream: createUpstream(value) })).toEqual(expected)
  })

  test('does not evaluate a difference without bounds if the sides were loaded alternately', () => {
    const upstream = createUpstream(exact(1), { method: 'turns' })
    expect(evaluate('added.ttft.p99<=20ms', { isPlanKept: true, upstream })).toEqual(uncertain(null, null))
  })

  test.each([
    ['the metric was not measured', 'added.e2e.p50', createUpstream(exact(1))],
    ['the run had no upstream', 'added.ttft.p99', undefined],
  ])('reports that there is no sample if %s', (_name, metric, upstream) => {
    expect(evaluate(`${metric}<=20ms`, { isPlanKept: true, upstream })).toEqual({
      verdict: 'insufficient samples',
      finding: { code: 'no-sample', params: { metric } },
      isInvalid: false,
    })
  })

  test('does not evaluate an added latency if the generator did not keep the plan', () => {
    const upstream = createUpstream(bounded(1, 0, 2))
    expect(evaluate('added.ttft.p99<=20ms', { isPlanKept: false, upstream })).toEqual({
      verdict: 'not measurable',
      finding: null,
      isInvalid: true,
    })
  })
})
