import type { LoadVerdict } from '../../reports/load-document.ts'
import type { LoadBudget, LoadUpstream } from '../../reports/load-parts-document.ts'
import type { LoadFinding } from '../findings/finding.ts'
import type { FailureCause } from '../findings/run-findings.ts'
import { listEntries, type Measurements, sumOutput } from '../metrics/measurements.ts'
import { decodeHistogram, getPercentileMs, roundMs } from '../metrics/histogram.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import type { Budget } from './budget.ts'
import { type EvaluatedBudget, evaluateBudgets } from './evaluate-budgets.ts'

/**
 * Maximum scheduling delay. A run kept to its plan if no request was dropped, and at most 1 % of the requests (or two
 * requests) had a longer delay. A budget on `start_lag` replaces this rule.
 */
const MAX_SCHEDULING_DELAY_MS = 100
const MIN_ALLOWED_DELAYED = 2

export const ENDED_EARLY: LoadFinding = { code: 'ended-early', params: {} }

export interface RunConditions {
  /** Whether the target is an emulator. Every violation in its streams then fails the run. */
  readonly isEmulator: boolean
  /** Whether the user or the spend limit ended the run early. */
  readonly isInterrupted: boolean
  readonly upstream?: LoadUpstream | undefined
  readonly generatorProblem?: LoadFinding | undefined
  /** Further findings that make the run incomplete. */
  readonly gaps?: readonly LoadFinding[]
  /** Findings about inconsistent data, such as a ledger that charged a different amount than `usage` reports. */
  readonly contradictions?: readonly LoadFinding[]
  /** Findings that do not affect the verdict. */
  readonly notes?: readonly LoadFinding[]
}

export interface RunEvaluation {
  readonly verdict: LoadVerdict
  readonly findings: readonly LoadFinding[]
  readonly budgets: readonly LoadBudget[]
}

/** Determines the verdict of a run. If several verdicts apply, the exit codes have the precedence 1, 4, 3, 0. */
export function determineVerdict(
  measurements: Measurements,
  budgets: readonly Budget[],
  conditions: RunConditions,
): RunEvaluation {
  const { isInterrupted, generatorProblem, gaps = [], contradictions = [] } = conditions
  const notes = [...noteWarmUp(measurements), ...(conditions.notes ?? [])]
  // The finding about the spend limit states that it ended the run.
  const early = isInterrupted && gaps.every(({ code }) => code !== 'spend-limit-reached') ? [ENDED_EARLY] : []
  const noSuccess = generatorProblem === undefined ? findNoSuccess(measurements) : undefined
  const hasDelayBudget = budgets.some((budget) => budget.kind === 'latency' && budget.metric === 'start_lag')
  const planProblem = isInterrupted
    ? undefined
    : (findDropped(measurements) ?? (hasDelayBudget ? undefined : findDelayed(measurements)))
  const evaluated = evaluateBudgets(budgets, measurements, {
    isPlanKept: planProblem === undefined,
    upstream: conditions.upstream,
  })
  if (noSuccess !== undefined && !hasServiceErrors(measurements)) {
    const entries = evaluated.map(({ entry }) => ({ ...entry, verdict: 'not measurable' as const }))
    return { verdict: 'incomplete', findings: [...early, ...gaps, noSuccess, ...notes], budgets: entries }
  }
  const is = (verdict: LoadBudget['verdict']) => evaluated.some(({ entry }) => entry.verdict === verdict)
  const ofStreams = conditions.isEmulator ? reportViolations(measurements) : findStreamsCutShort(measurements)
  const violations = [...ofStreams, ...reportFailedChecks(measurements)]
  const untested = reportUntestedChecks(measurements)
  const { streams, withoutText, withoutToken, cutBeforeText: cut } = sumOutput(measurements.requests)
  const withoutTexts: LoadFinding[] =
    withoutText === 0 ? [] : [{ code: 'streams-without-text', params: { withoutText, streams, withoutToken, cut } }]
  const isInvalid = planProblem !== undefined || evaluated.some((budget) => budget.isInvalid)
  const isIncomplete =
    isInterrupted ||
    noSuccess !== undefined ||
    gaps.length + untested.length > 0 ||
    is('insufficient samples') ||
    is('not measurable')
  const verdict = firstOf([
    ['budget-broken', is('broken') || violations.length + contradictions.length > 0],
    ['harness-error', generatorProblem !== undefined],
    ['invalid', isInvalid],
    ['incomplete', isIncomplete],
  ])
  const isBroken = verdict === 'budget-broken'
  const problems = [
    ...(generatorProblem === undefined ? [] : [generatorProblem]),
    ...(planProblem === undefined ? [] : [planProblem]),
  ]
  const findingsOf = (wanted: boolean) =>
    evaluated.flatMap(({ entry, finding }) => ((entry.verdict === 'broken') === wanted ? (finding ?? []) : []))
  return {
    verdict,
    findings: [
      // Reports show the first finding as the reason next to the verdict.
      ...(verdict === 'incomplete' ? early : []),
      ...(verdict === 'incomplete' && noSuccess !== undefined ? [noSuccess] : []),
      ...(isBroken ? [] : problems),
      ...findingsOf(true),
      ...(noSuccess === undefined ? explainFailures(measurements, evaluated) : []),
      ...(verdict !== 'incomplete' && noSuccess !== undefined ? [noSuccess] : []),
      ...violations,
      ...contradictions,
      ...(isBroken ? problems : []),
      ...findingsOf(false),
      ...(verdict === 'incomplete' ? [] : early),
      ...untested,
      ...gaps,
      ...withoutTexts,
      ...notes,
    ],
    budgets: evaluated.map(({ entry }) => entry),
  }
}

