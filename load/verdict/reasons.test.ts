import { expect, test } from 'vitest'
import { nameProperty } from '../../common/options/invalid-option-error.ts'
import type { ExtensionResult } from '../../scenarios/lib/extension-result.ts'
import { describeFindings, type LoadFinding } from '../findings/finding.ts'
import { buildMeasurements } from '../metrics/measurements.ts'
import { createOperationResult, createExtensionResult, repeatValue } from '../testing/make-result.ts'
import { parseBudget } from './parse-budget.ts'
import { type RunConditions, determineVerdict } from './verdict.ts'

const USUAL: RunConditions = { isEmulator: false, isInterrupted: false }

function evaluate(run: ExtensionResult, budgets: readonly string[] = [], around: Partial<RunConditions> = {}) {
  const { verdict, findings } = determineVerdict(
    buildMeasurements(run, () => null),
    budgets.map(parseBudget),
    { ...USUAL, ...around },
  )
  return { verdict, reasons: describeFindings(findings, nameProperty) }
}

/** Builds the result of an open-loop run whose requests have these scheduling delays. */
const planned = (lagsMs: readonly number[], others: Partial<ExtensionResult> = {}) =>
  createExtensionResult(
    { chat: createOperationResult(lagsMs.length, { startLagMs: lagsMs, e2eMs: repeatValue(lagsMs.length, 900) }) },
    { plan: { planned: lagsMs.length, due: lagsMs.length, taken: lagsMs.length }, ...others },
  )

const K6_FAILED: LoadFinding = { code: 'k6-failed', params: { exitCode: 1, hasResult: true, message: '' } }
const CREDITS_DIFFER: LoadFinding = { code: 'credits-differ', params: { counted: '1', charged: '2' } }
const NOT_CALIBRATED: LoadFinding = { code: 'not-calibrated', params: { problem: 'no response could be compared' } }
const THRESHOLD_BROKEN: LoadFinding = { code: 'threshold-broken', params: { afterS: 9, ratePerSecond: 30 } }

test('gives only notes if all budgets are met', () => {
  const run = planned(repeatValue(20, 99), { checks: [{ name: 'all is well', passes: 2, fails: 0 }] })
  expect(evaluate(run, ['e2e.p50<=1s'])).toEqual({ verdict: 'within-budgets', reasons: [] })
  expect(evaluate(run, [], { notes: [THRESHOLD_BROKEN] })).toEqual({
    verdict: 'within-budgets',
    reasons: ['The run exceeded a budget after 9 s, at about 30 requests per second, and ended.'],
  })
})

test('names streams without text in any run, and does not judge a budget on the others', () => {
  const output = {
    responses: 48,
    withUsage: 48,
    completionTokens: 9,
    streams: 48,
    withoutToken: 1,
    withoutText: 23,
    cutBeforeText: 22,
  }
  const times = { ttftMs: repeatValue(47, 100), textTtftMs: repeatValue(25, 200) }
  const run = createExtensionResult({ 'chat-stream': createOperationResult(48, times, { output }) })
  const sentence =
    '23 of 48 streams ended before any text, 22 of them at max_tokens (finish_reason length), 1 without any token.'
  expect(evaluate(run, ['failed.rate<=1%'])).toEqual({ verdict: 'within-budgets', reasons: [sentence] })
  expect(evaluate(run, ['ttft.p50<=1s', 'text_ttft.p90<=1s'])).toEqual({
    verdict: 'incomplete',
    reasons: [
      'text_ttft.p90 cannot be measured: 23 of 48 streams ended before any text, and text_ttft.p90 allows 10 %. 22 of them reached max_tokens: raise maxTokens.',
      sentence,
    ],
  })
})

test('lists every reason for a broken budget, starting with what broke it', () => {
  const run = planned([...repeatValue(17, 1), 500, 500, 500], {
    checks: [
      { name: 'a 402 comes in time', passes: 1, fails: 1 },
      { name: 'nothing is lost', passes: 0, fails: 0 },
      { name: 'all is well', passes: 2, fails: 0 },
    ],
    validation: { streams: 20, violations: [{ kind: 'id-changed', count: 1, example: 'a, then b' }] },
  })
  const around = {
    isEmulator: true,
    generatorProblem: K6_FAILED,
    contradictions: [CREDITS_DIFFER],
    gaps: [NOT_CALIBRATED],
    notes: [THRESHOLD_BROKEN],
  }
  const delayed: LoadFinding = {
    code: 'requests-delayed',
    // Histograms have four digits and report the upper end of a bucket.
    params: { allowed: 2, requests: 20, delayMs: 500.015, maxDelayMs: 100, open: 0 },
  }
  const rest: LoadFinding[] = [
    { code: 'budget-broken', params: { metric: 'chat.failed.rate', actual: 0, op: '<=', limit: -1, unit: '%' } },
    { code: 'stream-violation', params: { kind: 'id-changed', count: 1, streams: 20, example: 'a, then b' } },
    { code: 'check-failed', params: { check: 'a 402 comes in time', fails: 1, tested: 2 } },
    CREDITS_DIFFER,
  ]
  const untested: LoadFinding[] = [
    { code: 'check-not-tested', params: { check: 'nothing is lost' } },
    NOT_CALIBRATED,
    THRESHOLD_BROKEN,
  ]
  const budget = { ...parseBudget('chat.failed.rate<=1%'), limit: -1 }
  const measurements = buildMeasurements(run, () => null)
  expect(determineVerdict(measurements, [budget], { ...USUAL, ...around }).findings).toEqual([
    ...rest,
    K6_FAILED,
    delayed,
    ...untested,
  ])
  expect(determineVerdict(measurements, [budget], { ...USUAL, ...around, isInterrupted: true }).findings).toEqual([
    ...rest,
    K6_FAILED,
    { code: 'ended-early', params: {} },
    ...untested,
  ])
})

