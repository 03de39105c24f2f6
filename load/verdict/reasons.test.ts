import { expect, test } from 'vitest'
import type { ExtensionResult } from '../../scenarios/lib/extension-result.ts'
import { buildMeasurements } from '../metrics/measurements.ts'
import { operation, result, times } from '../testing/make-result.ts'
import { parseBudget } from './parse-budget.ts'
import { type RunConditions, determineVerdict } from './verdict.ts'

const USUAL: RunConditions = { isEmulator: false, isInterrupted: false }

function judged(run: ExtensionResult, budgets: readonly string[] = [], around: Partial<RunConditions> = {}) {
  const { verdict, reasons } = determineVerdict(
    buildMeasurements(run, () => null),
    budgets.map(parseBudget),
    { ...USUAL, ...around },
  )
  return { verdict, reasons }
}

/** Requests of a plan, of which each started so late. */
const planned = (lagsMs: readonly number[], others: Partial<ExtensionResult> = {}) =>
  result(
    { chat: operation(lagsMs.length, { startLagMs: lagsMs, e2eMs: times(lagsMs.length, 900) }) },
    { plan: { planned: lagsMs.length, due: lagsMs.length, taken: lagsMs.length }, ...others },
  )

const REMEDY = 'so its figures say nothing of the target: raise --vus, lower --rate, or share the load with --segment.'

test('gives no reasons within budgets, apart from notes', () => {
  const run = planned(times(20, 99), { checks: [{ name: 'all is well', passes: 2, fails: 0 }] })
  expect(judged(run, ['e2e.p50<=1s'])).toEqual({ verdict: 'within-budgets', reasons: [] })
  expect(judged(run, [], { notes: ['By the way.'] })).toEqual({ verdict: 'within-budgets', reasons: ['By the way.'] })
})

test('lists every reason, problems of the generator first', () => {
  const run = planned([...times(17, 1), 500, 500, 500], {
    checks: [
      { name: 'a 402 comes in time', passes: 1, fails: 1 },
      { name: 'nothing is lost', passes: 0, fails: 0 },
      { name: 'all is well', passes: 2, fails: 0 },
    ],
    oracle: { streams: 20, violations: [{ kind: 'cross-talk', count: 1, example: 'ref-1 has ref-2' }] },
  })
  const around = {
    generatorProblem: 'k6 ended.',
    contradictions: ['1 is not 2.'],
    gaps: ['A gap.'],
    notes: ['A note.'],
  }
  // Histograms keep four digits, and tell the upper end.
  const late = `The generator did not keep its plan (more than 2 of 20 requests started 500.015 ms late or more; 100 ms are allowed), ${REMEDY}`
  const rest = [
    'chat.failed.rate is 0 %, and has to be <= -1 %.',
    'cross-talk (1 of 20 streams): ref-1 has ref-2',
    'It does not hold that a 402 comes in time (1 of 2).',
    '1 is not 2.',
  ]
  const untested = ['It was not put to the test that nothing is lost.', 'A gap.', 'A note.']
  const budget = { ...parseBudget('chat.failed.rate<=1%'), limit: -1 }
  const measurements = buildMeasurements(run, () => null)
  expect(determineVerdict(measurements, [budget], { ...USUAL, ...around }).reasons).toEqual([
    'k6 ended.',
    late,
    ...rest,
    ...untested,
  ])
  expect(determineVerdict(measurements, [budget], { ...USUAL, ...around, isInterrupted: true }).reasons).toEqual([
    'k6 ended.',
    ...rest,
    'The run was ended early: its figures are those of a part.',
    ...untested,
  ])
})

test.each([
  ['two in any case', [500, 500], 'within-budgets'],
  ['three of three', [500, 500, 500], 'invalid'],
  ['almost as late as they may', times(3, 99), 'within-budgets'],
  ['two of a hundred and ninety-nine', [...times(197, 1), 500, 500], 'within-budgets'],
  ['three of three hundred', [...times(297, 1), 500, 500, 500], 'within-budgets'],
  ['four of three hundred', [...times(296, 1), 500, 500, 500, 500], 'invalid'],
])('requests with these scheduling delays make a run invalid or not: %s', (_name, lagsMs, verdict) => {
  expect(judged(planned(lagsMs), ['failed.rate<=1%']).verdict).toBe(verdict)
})

