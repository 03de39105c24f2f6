import { expect, test } from 'vitest'
import { nameProperty } from '../../common/options/invalid-option-error.ts'
import { describeFindings } from '../findings/finding.ts'
import { buildMeasurements } from '../metrics/measurements.ts'
import { createExtensionResult, createOperationResult } from '../testing/make-result.ts'
import { parseBudget } from './parse-budget.ts'
import { determineVerdict } from './verdict.ts'

type Counts = Readonly<Record<string, number>>

/** Evaluates a run of seven requests of which none succeeded. */
function evaluateFailures(byStatus: Counts, byError: Counts = {}, budgets = ['failed.rate<=1%', 'e2e.p50<=1s']) {
  const run = createExtensionResult({
    chat: createOperationResult(0, {}, { sent: 7, failed: 7, byStatus, byError }),
  })
  const {
    verdict,
    findings,
    budgets: entries,
  } = determineVerdict(
    buildMeasurements(run, () => null),
    budgets.map(parseBudget),
    { isEmulator: false, isInterrupted: false },
  )
  const [reason = ''] = describeFindings(findings, nameProperty)
  return { verdict, reason, budgets: entries.map((entry) => entry.verdict) }
}

test.each<[Counts, Counts]>([
  [{ 500: 7 }, {}],
  [{ 404: 6, 503: 1 }, {}],
  [{ 502: 1 }, { timeout: 6 }],
])('breaks the budget on failures if all requests fail with %j and %j', (byStatus, byError) => {
  expect(evaluateFailures(byStatus, byError)).toEqual({
    verdict: 'budget-broken',
    reason: 'failed.rate is 100 %; the budget is <= 1 %.',
    budgets: ['broken', 'insufficient samples'],
  })
})

test.each<[Counts, Counts]>([
  ...['302', '401', '402', '403', '404'].map((status): [Counts, Counts] => [{ [status]: 7 }, {}]),
  [{ 401: 2, 429: 5 }, {}],
  [{}, { refused: 7 }],
  [{ 200: 7 }, { 'unexpected-body': 7 }],
])('evaluates no budget if the command line may cause all failures: %j and %j', (byStatus, byError) => {
  expect(evaluateFailures(byStatus, byError)).toEqual({
    verdict: 'incomplete',
    reason: expect.stringContaining('None of the 7 requests succeeded'),
    budgets: ['not measurable', 'not measurable'],
  })
})

test('states the changes of a gateway even if no request succeeded', () => {
  const changed = { changed: 7, compared: 7, requested: 'cheap', received: 'unknown' }
  const run = createExtensionResult({
    chat: createOperationResult(0, {}, { sent: 7, failed: 7, byStatus: { 404: 7 } }),
  })
  const { findings } = determineVerdict(
    buildMeasurements(run, () => null),
    [],
    { isEmulator: false, isInterrupted: false, notes: [{ code: 'gateway-changes-model', params: changed }] },
  )
  expect(findings.map(({ code }) => code)).toEqual(['no-success', 'gateway-changes-model'])
})

test('a run without success is incomplete if no budget limits failures', () => {
  expect(evaluateFailures({ 500: 7 }, {}, ['dropped.count<=0'])).toEqual({
    verdict: 'incomplete',
    reason: 'None of the 7 requests succeeded (7 × 500), so no latency was measured.',
    budgets: ['within'],
  })
})
