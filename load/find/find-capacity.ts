import type { LoadDocument, LoadVerdict } from '../../reports/load-document.ts'
import type { LoadBudget, LoadSearchEnd, LoadSearchLatency, LoadSearchStep } from '../../reports/load-parts-document.ts'
import { parseCredits } from '../../scenarios/lib/credits.ts'
import { buildDocument } from '../build-document.ts'
import { calculateMaxSpentUnits } from '../credits/bound-spent-units.ts'
import { addCredits, formatUnits } from '../credits/units.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { measureLoad } from '../measure-load.ts'
import { createEmptyMeasurements, listEntries, type Measurements } from '../metrics/measurements.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import { roundMs } from '../metrics/histogram.ts'
import type { RunContext } from '../options/load-context.ts'
import type { LoadPlan, SearchPlan } from '../plan/load-plan.ts'
import type { OpenedTarget } from '../target/open-target.ts'
import { evaluateRuns } from './evaluate-runs.ts'
import { planRun } from './plan-search.ts'
import { findBounds, type RateBounds, type SearchResult, searchRate } from './search-rate.ts'

interface Run {
  readonly document: LoadDocument
  readonly plannedS: number
}

type RunEnd = Exclude<LoadSearchEnd, 'resolution' | 'max-rate' | 'no-rate' | 'uncertain' | 'generator'>

/** Searches for the highest rate at which the budgets of a plan hold. Each step consists of one or more load runs. */
export async function findCapacity(
  plan: LoadPlan & { readonly search: SearchPlan },
  context: RunContext,
  { k6, target }: { readonly k6: string; readonly target: OpenedTarget },
): Promise<LoadDocument> {
  const { search, budgets } = plan
  const { options } = search
  const startedAtUnixMs = Date.now()
  const all: LoadDocument[] = []

  const run = async (rate: number, _count: number, bounds: RateBounds): Promise<Run | { end: RunEnd }> => {
    if (context.signal.aborted) return { end: 'interrupted' }
    const leftUnits = getRemainingUnits(options.maxCredits, all)
    const maxCredits = leftUnits === undefined ? undefined : formatUnits(leftUnits)
    const next = await planRun(options, rate, { count: all.length, maxCredits })
    if (leftUnits !== undefined && (next.estimate.units ?? 0) > leftUnits) return { end: 'spend-limit' }
    const plannedS = next.settings.stages.reduce((sum, { durationS }) => sum + durationS, 0)
    if ((Date.now() - startedAtUnixMs) / 1000 + plannedS > search.maxDurationS) return { end: 'max-duration' }
    context.onSearch?.({ state: 'started', rate, plan: next, bounds })
    const document = await measureLoad({ plan: next, notes: [] }, context, { k6, target })
    all.push(document)
    if (context.signal.aborted) return { end: 'interrupted' }
    if (document.verdict === 'harness-error') return { end: 'run-failed' }
    if (all.every(({ requests }) => requests.ok === 0)) return { end: 'no-success' }
    const { outcome, budgets: measured } = evaluateRuns([document], budgets)
    context.onSearch?.({ state: 'ended', rate, plan: next, bounds, outcome, budgets: measured })
    return { document, plannedS }
  }

  const result = await searchRate<Run, RunEnd>(search, {
    run,
    evaluate: (runs) =>
      evaluateRuns(
        runs.map(({ document }) => document),
        budgets,
      ).outcome,
  })
  return describe(plan, context, { result, all, target, startedAtUnixMs })
}

/** Returns the remaining spend limit in units, or undefined if there is no limit. */
function getRemainingUnits(maxCredits: string | undefined, all: readonly LoadDocument[]): number | undefined {
  const maxUnits = parseCredits(maxCredits ?? '')
  if (maxUnits === undefined) return undefined
  const spent = all.map(({ credits, requests }) => {
    const ledgerUnits = parseCredits(credits.ledger ?? '')
    if (ledgerUnits !== undefined) return ledgerUnits
    return calculateMaxSpentUnits({
      countedUnits: parseCredits(credits.counted ?? '') ?? 0,
      maxUnits: parseCredits(credits.estimate ?? '') ?? 0,
      promptTokens: Object.values(credits.tokens).reduce((sum, { prompt }) => sum + prompt, 0),
      sent: requests.sent,
      failed: requests.failed + requests.aborted,
    })
  })
  return Math.max(0, maxUnits - spent.reduce((sum, units) => sum + units, 0))
}

/**
 * Builds the document of a search. It describes the runs at the highest rate that holds, or at the lowest measured rate
 * if none holds, and lists all steps.
 */
