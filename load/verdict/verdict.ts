import type { LoadBudget, LoadVerdict } from '../../reports/load-document.ts'
import { listEntries, type Measurements } from '../metrics/measurements.ts'
import { decodeHistogram, percentileMs, roundMs } from '../metrics/histogram.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import type { Budget } from './budget.ts'
import { evaluateBudgets } from './evaluate-budgets.ts'

/** Exit code of the command for each verdict; 2 is wrong usage, without a document. */
export const EXIT_CODES: Readonly<Record<LoadVerdict, number>> = {
  'within-budgets': 0,
  'budget-broken': 1,
  incomplete: 3,
  invalid: 3,
  'harness-error': 4,
}

/**
 * A plan was kept when no request was dropped, and at most one in a hundred (and two in any case) had a longer scheduling delay. With a
 * budget on `start_lag`, that budget decides.
 */
const MAX_SCHEDULING_DELAY_MS = 100
const MIN_ALLOWED_DELAYED = 2

/** Reason in the document of a run that was ended early. */
export const ENDED_EARLY = 'The run was ended early: its figures are those of a part.'

/** Inputs of a verdict apart from measurements and budgets. */
export interface RunConditions {
  /** The target is the emulator: every finding in its streams fails the run. */
  readonly isEmulator: boolean
  /** The run was ended early. */
  readonly isInterrupted: boolean
  /** What went wrong with the load generator, one sentence. */
  readonly generatorProblem?: string | undefined
  /** Further reasons why the run is incomplete, one sentence each. */
  readonly gaps?: readonly string[]
  /** Further contradictions, one sentence each: credits that do not add up. */
  readonly contradictions?: readonly string[]
  /** Remarks without influence on the verdict, one sentence each. */
  readonly notes?: readonly string[]
}

/** The verdict on a run, with a sentence for each reason. */
export interface RunEvaluation {
  readonly verdict: LoadVerdict
  readonly reasons: readonly string[]
  readonly budgets: readonly LoadBudget[]
}

/** Determines the verdict on a run. Of several verdicts, the one whose exit code comes first in 1, 4, 3, 0 applies. */
export function determineVerdict(
  measurements: Measurements,
  budgets: readonly Budget[],
  conditions: RunConditions,
): RunEvaluation {
  const { isInterrupted, generatorProblem, gaps = [], contradictions = [], notes = [] } = conditions
  const noSuccess = generatorProblem === undefined ? findNoSuccess(measurements) : undefined
  const hasDelayBudget = budgets.some((budget) => budget.kind === 'latency' && budget.metric === 'start_lag')
  const planProblem = isInterrupted
    ? undefined
    : (findDropped(measurements) ?? (hasDelayBudget ? undefined : findDelayed(measurements)))
  const evaluated = evaluateBudgets(budgets, measurements, { isPlanKept: planProblem === undefined })
  if (noSuccess !== undefined) {
    const entries = evaluated.map(({ entry }) => ({ ...entry, verdict: 'not measurable' as const }))
    const early = isInterrupted ? [ENDED_EARLY] : []
    return { verdict: 'incomplete', reasons: [...early, ...gaps, noSuccess], budgets: entries }
  }
  const is = (verdict: LoadBudget['verdict']) => evaluated.some(({ entry }) => entry.verdict === verdict)
  const ofStreams = conditions.isEmulator
    ? violationReasons(measurements, () => true)
    : [...brokenOffStreams(measurements), ...violationReasons(measurements, isWrongAnywhere)]
  const violations = [...ofStreams, ...failedChecks(measurements)]
  const untested = untestedChecks(measurements)
  const isInvalid = planProblem !== undefined || evaluated.some((budget) => budget.isInvalid)
  const isIncomplete =
    isInterrupted || gaps.length + untested.length > 0 || is('insufficient samples') || is('not measurable')
  return {
    verdict: firstOf([
      ['budget-broken', is('broken') || violations.length + contradictions.length > 0],
      ['harness-error', generatorProblem !== undefined],
      ['invalid', isInvalid],
      ['incomplete', isIncomplete],
    ]),
    reasons: [
      ...(generatorProblem === undefined ? [] : [generatorProblem]),
      ...(planProblem === undefined ? [] : [planProblem]),
      ...evaluated.flatMap(({ reason }) => (reason === null ? [] : [reason])),
      ...violations,
      ...contradictions,
      ...(isInterrupted ? [ENDED_EARLY] : []),
      ...untested,
      ...gaps,
      ...notes,
    ],
    budgets: evaluated.map(({ entry }) => entry),
  }
}