test.each([
  ['two requests, both late', [500, 500], 'within-budgets'],
  ['three requests, all late', [500, 500, 500], 'invalid'],
  ['300 requests, three of them late', [...repeatValue(297, 1), 500, 500, 500], 'within-budgets'],
  ['300 requests, four of them late', [...repeatValue(296, 1), 500, 500, 500, 500], 'invalid'],
])('evaluates the scheduling delays of %s', (_name, lagsMs, verdict) => {
  expect(evaluate(planned(lagsMs), ['failed.rate<=1%']).verdict).toBe(verdict)
})

test('reports scheduling delays only for planned runs with samples', () => {
  expect(evaluate(planned(repeatValue(20, 500), { plan: null })).verdict).toBe('within-budgets')
  const unmeasured = createExtensionResult(
    { chat: createOperationResult(20) },
    { plan: { planned: 20, due: 20, taken: 20 } },
  )
  expect(evaluate(unmeasured).verdict).toBe('within-budgets')
})

test('replaces the default limit of the scheduling delay by a budget on start_lag', () => {
  const run = planned([...repeatValue(97, 1), 500, 500, 500])
  expect(evaluate(run, ['e2e.max<=1s', 'failed.rate<=1%']).verdict).toBe('invalid')
  expect(evaluate(run, ['e2e.max<=1s', 'start_lag.p90<=1s', 'failed.rate<=1%']).verdict).toBe('within-budgets')
})

const failed = (byStatus: Record<string, number>, byError: Record<string, number> = {}) =>
  createExtensionResult({ chat: createOperationResult(0, {}, { sent: 31, failed: 31, byStatus, byError }) })

test('lists the five most frequent causes when no request succeeded, and evaluates no budget', () => {
  const run = failed({ 401: 9, 402: 1, 404: 3 }, { reset: 7, timeout: 5, refused: 4 })
  const evaluation = determineVerdict(
    buildMeasurements(run, () => null),
    ['failed.rate<=1%', 'e2e.p50<=1s'].map(parseBudget),
    { ...USUAL, gaps: [NOT_CALIBRATED] },
  )
  expect(evaluation.verdict).toBe('incomplete')
  const causes = [
    { cause: '401', count: 9 },
    { cause: 'reset', count: 7 },
    { cause: 'timeout', count: 5 },
    { cause: 'refused', count: 4 },
    { cause: '404', count: 3 },
  ]
  expect(evaluation.findings).toEqual([
    NOT_CALIBRATED,
    { code: 'no-success', params: { sent: 31, causes, status: null } },
  ])
  expect(evaluation.budgets).toMatchObject([
    { metric: 'failed', statistic: 'rate', actual: 100, verdict: 'not measurable' },
    { metric: 'e2e', statistic: 'p50', actual: null, verdict: 'not measurable' },
  ])
  expect(evaluate(failed({})).reasons).toEqual(['None of the 31 requests succeeded, so no latency was measured.'])
})

test.each([
  [{ 401: 31 }, {}, '(31 × 401), so no latency was measured. Set key to a key that the target accepts.'],
  [
    { 200: 31 },
    { 'unexpected-body': 31 },
    '(31 × unexpected-body), so no latency was measured. The target responds with a 2xx status, but not with a result of the operation. Check that target is the base URL of the API, and not of a web page.',
  ],
  [
    { 302: 31 },
    {},
    '(31 × 302), so no latency was measured. touchstone does not follow redirects: set target to the address to which the target redirects.',
  ],
  [{ 402: 30, 500: 1 }, {}, '(30 × 402, 1 × 500), so no latency was measured.'],
])('gives advice if all responses are %j and all errors %j', (byStatus, byError, words) => {
  expect(evaluate(failed(byStatus, byError)).reasons).toEqual([`None of the 31 requests succeeded ${words}`])
})

test('counts aborted streams as responses', () => {
  const run = createExtensionResult({ 'chat-stream': createOperationResult(0, {}, { sent: 3, aborted: 3 }) })
  expect(evaluate(run, ['failed.rate<=1%'])).toEqual({ verdict: 'within-budgets', reasons: [] })
})

test('fails a stream without finish_reason if others have one', () => {
  const run = createExtensionResult(
    { 'chat-stream': createOperationResult(20) },
    { validation: { streams: 20, violations: [{ kind: 'finish-missing', count: 19, example: '' }] } },
  )
  expect(evaluate(run)).toEqual({
    verdict: 'budget-broken',
    reasons: ['19 of 20 streams were truncated: they ended without a finish_reason, unlike the others.'],
  })
})

test('lists the causes of failures next to a broken budget on failures', () => {
  const run = (failures: number, byStatus: Record<string, number>, byError: Record<string, number> = {}) =>
    createExtensionResult({ chat: createOperationResult(18, {}, { sent: 80, failed: failures, byStatus, byError }) })
  const reasonsOf = (result: ExtensionResult) => evaluate(result, ['failed.rate<=1%']).reasons
  const broken = 'failed.rate is 77.5 %; the budget is <= 1 %.'
  expect(reasonsOf(run(62, { 200: 18, 402: 62 }))).toEqual([
    broken,
    '62 of 80 requests failed (62 × 402). Set key to the key of an account with credits.',
  ])
  expect(reasonsOf(run(62, { 200: 19 }, { refused: 61, cut: 1 }))).toEqual([
    broken,
    '62 of 80 requests failed (61 × refused, 1 × cut).',
  ])
  // Some of the responses with 402 were expected, so the causes are unknown.
  expect(reasonsOf(run(62, { 200: 10, 402: 70 }))).toEqual([broken])
})
