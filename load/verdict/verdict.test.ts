import { expect, test } from 'vitest'
import { nameProperty } from '../../common/options/invalid-option-error.ts'
import type { LoadVerdict } from '../../reports/load-document.ts'
import type { ExtensionResult } from '../../scenarios/lib/extension-result.ts'
import { describeFindings, type LoadFinding } from '../findings/finding.ts'
import { buildMeasurements } from '../metrics/measurements.ts'
import { createError, createOperationResult, createExtensionResult, repeatValue } from '../testing/make-result.ts'
import { parseBudget } from './parse-budget.ts'
import { type RunConditions, determineVerdict } from './verdict.ts'

const USUAL: RunConditions = { isEmulator: false, isInterrupted: false }

interface Case {
  readonly name: string
  readonly budgets: readonly string[]
  readonly run: ExtensionResult
  readonly around?: Partial<RunConditions>
  /** p99 of the measurement error of each figure, in milliseconds. */
  readonly errorMs?: number
  readonly verdict: LoadVerdict
  readonly words?: string
}

const good = (count: number, ttftMs = 100) =>
  createExtensionResult({ 'chat-stream': createOperationResult(count, { ttftMs: repeatValue(count, ttftMs) }) })
/** Builds a run of streams of which `count` ended without [DONE]. */
const buildTruncated = (count: number) =>
  createExtensionResult(
    { 'chat-stream': createOperationResult(20) },
    { validation: { streams: 20, violations: [{ kind: 'done-missing', count, example: 'no [DONE]' }] } },
  )
const violations = [{ kind: 'no-done', count: 3, example: 'the last event was {}' }]
const planned = (taken: number, lagMs: number) =>
  createExtensionResult(
    { chat: createOperationResult(taken, { startLagMs: repeatValue(taken, lagMs), e2eMs: repeatValue(taken, 900) }) },
    { plan: { planned: 100, due: 100, taken } },
  )

const K6_FAILED: LoadFinding = { code: 'k6-failed', params: { exitCode: 1, hasResult: true, message: '' } }

const CASES: readonly Case[] = [
  { name: 'met budgets', budgets: ['ttft.p99<=800ms', 'failed.rate<=1%'], run: good(662), verdict: 'within-budgets' },
  {
    name: 'a broken budget',
    budgets: ['ttft.p50<=99ms'],
    run: good(11),
    verdict: 'budget-broken',
    words: 'ttft.p50 is 100 ms; the budget is <= 99 ms.',
  },
  {
    name: 'one sample too few',
    budgets: ['ttft.p99<=800ms'],
    run: good(661),
    verdict: 'incomplete',
    words: 'ttft.p99 needs 662 samples and has 661.',
  },
  {
    name: 'some streams without [DONE]',
    budgets: ['failed.rate<=1%'],
    run: buildTruncated(1),
    verdict: 'budget-broken',
    words: '1 of 20 streams were truncated: they ended without [DONE], unlike the others.',
  },
  {
    name: 'only streams without [DONE]',
    budgets: ['failed.rate<=1%'],
    run: buildTruncated(20),
    verdict: 'within-budgets',
  },
  {
    name: 'a broken budget and a budget with too few samples',
    budgets: ['ttft.p99<=1s', 'ttft.p50<=1ms'],
    run: good(50),
    verdict: 'budget-broken',
  },
  {
    name: 'a run without requests',
    budgets: ['failed.rate<=1%'],
    run: createExtensionResult({}),
    verdict: 'incomplete',
    words: 'The load sent no request.',
  },
  {
    name: 'a plan whose requests started on time',
    budgets: ['e2e.p90<=1s'],
    run: planned(100, 99),
    verdict: 'within-budgets',
  },
  {
    name: 'a plan whose requests all started late',
    budgets: ['e2e.p50<=1ms', 'rate>=99/s'],
    run: planned(100, 150),
    verdict: 'invalid',
    words: 'fell behind its plan (more than 2 of 100 requests started at least 150',
  },
  {
    name: 'a plan with dropped requests',
    budgets: ['e2e.p50<=1ms'],
    run: planned(90, 0),
    verdict: 'invalid',
    words: '10 of 100 requests never started; up to',
  },
  {
    name: 'an interrupted run',
    budgets: ['failed.rate<=1%'],
    run: planned(90, 0),
    around: { isInterrupted: true },
    verdict: 'incomplete',
    words: 'was interrupted',
  },
  {
    name: 'a measurement error above a tenth of the limit',
    budgets: ['ttft.p50<=101ms'],
    run: good(11),
    errorMs: 11,
    verdict: 'invalid',
    words: 'measurement error, 11 ms',
  },
  {
    name: 'stream violations of the emulator',
    budgets: ['failed.rate<=1%'],
    run: { ...good(20), validation: { streams: 20, violations } },
    around: { isEmulator: true },
    verdict: 'budget-broken',
    words: 'no-done (3 of 20 streams): the last event was {}',
  },
  {
    name: 'stream violations of another target',
    budgets: ['failed.rate<=1%'],
    run: { ...good(20), validation: { streams: 20, violations } },
    verdict: 'within-budgets',
  },
  {
    name: 'a generator error',
    budgets: ['failed.rate<=1%'],
    run: good(20),
    around: { generatorProblem: K6_FAILED },
    verdict: 'harness-error',
    words: 'k6 exited with code 1.',
  },
  {
    name: 'a broken budget and a generator error',
    budgets: ['ttft.p50<=1ms'],
    run: good(20),
    around: { generatorProblem: K6_FAILED },
    verdict: 'budget-broken',
  },
  {
    name: 'a generator error without measurements',
    budgets: ['failed.rate<=1%'],
    run: createExtensionResult({}),
    around: { generatorProblem: K6_FAILED },
    verdict: 'harness-error',
  },
]

test.each(CASES.map((one) => [one.name, one.verdict, one] as const))(
  'the verdict for %s is %s',
  (_name, verdict, one) => {
    const { budgets, run, around = {}, errorMs, words } = one
    const error = errorMs === undefined ? null : createError(errorMs)
    const evaluation = determineVerdict(
      buildMeasurements(run, () => error),
      budgets.map(parseBudget),
      { ...USUAL, ...around },
    )
    const reasons = describeFindings(evaluation.findings, nameProperty)
    expect(evaluation.verdict).toBe(verdict)
    expect(reasons.join('\n')).toContain(words ?? '')
    if (verdict !== 'within-budgets') expect(reasons).not.toEqual([])
  },
)

test('states first that an incomplete run was interrupted, or only that the spend limit ended it', () => {
  const measurements = buildMeasurements(good(11), () => null)
  const interrupted = { ...USUAL, isInterrupted: true }
  const codesOf = (conditions: RunConditions) =>
    determineVerdict(measurements, [parseBudget('ttft.p99<=10s')], conditions).findings.map(({ code }) => code)
  expect(codesOf(interrupted)).toEqual(['ended-early', 'too-few-samples'])
  const params = { limit: '1', counted: '1', underWay: '0', next: '1' }
  expect(codesOf({ ...interrupted, gaps: [{ code: 'spend-limit-reached', params }] })).toEqual([
    'too-few-samples',
    'spend-limit-reached',
  ])
})
