import type { LoadBudget, LoadVerdict } from '../../reports/load-document.ts'
import { entriesOf, type Facts } from '../metrics/measurements.ts'
import { decodeHistogram, percentileMs, roundMs } from '../metrics/histogram.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import type { Budget } from './budget.ts'
import { judgeBudgets } from './evaluate-budgets.ts'

/**
 * A plan counts as kept when nothing was dropped, and no more than one request in a hundred, and two in any case, started later
 * than this. Whoever sets a budget on the start lag says for himself what is late.
 */
const MOST_START_LAG_MS = 100
const LATE_IN_ANY_CASE = 2

/** The reason by which a document tells that somebody ended its run. */
export const ENDED_EARLY = 'The run was ended early: its figures are those of a part.'

/** What bears on a verdict beside the facts. */
export interface Circumstances {
  /** The emulator answered: what its streams did wrong then fails, as its own record can be trusted. */
  readonly isEmulator: boolean
  /** Somebody ended the run early. */
  readonly isInterrupted: boolean
  /** The generator itself went wrong, one sentence. */
  readonly harnessProblem?: string | undefined
  /** Further reasons why the run says less than it should, one sentence each. */
  readonly gaps?: readonly string[]
  /** Further contradictions, one sentence each: credits that do not add up. */
  readonly contradictions?: readonly string[]
  /** What is worth knowing and decides nothing, one sentence each. */
  readonly notes?: readonly string[]
}

/** The verdict on a run, with a sentence for everything that made it so. */
export interface Judgement {
  readonly verdict: LoadVerdict
  readonly reasons: readonly string[]
  readonly budgets: readonly LoadBudget[]
}

/** Judges facts. Of several verdicts the one with the exit code that comes first in 1, 4, 3, 0. */
export function judge(facts: Facts, budgets: readonly Budget[], circumstances: Circumstances): Judgement {
  const { isInterrupted, harnessProblem, gaps = [], contradictions = [], notes = [] } = circumstances
  const nothing = harnessProblem === undefined ? findNothing(facts) : undefined
  const hasLagBudget = budgets.some((budget) => budget.kind === 'latency' && budget.metric === 'start_lag')
  const planProblem = isInterrupted ? undefined : (findDropped(facts) ?? (hasLagBudget ? undefined : findLate(facts)))
  const judged = judgeBudgets(budgets, facts, { isPlanKept: planProblem === undefined })
  if (nothing !== undefined) {
    const entries = judged.map(({ entry }) => ({ ...entry, verdict: 'not measurable' as const }))
    const early = isInterrupted ? [ENDED_EARLY] : []
    return { verdict: 'incomplete', reasons: [...early, ...gaps, nothing], budgets: entries }
  }
  const is = (verdict: LoadBudget['verdict']) => judged.some(({ entry }) => entry.verdict === verdict)
  const ofStreams = circumstances.isEmulator
    ? violationReasons(facts, () => true)
    : [...brokenOffStreams(facts), ...violationReasons(facts, isWrongAnywhere)]
  const violations = [...ofStreams, ...failedChecks(facts)]
  const untested = untestedChecks(facts)
  const isInvalid = planProblem !== undefined || judged.some((budget) => budget.isInvalid)
  const isIncomplete =
    isInterrupted || gaps.length + untested.length > 0 || is('insufficient samples') || is('not measurable')
  return {
    verdict: firstOf([
      ['budget-broken', is('broken') || violations.length + contradictions.length > 0],
      ['harness-error', harnessProblem !== undefined],
      ['invalid', isInvalid],
      ['incomplete', isIncomplete],
    ]),
    reasons: [
      ...(harnessProblem === undefined ? [] : [harnessProblem]),
      ...(planProblem === undefined ? [] : [planProblem]),
      ...judged.flatMap(({ reason }) => (reason === null ? [] : [reason])),
      ...violations,
      ...contradictions,
      ...(isInterrupted ? [ENDED_EARLY] : []),
      ...untested,
      ...gaps,
      ...notes,
    ],
    budgets: judged.map(({ entry }) => entry),
  }
}