function firstOf(candidates: readonly (readonly [LoadVerdict, boolean])[]): LoadVerdict {
  return candidates.find(([, applies]) => applies)?.[0] ?? 'within-budgets'
}

/** A run without a successful response has nothing to evaluate. */
function findNoSuccess({ requests }: Measurements): string | undefined {
  if (requests.ok + requests.aborted > 0) return undefined
  if (requests.sent === 0) return 'No request was sent.'
  const causes = [...Object.entries(requests.byError), ...Object.entries(requests.byStatus)]
  const list = causes.toSorted(([, a], [, b]) => b - a).map(([cause, count]) => `${count} × ${cause}`)
  return `Not one of ${requests.sent} requests was answered as it should${list.length === 0 ? '' : ` (${list.slice(0, 5).join(', ')})`}: there is nothing to judge${remedyFor(requests)}`
}

/** Advice if all responses have the same status. */
const STATUS_REMEDIES: Readonly<Record<string, string>> = {
  401: '; give a key that the target knows (--key).',
  402: '; give a key with credits (--key).',
  404: '; is the base address right, and is there such a model?',
}

function remedyFor({ byStatus, byError }: Measurements['requests']): string {
  const [status = '', ...others] = Object.keys(byStatus)
  const isOne = others.length === 0 && Object.keys(byError).length === 0
  return (isOne ? STATUS_REMEDIES[status] : undefined) ?? '.'
}

const REMEDY = 'raise --vus, lower --rate, or share the load with --segment'

function findDropped({ requests }: Measurements): string | undefined {
  if (requests.dropped === 0) return undefined
  return `The generator did not keep its plan (${requests.dropped} of ${requests.planned} requests never started), so its figures say nothing of the target: ${REMEDY}.`
}

function findDelayed({ requests, metrics }: Measurements): string | undefined {
  const delays = listEntries(metrics).flatMap(([, { startLagMs }]) => startLagMs ?? [])
  if (requests.planned === null || delays.length === 0) return undefined
  const { n, histogram } = mergeFigures(delays)
  const allowed = Math.max(MIN_ALLOWED_DELAYED, Math.floor(n / 100))
  if (allowed >= n) return undefined
  const delayMs = roundMs(percentileMs(decodeHistogram(histogram), (100 * (n - allowed)) / n))
  return delayMs <= MAX_SCHEDULING_DELAY_MS
    ? undefined
    : `The generator did not keep its plan (more than ${allowed} of ${n} requests started ${delayMs} ms late or more; ${MAX_SCHEDULING_DELAY_MS} ms are allowed), so its figures say nothing of the target: ${REMEDY}.`
}

/** Text of one request in the response to another is wrong for any target. */
function isWrongAnywhere(kind: string): boolean {
  return kind === 'cross-talk'
}

function violationReasons({ oracle }: Measurements, isWrong: (kind: string) => boolean): string[] {
  return oracle.violations
    .filter(({ kind }) => isWrong(kind))
    .map(({ kind, count, example }) => `${kind} (${count} of ${oracle.streams} streams): ${example}`)
}

const ENDS: Readonly<Record<string, string>> = { 'done-missing': '[DONE]', 'finish-missing': 'a finish_reason' }

/**
 * How a stream ends is for its target to say, as the document does not: but what ends otherwise than the others of the same run was
 * broken off, however properly its connection was closed.
 */
function brokenOffStreams({ oracle, requests }: Measurements): string[] {
  const whole = requests.byOperation['chat-stream']?.ok ?? 0
  return oracle.violations.flatMap(({ kind, count }) => {
    const end = ENDS[kind]
    return end === undefined || count >= whole
      ? []
      : [`${count} of ${whole} streams ended without ${end}, which the others had: they were broken off.`]
  })
}

/** A failed check of the scenario fails the run for any target. */
function failedChecks({ oracle }: Measurements): string[] {
  const failed = oracle.checks.filter(({ fails }) => fails > 0)
  return failed.map(({ name, passes, fails }) => `It does not hold that ${name} (${fails} of ${passes + fails}).`)
}

function untestedChecks({ oracle }: Measurements): string[] {
  const untested = oracle.checks.filter(({ passes, fails }) => passes + fails === 0)
  return untested.map(({ name }) => `It was not put to the test that ${name}.`)
}
