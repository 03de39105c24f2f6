import type { LoadDocument, LoadVerdict } from '../../reports/load-document.ts'
import type {
  LoadBudget,
  LoadOverload,
  LoadSearch,
  LoadSearchEnd,
  LoadSearchLatency,
  LoadSearchStep,
} from '../../reports/load-parts-document.ts'
import { nameBudget } from '../../common/format-budget.ts'
import { buildDocument, describePlan } from '../build-document.ts'
import { addCredits } from '../credits/units.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { describeBrokenBudget } from '../findings/run-findings.ts'
import { roundMs } from '../metrics/histogram.ts'
import { createEmptyMeasurements, listEntries, type Measurements } from '../metrics/measurements.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import type { RunContext } from '../options/load-context.ts'
import type { LoadPlan, SearchPlan } from '../plan/load-plan.ts'
import type { OpenedTarget } from '../target/open-target.ts'
import { formatBudget, parseBudget } from '../verdict/parse-budget.ts'
import { rankCauses } from '../verdict/verdict.ts'
import { evaluateRuns } from './evaluate-runs.ts'
import { isProven, type LevelBounds, type SearchResult, type SearchStep } from './search-levels.ts'
import { listSteadySeconds, sumOf, summarizeTtft } from './steady-load.ts'

/** A run of a search. */
export interface Run {
  readonly document: LoadDocument
  /** Seconds from the start of the run to the end of its load. */
  readonly endS: number
}

/** Reasons for which a search ends before its algorithm does. */
export type RunEnd = Exclude<LoadSearchEnd, 'resolution' | 'max-level' | 'no-level' | 'uncertain' | 'generator'>

/**
 * Builds the document of a search. It describes the runs at the highest level that holds, or at the lowest measured level
 * if none holds, and lists all steps.
 */
export function describeSearch(
  plan: LoadPlan & { readonly search: SearchPlan },
  context: RunContext,
  {
    result: { steps, end, bounds },
    all,
    overload,
    target,
    startedAtUnixMs,
  }: {
    readonly result: SearchResult<Run, RunEnd>
    readonly all: readonly LoadDocument[]
    readonly overload: LoadOverload | null
    readonly target: OpenedTarget
    readonly startedAtUnixMs: number
  },
): LoadDocument {
  const { budgets, search } = plan
  const shown = steps.find(({ level }) => level === bounds.from) ?? steps[0]
  const documents = shown === undefined ? all.slice(-1) : listDocuments(shown)
  const evaluated = documents.length === 0 ? undefined : evaluateRuns(documents, budgets)
  const [last] = documents
  const described: LoadSearch = {
    capacity: { from: bounds.from ?? null, to: bounds.to ?? null, unit: search.unit },
    resolutionPercent: roundMs(100 * search.resolution),
    end,
    durationS: Math.round((Date.now() - startedAtUnixMs) / 1000),
    credits: addCredits(all.map(({ credits }) => credits.ledger ?? credits.counted)),
    steps: steps.map((step) => describeStep(step, budgets, step.level > (bounds.from ?? 0))),
    overload,
  }
  const okPerSecond = described.steps.find(({ level }) => level === shown?.level)?.okPerSecond ?? null
  const explained = end === 'no-success' || end === 'run-failed' ? all.at(-1) : undefined
  const document = buildDocument(
    evaluated?.measurements ?? createEmptyMeasurements(startedAtUnixMs, Date.now()),
    {
      verdict: determineVerdict(end, bounds),
      findings: [
        describeEnd(described, search.options.find.map(spaceBudget)),
        ...(overload === null ? [] : [describeAbove(overload, described)]),
      ],
      budgets: evaluated?.budgets ?? [],
    },
    {
      ...describePlan(plan, context, target.entry),
      profile: 'find',
      ...(last === undefined ? {} : { credits: last.credits, calibration: last.calibration, settings: last.settings }),
      search: described,
      ...(okPerSecond === null ? {} : { okPerSecond }),
    },
  )
  return {
    ...document,
    reasons: [...document.reasons, ...(explained?.reasons ?? [])],
    findings: [...document.findings, ...(explained?.findings ?? [])],
  }
}

/** Formats a budget like those in reports: `ttft.p99 <= 300 ms`. */
function spaceBudget(text: string): string {
  return formatBudget(parseBudget(text))
    .replace(/([<>]=)([\d.]+)/, ' $1 $2 ')
    .trimEnd()
}

function listDocuments({ runs }: SearchStep<Run>): LoadDocument[] {
  return runs.map(({ run }) => run.document)
}

/** An interval is a result, whatever ended the search, unless the user or an error did. */
function determineVerdict(end: LoadSearchEnd, { from, to }: LevelBounds): LoadVerdict {
  if (end === 'run-failed') return 'harness-error'
  if (end === 'interrupted' || end === 'no-success') return 'incomplete'
  if (end === 'no-level') return 'budget-broken'
  if (end === 'max-level' || (from !== undefined && to !== undefined)) return 'within-budgets'
  return end === 'generator' ? 'invalid' : 'incomplete'
}