function describe(
  { budgets, settings, estimate, search }: LoadPlan & { readonly search: SearchPlan },
  { toolVersion, nameOption }: RunContext,
  {
    result,
    all,
    target,
    startedAtUnixMs,
  }: {
    readonly result: SearchResult<Run, RunEnd>
    readonly all: readonly LoadDocument[]
    readonly target: OpenedTarget
    readonly startedAtUnixMs: number
  },
): LoadDocument {
  const { options } = search
  const { end } = result
  const steps = result.steps.toSorted((a, b) => a.rate - b.rate)
  const bounds = findBounds(steps)
  const shown = steps.find(({ rate }) => rate === bounds.holdsAt) ?? steps[0]
  const documents = shown?.runs.map(({ document }) => document) ?? all.slice(-1)
  const evaluated = documents.length === 0 ? undefined : evaluateRuns(documents, budgets)
  const described = steps.map((step) => describeStep(step, budgets))
  const verdict = verdictOf(end, bounds)
  const explanation = isUnfinished(end) ? (all.at(-1)?.findings ?? []) : []
  const [last] = documents
  const measurements = evaluated?.measurements ?? createEmptyMeasurements(startedAtUnixMs, Date.now())
  const document = buildDocument(
    measurements,
    { verdict, findings: [describeEnd(end, bounds, described)], budgets: evaluated?.budgets ?? [] },
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
      search: {
        holdsAtRate: bounds.holdsAt ?? null,
        brokenAtRate: bounds.brokenAt ?? null,
        resolutionPercent: roundMs(100 * search.resolution),
        end,
        credits: addCredits(all.map(({ credits }) => credits.ledger ?? credits.counted)),
        steps: described,
      },
    },
  )
  return {
    ...document,
    reasons: [...document.reasons, ...(explanation.length === 0 ? [] : (all.at(-1)?.reasons ?? []))],
    findings: [...document.findings, ...explanation],
  }
}

function isUnfinished(end: LoadSearchEnd): boolean {
  return end === 'no-success' || end === 'run-failed'
}

function verdictOf(end: LoadSearchEnd, { holdsAt }: RateBounds): LoadVerdict {
  switch (end) {
    case 'resolution':
    case 'max-rate':
      return holdsAt === undefined ? 'budget-broken' : 'within-budgets'
    case 'no-rate':
      return 'budget-broken'
    case 'generator':
      return 'invalid'
    case 'run-failed':
      return 'harness-error'
    case 'max-duration':
    case 'spend-limit':
    case 'no-success':
    case 'uncertain':
    case 'interrupted':
      return 'incomplete'
  }
}

function describeEnd(
  end: LoadSearchEnd,
  { holdsAt, brokenAt }: RateBounds,
  steps: readonly LoadSearchStep[],
): LoadFinding {
  const broken = describeBroken(steps.find(({ rate }) => rate === brokenAt)?.budgets ?? [])
  if (end === 'max-rate') return { code: 'capacity-above-max-rate', params: { rate: holdsAt ?? 0 } }
  if (end === 'no-rate') return { code: 'no-rate-holds', params: { rate: brokenAt ?? 0, broken } }
  if (end === 'uncertain') return { code: 'search-ended', params: { end, holdsAtRate: null, brokenAtRate: null } }
  if (end === 'resolution') {
    return { code: 'capacity-found', params: { rate: holdsAt ?? 0, brokenAtRate: brokenAt ?? 0, broken } }
  }
  return { code: 'search-ended', params: { end, holdsAtRate: holdsAt ?? null, brokenAtRate: brokenAt ?? null } }
}

function describeBroken(budgets: readonly LoadBudget[]): string | null {
  const broken = budgets.find(({ verdict }) => verdict === 'broken')
  if (broken === undefined) return null
  const { metric, statistic, op, limit, unit, actual } = broken
  const withUnit = (value: number | null) => `${value}${unit === '' ? '' : ` ${unit}`}`
  return `${metric}.${statistic} is ${withUnit(actual)}; the budget is ${op} ${withUnit(limit)}`
}

function describeStep(
  { rate, runs, outcome }: SearchResult<Run, RunEnd>['steps'][number],
  budgets: LoadPlan['budgets'],
): LoadSearchStep {
  const evaluated = evaluateRuns(
    runs.map(({ document }) => document),
    budgets,
  )
  const { requests } = evaluated.measurements
  return {
    rate,
    outcome,
    runs: runs.length,
    sent: requests.sent,
    failed: requests.failed,
    okPerSecond: roundMs(runs.reduce((sum, run) => sum + calculateSteadyRate(run), 0) / runs.length),
    maxInFlight: Math.max(0, ...runs.flatMap(({ document }) => document.series.map(({ inFlight }) => inFlight))),
    ttft: latencyOf(evaluated.measurements, 'ttftMs'),
    e2e: latencyOf(evaluated.measurements, 'e2eMs'),
    budgets: evaluated.budgets,
  }
}

/** Fraction of a run at its start during which the number of requests in flight may still grow. */
const GROWTH_SHARE = 0.25

/** Returns the successful requests per second of a run, from the end of its first quarter to its planned end. */
function calculateSteadyRate({ document, plannedS }: Run): number {
  const [fromS, toS] = [Math.floor(plannedS * GROWTH_SHARE), Math.floor(plannedS)]
  const ok = document.series.reduce((sum, { atS, ok: count }) => (atS >= fromS && atS < toS ? sum + count : sum), 0)
  return toS <= fromS ? 0 : ok / (toS - fromS)
}

function latencyOf({ metrics }: Measurements, metric: 'ttftMs' | 'e2eMs'): LoadSearchLatency | null {
  const figures = listEntries(metrics).flatMap(([, own]) => own[metric] ?? [])
  if (figures.length === 0) return null
  const { p50, p90, p99 } = mergeFigures(figures)
  return { p50Ms: Math.max(0, p50), p90Ms: Math.max(0, p90), p99Ms: Math.max(0, p99) }
}
