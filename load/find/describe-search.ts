import type { LoadDocument, LoadVerdict, SeriesEntry } from '../../reports/load-document.ts'
import type {
  LoadBudget,
  LoadOverload,
  LoadSearch,
  LoadSearchEnd,
  LoadSearchLatency,
  LoadSearchStep,
} from '../../reports/load-parts-document.ts'
import { buildDocument } from '../build-document.ts'
import { addCredits, formatUnits } from '../credits/units.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { roundMs } from '../metrics/histogram.ts'
import { createEmptyMeasurements, listEntries, type Measurements } from '../metrics/measurements.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import type { RunContext } from '../options/load-context.ts'
import type { LoadPlan, SearchPlan } from '../plan/load-plan.ts'
import type { OpenedTarget } from '../target/open-target.ts'
import { formatBudget, parseBudget } from '../verdict/parse-budget.ts'
import { evaluateRuns } from './evaluate-runs.ts'
import { type LevelBounds, type SearchResult } from './search-levels.ts'

/** A run of a search, and the seconds from its start between which its load is steady. */
export interface Run {
  readonly document: LoadDocument
  readonly steadyFromS: number
  readonly steadyToS: number
}

/** Reasons for which a search ends before its algorithm does. */
export type RunEnd = Exclude<LoadSearchEnd, 'resolution' | 'max-level' | 'no-level' | 'uncertain' | 'generator'>

/**
 * Builds the document of a search. It describes the runs at the highest level that holds, or at the lowest measured level
 * if none holds, and lists all steps.
 */
export function describeSearch(
  { budgets, settings, estimate, search }: LoadPlan & { readonly search: SearchPlan },
  { toolVersion, nameOption }: RunContext,
  {
    result: { steps, end, bounds, evidence },
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
  const { options } = search
  const shown = steps.find(({ level }) => level === bounds.from) ?? steps[0]
  const documents = shown === undefined ? all.slice(-1) : documentsOf(shown.runs)
  const evaluated = documents.length === 0 ? undefined : evaluateRuns(documents, budgets)
  const [last] = documents
  const described: LoadSearch = {
    capacity: {
      from: bounds.from ?? null,
      to: bounds.to ?? null,
      unit: search.over === 'streams' ? 'parallel streams' : 'requests per second',
    },
    resolutionPercent: roundMs(100 * search.resolution),
    end,
    durationS: Math.round((Date.now() - startedAtUnixMs) / 1000),
    credits: addCredits(all.map(({ credits }) => credits.ledger ?? credits.counted)),
    steps: steps.map((step) => describeStep(step, budgets)),
    overload,
  }
  const explained = end === 'no-success' || end === 'run-failed' ? all.at(-1) : undefined
  const document = buildDocument(
    evaluated?.measurements ?? createEmptyMeasurements(startedAtUnixMs, Date.now()),
    {
      verdict: determineVerdict(end, bounds),
      findings: [
        describeEnd(
          described,
          options.find.map((text) =>
            formatBudget(parseBudget(text))
              .replace(/([<>]=)([\d.]+)/, ' $1 $2 ')
              .trimEnd(),
          ),
        ),
        ...(overload === null ? [] : [describeAbove(overload, described)]),
      ],
      budgets: (evidence.length === 0 ? evaluated : evaluateRuns(documentsOf(evidence), budgets))?.budgets ?? [],
    },
    {
      toolVersion,
      nameOption,
      target: last?.target ?? { ...target.entry, models: settings.models },
      scenario: options.scenario,
      profile: 'find',
      arrivals: settings.arrivals,
      credits: {
        estimate: estimate.units === null ? null : formatUnits(estimate.units),
        counted: null,
        ledger: null,
        tokens: {},
        ...last?.credits,
      },
      calibration: last?.calibration ?? null,
      settings: last?.settings ?? {},
      search: described,
    },
  )
  return {
    ...document,
    reasons: [...document.reasons, ...(explained?.reasons ?? [])],
    findings: [...document.findings, ...(explained?.findings ?? [])],
  }
}

function documentsOf(runs: readonly Run[]): LoadDocument[] {
  return runs.map(({ document }) => document)
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
  const other = held === undefined ? 0 : roundFigure(unit === 'parallel streams' ? held.okPerSecond : held.inFlight)
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
  if (broken === undefined) return null
  const { metric, statistic, op, limit, unit, actual } = broken
  const withUnit = (value: number | null) => `${value}${unit === '' ? '' : ` ${unit}`}`
  return `${metric}.${statistic} is ${withUnit(actual)}; the budget is ${op} ${withUnit(limit)}`
}

function describeAbove(
  {
    level,
    ok,
    failed,
    ttft,
    byStatus,
    byError,
    recoveryMetrics,
    recoveredAfterS,
    recoveryS,
    recoveryLevel,
  }: LoadOverload,
  { capacity, steps }: LoadSearch,
): LoadFinding {
  const held = steps.find((step) => step.level === capacity.from)
  const causes = [...Object.entries(byStatus).filter(([status]) => !status.startsWith('2')), ...Object.entries(byError)]
  return {
    code: 'behaviour-above-capacity',
    params: {
      level,
      unit: capacity.unit,
      ended: ok + failed,
      failed,
      causes: causes.map(([cause, count]) => ({ cause, count })).toSorted((a, b) => b.count - a.count),
      ttftP50Ms: ttft?.p50Ms ?? null,
      ttftP50MsAtCapacity: held?.ttft?.p50Ms ?? null,
      recoveryLevel,
      recoveryS,
      recoveryMetrics,
      recoveredAfterS,
    },
  }
}

function describeStep(
  { level, runs, outcome }: SearchResult<Run, RunEnd>['steps'][number],
  budgets: LoadPlan['budgets'],
): LoadSearchStep {
  const evaluated = evaluateRuns(documentsOf(runs), budgets)
  const { requests } = evaluated.measurements
  const good = listEntries(requests.byOperation).reduce((sum, [, counts]) => sum + counts.good, 0)
  const steady = runs.flatMap(listSteadySeconds)
  const okPerSecond = meanOf(steady.map(({ ok }) => ok))
  return {
    level,
    outcome,
    runs: runs.length,
    sent: requests.sent,
    failed: requests.failed,
    byStatus: requests.byStatus,
    byError: requests.byError,
    okPerSecond: roundMs(okPerSecond),
    goodPerSecond: roundMs(requests.ok === 0 ? 0 : (okPerSecond * good) / requests.ok),
    inFlight: roundMs(meanOf(steady.map(({ inFlight }) => inFlight))),
    ttft: latencyOf(evaluated.measurements, 'ttftMs'),
    e2e: latencyOf(evaluated.measurements, 'e2eMs'),
    budgets: evaluated.budgets,
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Returns the seconds of a run with a steady load, or the last one if the run ended earlier. */
function listSteadySeconds({ document: { series, durationMs }, steadyFromS, steadyToS }: Run): SeriesEntry[] {
  const endS = Math.floor(Math.min(steadyToS, durationMs / 1000))
  const startS = Math.min(Math.ceil(steadyFromS), endS - 1)
  return series.filter(({ atS }) => atS >= startS && atS < endS)
}

function latencyOf({ metrics }: Measurements, metric: 'ttftMs' | 'e2eMs'): LoadSearchLatency | null {
  const figures = listEntries(metrics).flatMap(([, own]) => own[metric] ?? [])
  if (figures.length === 0) return null
  const { p50, p90, p99 } = mergeFigures(figures)
  return { p50Ms: Math.max(0, p50), p90Ms: Math.max(0, p90), p99Ms: Math.max(0, p99) }
}