/** Describes the result of a search, or the reason why it has none. `budgets` are those that the user gave. */
export function describeEnd(
  { capacity, end, steps, resolutionPercent }: Pick<LoadSearch, 'capacity' | 'end' | 'steps' | 'resolutionPercent'>,
  budgets: readonly string[],
): LoadFinding {
  const { from, to, unit } = capacity
  const at = (level: number | null) => steps.find((step) => step.level === level)
  const broken = describeBroken(at(to ?? steps[0]?.level ?? null)?.budgets ?? [])
  const held = at(from)
  const measured = unit === 'parallel streams' ? held?.okPerSecond : held?.inFlight
  const other = measured === undefined || measured === null ? null : roundFigure(measured)
  const load = { unit, other, budgets }
  if (end === 'max-level') return { code: 'capacity-above-max-level', params: { from: from ?? 0, ...load } }
  if (end === 'no-level') return { code: 'no-level-holds', params: { level: steps[0]?.level ?? 0, unit, broken } }
  if (from === null || to === null || end === 'interrupted' || end === 'no-success' || end === 'run-failed') {
    return { code: 'search-ended', params: { end: end === 'resolution' ? 'uncertain' : end, from, to, unit } }
  }
  const isWhole = unit === 'parallel streams' && to === from + 1
  const isNarrow = isWhole || to <= from * (1 + resolutionPercent / 100) * (1 + 1e-9)
  const hasRunsBetween = steps.some(({ level }) => level > from && level < to)
  const reason = end !== 'resolution' && end !== 'uncertain' ? end : hasRunsBetween ? 'inconclusive' : null
  return { code: 'capacity-found', params: { from, to, isNarrow, ...load, broken, end: isNarrow ? null : reason } }
}

/** Rounds to three significant digits. */
function roundFigure(value: number): number {
  return Number(value.toPrecision(3))
}

function describeBroken(budgets: readonly LoadBudget[]): string | null {
  const broken = budgets.find(
    ({ verdict, actual, limit }) => verdict === 'broken' || (actual !== null && actual > limit),
  )
  return broken === undefined ? null : describeBrokenBudget({ ...broken, metric: nameBudget(broken) })
}

function describeAbove(overload: LoadOverload, { capacity, steps }: LoadSearch): LoadFinding {
  const { level, ok, failed, okPerSecond, ttft, recoveryMetrics, recoveredAfterS, recoveryS, recoveryLevel } = overload
  const held = steps.find((step) => step.level === capacity.from)
  return {
    code: 'behaviour-above-capacity',
    params: {
      level,
      unit: capacity.unit,
      durationS: overload.durationS,
      ended: ok + failed,
      failed,
      causes: rankCauses(overload),
      okPerSecond,
      okPerSecondAtCapacity: held?.okPerSecond ?? null,
      ttftP50Ms: ttft?.p50Ms ?? null,
      ttftP50MsAtCapacity: held?.ttft?.p50Ms ?? null,
      recoveryLevel,
      recoveryS,
      recoveryMetrics,
      recoveredAfterS,
    },
  }
}

/** Share of the successful requests of a level that must have been sent under steady load for figures of all requests. */
const MIN_STEADY_SHARE = 0.9

/** @param isAbove whether the level is above all that hold. Requests of the steady load may then wait longer than the first. */
function describeStep(step: SearchStep<Run>, budgets: LoadPlan['budgets'], isAbove: boolean): LoadSearchStep {
  const { level, runs } = step
  const evaluated = evaluateRuns(listDocuments(step), budgets)
  const { requests } = evaluated.measurements
  const good = listEntries(requests.byOperation).reduce((sum, [, counts]) => sum + counts.good, 0)
  const steady = runs.flatMap(({ run: { document, endS } }) => listSteadySeconds(document.series, endS))
  const meanOf = (field: 'ok' | 'inFlight') => (steady.length === 0 ? null : sumOf(steady, field) / steady.length)
  const okPerSecond = meanOf('ok')
  const inFlight = meanOf('inFlight')
  const isKnown = !isAbove || sumOf(steady, 'ok') >= MIN_STEADY_SHARE * requests.ok
  return {
    level,
    outcome: isProven(step) ? 'holds' : evaluated.outcome,
    runs: runs.length,
    sent: requests.sent,
    failed: requests.failed,
    stopped: requests.aborted,
    byStatus: requests.byStatus,
    byError: requests.byError,
    okPerSecond: okPerSecond === null ? null : roundMs(okPerSecond),
    goodPerSecond: okPerSecond === null || !isKnown ? null : roundMs((okPerSecond * good) / requests.ok),
    inFlight: inFlight === null ? null : roundMs(inFlight),
    ttft: isAbove ? summarizeTtft(steady) : latencyOf(evaluated.measurements, 'ttftMs'),
    e2e: isKnown ? latencyOf(evaluated.measurements, 'e2eMs') : null,
    budgets: evaluated.budgets,
  }
}

function latencyOf({ metrics }: Measurements, metric: 'ttftMs' | 'e2eMs'): LoadSearchLatency | null {
  const figures = listEntries(metrics).flatMap(([, own]) => own[metric] ?? [])
  if (figures.length === 0) return null
  const { p50, p90, p99 } = mergeFigures(figures)
  return { p50Ms: Math.max(0, p50), p90Ms: Math.max(0, p90), p99Ms: Math.max(0, p99) }
}