function noteWarmUp({ warmUp }: Measurements): LoadFinding[] {
  if (warmUp === undefined) return []
  return [{ code: 'warm-up-excluded', params: { sent: warmUp.sent, failed: warmUp.failed } }]
}

function firstOf(candidates: readonly (readonly [LoadVerdict, boolean])[]): LoadVerdict {
  return candidates.find(([, applies]) => applies)?.[0] ?? 'within-budgets'
}

/** Maximum number of causes of failed requests that a finding lists. */
const MAX_CAUSES = 5

function findNoSuccess({ requests }: Measurements): LoadFinding | undefined {
  if (requests.ok + requests.aborted > 0) return undefined
  if (requests.sent === 0) return { code: 'no-request-sent', params: {} }
  return {
    code: 'no-success',
    params: { sent: requests.sent, causes: rankCauses(requests).slice(0, MAX_CAUSES), status: onlyStatus(requests) },
  }
}

/**
 * Error responses whose cause may be the command line: a wrong address, a wrong model, or a key that the target rejects
 * or that has no credits.
 */
const STATUSES_OF_WRONG_OPTIONS: readonly string[] = ['401', '402', '403', '404']

/**
 * Returns whether the target rejected requests with error responses that describe the target. The failure rate of a run
 * without success is then a measurement. Otherwise, the target may be down, or the command line may be wrong. Targets
 * also limit the rate of requests with a wrong key, so a 429 does not count next to such a rejection.
 */
function hasServiceErrors({ requests: { byStatus } }: Measurements): boolean {
  const statuses = Object.keys(byStatus)
  const isRejected = statuses.some((status) => STATUSES_OF_WRONG_OPTIONS.includes(status))
  const excluded = isRejected ? [...STATUSES_OF_WRONG_OPTIONS, '429'] : STATUSES_OF_WRONG_OPTIONS
  return statuses.some((status) => /^[45]/.test(status) && !excluded.includes(status))
}

/** Lists the causes of failed requests, most frequent first. A response with a 2xx status fails only with an error. */
export function rankCauses({
  byError,
  byStatus,
}: Pick<Measurements['requests'], 'byError' | 'byStatus'>): FailureCause[] {
  const statuses = Object.entries(byStatus).filter(([status]) => !status.startsWith('2'))
  return [...Object.entries(byError), ...statuses]
    .map(([cause, count]) => ({ cause, count }))
    .toSorted((a, b) => b.count - a.count)
}

