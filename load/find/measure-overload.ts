import type { LoadDocument, SeriesEntry } from '../../reports/load-document.ts'
import type { LoadOverload, LoadSearchEnd } from '../../reports/load-parts-document.ts'
import { planArrivals } from '../../scenarios/lib/plan-arrivals.ts'
import { getPercentileMs, roundMs } from '../metrics/histogram.ts'
import type { LoadOptions } from '../options/load-options.ts'
import type { LoadPlan } from '../plan/load-plan.ts'
import type { Budget } from '../verdict/budget.ts'
import { planRun, type SearchRun } from './plan-search.ts'
import type { LevelBounds } from './search-levels.ts'
import { listSteadySeconds, mergeTtft, sumOf, summarizeTtft } from './steady-load.ts'

/** Load during the overload and after it, as multiples of the highest level that holds. */
const OVERLOAD = 2
const RECOVERY = 0.5
/** Minimum duration of the overload. Rates of a few seconds are not exact. */
const MIN_OVERLOAD_S = 10
/** Duration of the recovery as a multiple of the overload: half the capacity is left for requests that wait. */
const RECOVERY_DURATION = 3

/** Returns whether a search found a capacity, and whether its limits allow the load above it. */
export function canMeasureOverload(end: LoadSearchEnd, { from, to }: LevelBounds, maxLevel: number): boolean {
  const isFound = to !== undefined && (end === 'resolution' || end === 'uncertain')
  return isFound && from !== undefined && OVERLOAD * from <= maxLevel
}

/**
 * Plans a run at twice a level, and then at half of it. The requests that wait at the end of the overload are part of
 * the same run, so that the target has to work through them.
 */
export async function planOverload(
  options: LoadOptions,
  from: number,
  run: Pick<SearchRun, 'responseS' | 'count' | 'maxCredits'>,
): Promise<LoadPlan> {
  // Responses above the capacity take longer, by the time that their requests wait.
  const responseS = OVERLOAD * run.responseS
  const durationS = Math.max(MIN_OVERLOAD_S, options.durationS ?? 0)
  const plan = await planRun({ ...options, durationS }, { level: OVERLOAD * from, kind: 'probe', ...run, responseS })
  const { settings } = plan
  const last = settings.stages.at(-1)
  const after = findRecoveryLevel(options, from)
  const stages = [...settings.stages, { durationS: RECOVERY_DURATION * (last?.durationS ?? 0), from: after, to: after }]
  const changed = { ...settings, stages }
  const { units } = plan.estimate
  return {
    ...plan,
    settings: changed,
    arrivals: planArrivals(changed, undefined),
    // The second part sends three quarters as many requests as the first.
    estimate: { ...plan.estimate, units: units === null ? null : 2 * units },
  }
}

function findRecoveryLevel({ findOver }: LoadOptions, from: number): number {
  return findOver === 'streams' ? Math.max(1, Math.round(RECOVERY * from)) : RECOVERY * from
}

type OverloadRun = Pick<LoadDocument, 'series'> & {
  readonly requests: Pick<LoadDocument['requests'], 'byStatus' | 'byError'>
}

/** Describes a run of {@link planOverload} by its seconds during and after the overload. */
export function describeOverload(
  { series, requests }: OverloadRun,
  from: number,
  { plan, budgets }: { readonly plan: LoadPlan; readonly budgets: readonly Budget[] },
): LoadOverload {
  const { stages } = plan.settings
  const recoveryS = stages.at(-1)?.durationS ?? 0
  const durationS = stages.slice(0, -1).reduce((sum, stage) => sum + stage.durationS, 0)
  const during = series.filter(({ atS }) => atS < durationS)
  const after = series.filter(({ atS }) => atS >= durationS && atS < durationS + recoveryS)
  const limits = budgets.filter(isShownBySeconds)
  const recovered = after.find((_, index) => isWithin(after.slice(index), limits))
  const steady = listSteadySeconds(series, durationS)
  return {
    level: OVERLOAD * from,
    durationS: roundMs(durationS),
    ok: sumOf(during, 'ok'),
    failed: sumOf(during, 'failed'),
    okPerSecond: steady.length === 0 ? null : roundMs(sumOf(steady, 'ok') / steady.length),
    ttft: summarizeTtft(steady),
    byStatus: requests.byStatus,
    byError: requests.byError,
    recoveryLevel: stages.at(-1)?.to ?? 0,
    recoveryS: roundMs(recoveryS),
    recoveryMetrics: [...new Set(limits.map(({ metric }) => metric))],
    recoveredAfterS: recovered === undefined ? null : Math.round(recovered.atS - durationS),
  }
}

/** A budget that the entries of a time series show: on TTFT or on failures, for all operations. */
type SecondsBudget = Budget &
  ({ readonly kind: 'count'; readonly metric: 'failed.rate' } | { readonly kind: 'latency'; readonly metric: 'ttft' })

function isShownBySeconds(budget: Budget): budget is SecondsBudget {
  return budget.operation === null && (budget.metric === 'failed.rate' || budget.metric === 'ttft')
}

/** Returns whether the responses of some seconds meet the budgets. Returns false without a budget or a response. */
function isWithin(seconds: readonly SeriesEntry[], budgets: readonly SecondsBudget[]): boolean {
  const ttft = mergeTtft(seconds)
  const [ok, failed] = [sumOf(seconds, 'ok'), sumOf(seconds, 'failed')]
  if (ok === 0 || budgets.length === 0) return false
  return budgets.every((budget) => {
    if (budget.kind === 'count') return (100 * failed) / (ok + failed) <= budget.limit
    if (ttft === undefined) return false
    const { statistic, limitMs } = budget
    if (statistic === 'mean') return ttft.mean / 1000 <= limitMs
    return getPercentileMs(ttft, statistic === 'max' ? 100 : Number(statistic.slice(1))) <= limitMs
  })
}