function firstOf(candidates: readonly (readonly [LoadVerdict, boolean])[]): LoadVerdict {
  return candidates.find(([, applies]) => applies)?.[0] ?? 'within-budgets'
}

/** Nothing that was answered as it should says anything about budgets. */
function findNothing({ requests }: Facts): string | undefined {
  if (requests.ok + requests.aborted > 0) return undefined
  if (requests.sent === 0) return 'No request was sent.'
  const causes = [...Object.entries(requests.byError), ...Object.entries(requests.byStatus)]
  const list = causes.toSorted(([, a], [, b]) => b - a).map(([cause, count]) => `${count} × ${cause}`)
  return `Not one of ${requests.sent} requests was answered as it should${list.length === 0 ? '' : ` (${list.slice(0, 5).join(', ')})`}: there is nothing to judge${remedyFor(requests)}`
}

/** Where all answers have one status: of these, what to do about it is known. */
const STATUS_REMEDIES: Readonly<Record<string, string>> = {
  401: '; give a key that the target knows (--key).',
  402: '; give a key with credits (--key).',
  404: '; is the base address right, and is there such a model?',
}

function remedyFor({ byStatus, byError }: Facts['requests']): string {
  const [status = '', ...others] = Object.keys(byStatus)
  const isOne = others.length === 0 && Object.keys(byError).length === 0
  return (isOne ? STATUS_REMEDIES[status] : undefined) ?? '.'
}

const REMEDY = 'raise --vus, lower --rate, or share the load with --segment'

function findDropped({ requests }: Facts): string | undefined {
  if (requests.dropped === 0) return undefined
  return `The generator did not keep its plan (${requests.dropped} of ${requests.planned} requests never started), so its figures say nothing of the target: ${REMEDY}.`
}

function findLate({ requests, metrics }: Facts): string | undefined {
  const lags = entriesOf(metrics).flatMap(([, { startLagMs }]) => startLagMs ?? [])
  if (requests.planned === null || lags.length === 0) return undefined
  const { n, histogram } = mergeFigures(lags)
  const allowed = Math.max(LATE_IN_ANY_CASE, Math.floor(n / 100))
  if (allowed >= n) return undefined
  const lagMs = roundMs(percentileMs(decodeHistogram(histogram), (100 * (n - allowed)) / n))
  return lagMs <= MOST_START_LAG_MS
    ? undefined
    : `The generator did not keep its plan (more than ${allowed} of ${n} requests started ${lagMs} ms late or more; ${MOST_START_LAG_MS} ms are allowed), so its figures say nothing of the target: ${REMEDY}.`
}

/** What one request asked for in the answer to another is wrong whatever the shape of streams. */
function isWrongAnywhere(kind: string): boolean {
  return kind === 'cross-talk'
}

function violationReasons({ oracle }: Facts, isWrong: (kind: string) => boolean): string[] {
  return oracle.violations
    .filter(({ kind }) => isWrong(kind))
    .map(({ kind, count, example }) => `${kind} (${count} of ${oracle.streams} streams): ${example}`)
}

const ENDS: Readonly<Record<string, string>> = { 'done-missing': '[DONE]', 'finish-missing': 'a finish_reason' }

/**
 * How a stream ends is for its target to say, as the document does not: but what ends otherwise than the others of the same run was
 * broken off, however properly its connection was closed.
 */
function brokenOffStreams({ oracle, requests }: Facts): string[] {
  const whole = requests.byOperation['chat-stream']?.ok ?? 0
  return oracle.violations.flatMap(({ kind, count }) => {
    const end = ENDS[kind]
    return end === undefined || count >= whole
      ? []
      : [`${count} of ${whole} streams ended without ${end}, which the others had: they were broken off.`]
  })
}

/** What a scenario claims is what it was run for, whatever the target. */
function failedChecks({ oracle }: Facts): string[] {
  const failed = oracle.checks.filter(({ fails }) => fails > 0)
  return failed.map(({ name, passes, fails }) => `It does not hold that ${name} (${fails} of ${passes + fails}).`)
}

function untestedChecks({ oracle }: Facts): string[] {
  const untested = oracle.checks.filter(({ passes, fails }) => passes + fails === 0)
  return untested.map(({ name }) => `It was not put to the test that ${name}.`)
}