/**
 * Returns the causes of failed requests, if a budget on failures is broken. Returns nothing in scenarios that expect
 * error responses, because the counts of statuses do not show which responses were expected.
 */
function explainFailures({ requests }: Measurements, budgets: readonly EvaluatedBudget[]): LoadFinding[] {
  const isBroken = budgets.some(
    ({ entry }) => entry.verdict === 'broken' && (entry.metric === 'failed' || entry.metric.endsWith('.failed')),
  )
  const { ok, failed, aborted } = requests
  const causes = rankCauses(requests)
  if (!isBroken || failed === 0 || causes.reduce((sum, { count }) => sum + count, 0) !== failed) return []
  const ended = ok + failed + aborted
  return [{ code: 'requests-failed', params: { failed, ended, causes: causes.slice(0, MAX_CAUSES) } }]
}

/** Returns the status of all responses, or null if the statuses differ or a request received no response. */
function onlyStatus({ byStatus, byError }: Measurements['requests']): number | null {
  const [status, ...others] = Object.keys(byStatus)
  const isOnly = others.length === 0 && Object.keys(byError).length === 0
  return status === undefined || !isOnly ? null : Number(status)
}

function findDropped(measurements: Measurements): LoadFinding | undefined {
  const { dropped, planned } = measurements.requests
  if (dropped === 0) return undefined
  return { code: 'requests-dropped', params: { dropped, planned, open: countOpen(measurements) } }
}

/** Returns the maximum number of requests that were in progress at once. */
function countOpen({ series }: Measurements): number {
  return Math.max(0, ...series.map(({ inFlight }) => inFlight))
}

function findDelayed(measurements: Measurements): LoadFinding | undefined {
  const { requests, metrics } = measurements
  const delays = listEntries(metrics).flatMap(([, { startLagMs }]) => startLagMs ?? [])
  if (requests.planned === null || delays.length === 0) return undefined
  const { n, histogram } = mergeFigures(delays)
  const allowed = Math.max(MIN_ALLOWED_DELAYED, Math.floor(n / 100))
  if (allowed >= n) return undefined
  const delayMs = roundMs(getPercentileMs(decodeHistogram(histogram), (100 * (n - allowed)) / n))
  if (delayMs <= MAX_SCHEDULING_DELAY_MS) return undefined
  const params = { allowed, requests: n, delayMs, maxDelayMs: MAX_SCHEDULING_DELAY_MS, open: countOpen(measurements) }
  return { code: 'requests-delayed', params }
}

function reportViolations({ validation: { violations, streams } }: Measurements): LoadFinding[] {
  return violations.map((violation) => ({ code: 'stream-violation', params: { ...violation, streams } }))
}

/** The missing end of a stream, keyed by the kind of violation. */
const STREAM_ENDS: Readonly<Record<string, string>> = { 'done-missing': '[DONE]', 'finish-missing': 'a finish_reason' }

/**
 * Finds streams that lack an ending that other streams of the run had. The specification leaves the ending open, but
 * these streams were cut short, even if the connection was closed properly.
 */
function findStreamsCutShort({ validation, requests }: Measurements): LoadFinding[] {
  const whole = requests.byOperation['chat-stream']?.ok ?? 0
  return validation.violations.flatMap(({ kind, count }) => {
    const missing = STREAM_ENDS[kind]
    return missing === undefined || count >= whole
      ? []
      : [{ code: 'streams-cut-short', params: { count, streams: whole, missing } }]
  })
}

/** Returns findings for failed checks of the scenario. They fail the run for any target. */
function reportFailedChecks({ validation }: Measurements): LoadFinding[] {
  const failed = validation.checks.filter(({ fails }) => fails > 0)
  return failed.map(({ name, passes, fails }) => ({
    code: 'check-failed',
    params: { check: name, fails, tested: passes + fails },
  }))
}

function reportUntestedChecks({ validation }: Measurements): LoadFinding[] {
  const untested = validation.checks.filter(({ passes, fails }) => passes + fails === 0)
  return untested.map(({ name }) => ({ code: 'check-not-tested', params: { check: name } }))
}