test('finds scheduling delays only in planned runs with samples', () => {
  expect(judged(planned(times(20, 500), { plan: null })).verdict).toBe('within-budgets')
  const unmeasured = result({ chat: operation(20) }, { plan: { planned: 20, due: 20, taken: 20 } })
  expect(judged(unmeasured).verdict).toBe('within-budgets')
})

test('replaces the default limit of the scheduling delay by a budget on start_lag', () => {
  const run = planned([...times(97, 1), 500, 500, 500])
  expect(judged(run, ['e2e.max<=1s', 'failed.rate<=1%']).verdict).toBe('invalid')
  expect(judged(run, ['e2e.max<=1s', 'start_lag.p90<=1s', 'failed.rate<=1%']).verdict).toBe('within-budgets')
})

test('states how many requests never started', () => {
  const run = planned(times(90, 0), { plan: { planned: 120, due: 100, taken: 90 } })
  expect(judged(run)).toEqual({
    verdict: 'invalid',
    reasons: [`The generator did not keep its plan (10 of 120 requests never started), ${REMEDY}`],
  })
})

const failed = (byStatus: Record<string, number>, byError: Record<string, number> = {}) =>
  result({ chat: operation(0, {}, { sent: 31, failed: 31, byStatus, byError }) })

test('lists the five most frequent causes when no request succeeded, and evaluates no budget', () => {
  const run = failed({ 500: 9, 502: 1, 503: 3 }, { reset: 7, timeout: 5, refused: 4 })
  const judgement = determineVerdict(
    buildMeasurements(run, () => null),
    ['failed.rate<=1%', 'e2e.p50<=1s'].map(parseBudget),
    { ...USUAL, gaps: ['A gap.'] },
  )
  expect(judgement.verdict).toBe('incomplete')
  expect(judgement.reasons).toEqual([
    'A gap.',
    'Not one of 31 requests was answered as it should (9 × 500, 7 × reset, 5 × timeout, 4 × refused, 3 × 503): there is nothing to judge.',
  ])
  expect(judgement.budgets).toMatchObject([
    { metric: 'failed', statistic: 'rate', actual: 100, verdict: 'not measurable' },
    { metric: 'e2e', statistic: 'p50', actual: null, verdict: 'not measurable' },
  ])
  expect(judged(failed({})).reasons).toEqual([
    'Not one of 31 requests was answered as it should: there is nothing to judge.',
  ])
})

test.each([
  [{ 401: 31 }, {}, '(31 × 401): there is nothing to judge; give a key that the target knows (--key).'],
  [{ 402: 31 }, {}, '(31 × 402): there is nothing to judge; give a key with credits (--key).'],
  [{ 404: 31 }, {}, '(31 × 404): there is nothing to judge; is the base address right, and is there such a model?'],
  [{ 500: 31 }, {}, '(31 × 500): there is nothing to judge.'],
  [{ 402: 30, 500: 1 }, {}, '(30 × 402, 1 × 500): there is nothing to judge.'],
  [{ 404: 30 }, { timeout: 1 }, '(30 × 404, 1 × timeout): there is nothing to judge.'],
])('gives advice if all responses were %j and all errors %j', (byStatus, byError, words) => {
  expect(judged(failed(byStatus, byError)).reasons).toEqual([
    `Not one of 31 requests was answered as it should ${words}`,
  ])
})

test('counts aborted streams as responses', () => {
  const run = result({ 'chat-stream': operation(0, {}, { sent: 3, aborted: 3 }) })
  expect(judged(run, ['failed.rate<=1%'])).toEqual({ verdict: 'within-budgets', reasons: [] })
})

test('fails a stream without finish_reason when others have one', () => {
  const run = result(
    { 'chat-stream': operation(20) },
    { oracle: { streams: 20, violations: [{ kind: 'finish-missing', count: 19, example: '' }] } },
  )
  expect(judged(run)).toEqual({
    verdict: 'budget-broken',
    reasons: ['19 of 20 streams ended without a finish_reason, which the others had: they were broken off.'],
  })
})
