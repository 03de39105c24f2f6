import { parseCredits } from '../../scenarios/lib/credits.ts'
import type { TimedOperation } from '../../contract/facts.ts'
import { describeExactness } from '../credits/cost-estimate.ts'
import { formatUnits } from '../credits/units.ts'
import type { SearchPlan, LoadPlan } from './load-plan.ts'
import { roundMs } from '../metrics/histogram.ts'
import { type Budget, TOKEN_METRICS } from '../verdict/budget.ts'
import { formatBudget, getMinSamples } from '../verdict/parse-budget.ts'
import { countIntervalSamples } from '../upstream/compare-distributions.ts'
import { estimateTotalCost, findTurnsProblem } from '../upstream/plan-turns.ts'

/** Requests and cost of a plan, as `--dry-run --json` prints them. */
export interface PlanSummary {
  readonly scenario: string
  readonly profile: string
  readonly arrivals: string
  /** Number of requests, or null if it is unknown. */
  readonly requests: number | null
  /** Number of requests of the warm-up, which `requests` excludes, or null if it is unknown. */
  readonly warmUpRequests: number | null
  readonly requestsByOperation: Readonly<Partial<Record<TimedOperation, number>>>
  /** Upper bounds: one token per byte of a prompt, and `max_tokens` for a completion. */
  readonly chatTokens: { readonly prompt: number; readonly completion: number }
  /** Upper bound of the credits as a decimal string, or null if there is none. */
  readonly credits: string | null
  /**
   * Sentence that describes how exact `credits` is. Null if there is no upper bound, or if the plan has no chat
   * requests.
   */
  readonly exactness: string | null
  readonly note: string | null
  /**
   * `needed` is the minimum number of samples, of each side for a budget on added latency. `expected` is the number of samples that the plan gives, or null if it
   * is unknown.
   */
  readonly budgets: readonly { readonly budget: string; readonly needed: number; readonly expected: number | null }[]
  /** Settings of a search for the capacity. Set only if this is the plan of the first run of a search. */
  readonly search?: SearchSummary
}

/** Settings of a search for the capacity. Levels have the unit `unit`. */
export type SearchSummary = Pick<
  SearchPlan,
  'unit' | 'firstLevel' | 'maxLevel' | 'maxDurationS' | 'durationS' | 'credits'
> & {
  readonly resolutionPercent: number
}

export function summarizePlan(plan: LoadPlan): PlanSummary {
  const { options, settings, estimate, budgets, search } = plan
  const isTwoSided = isAlternating(plan)
  const { requests, chatTokens } = isTwoSided ? estimateTotalCost(plan) : estimate
  const units = boundUnits(plan)
  return {
    scenario: options.scenario,
    profile: options.profile,
    arrivals: settings.arrivals,
    requests: requests === null ? null : Object.values(requests).reduce((sum, count) => sum + count, 0),
    warmUpRequests: estimate.warmUpRequests,
    requestsByOperation: requests ?? {},
    chatTokens,
    credits: units === null ? null : formatUnits(units),
    exactness: describeExactness(estimate),
    note: units !== null && isTwoSided ? BOTH_SIDES_NOTE : estimate.note,
    budgets: budgets.map((budget) => ({
      budget: formatBudget(budget),
      needed: budget.kind === 'added' && isTwoSided ? countIntervalSamples(budget.statistic) : getMinSamples(budget),
      expected: estimate.requests === null ? null : samplesExpected(budget, estimate.requests),
    })),
    ...(search === undefined ? {} : { search: summarizeSearch(search) }),
  }
}

const BOTH_SIDES_NOTE =
  'If the upstream is not an emulator, the run measures it and the target alternately, which at least doubles the duration. The requests, tokens and credits include both sides'

/**
 * Returns whether the plan loads the target and an upstream alternately. Planning assumes turns, because it does not
 * detect whether the upstream is an emulator.
 */
function isAlternating(plan: LoadPlan): boolean {
  return plan.options.upstream !== undefined && findTurnsProblem(plan) === undefined
}

/** Returns the upper bound of the cost of a run in units, or null if there is none. */
function boundUnits(plan: LoadPlan): number | null {
  const { units } = plan.estimate
  if (units === null || !isAlternating(plan)) return units
  return Math.max(units, estimateTotalCost(plan).units ?? 0)
}

function summarizeSearch(search: SearchPlan) {
  const { resolution, minLevel: _, isWhole: _whole, options: _options, ...plan } = search
  return { ...plan, resolutionPercent: roundMs(100 * resolution) }
}

function samplesExpected(budget: Budget, requests: Readonly<Partial<Record<TimedOperation, number>>>): number | null {
  if (budget.kind === 'latency' && budget.metric === 'itl') return null
  const needsStreams = budget.kind === 'latency' && TOKEN_METRICS.includes(budget.metric)
  const counted = Object.entries(requests).filter(([operation]) =>
    budget.operation === null ? !needsStreams || operation === 'chat-stream' : operation === budget.operation,
  )
  return counted.reduce((sum, [, count]) => sum + count, 0)
}

/** Reason why a plan may cost more than `maxCredits`. Amounts are decimal strings. */
export type SpendExcess =
  /** The cost has no upper bound; `note` is a sentence that explains why. */
  | { readonly reason: 'unbounded'; readonly maxCredits: string; readonly note: string }
  | { readonly reason: 'too-expensive'; readonly maxCredits: string; readonly credits: string }

/**
 * Returns the reason why a plan may cost more than `maxCredits`.
 * @returns undefined if it cannot
 */
export function findSpendExcess(plan: LoadPlan): SpendExcess | undefined {
  const { estimate, options } = plan
  const { maxCredits } = options
  if (maxCredits === undefined) return undefined
  if (estimate.units === null) {
    return { reason: 'unbounded', maxCredits, note: estimate.note ?? 'The cost of the run is not known.' }
  }
  const units = boundUnits(plan) ?? 0
  const maxUnits = parseCredits(maxCredits)
  if (maxUnits !== undefined && units <= maxUnits) return undefined
  return { reason: 'too-expensive', maxCredits, credits: formatUnits(units) }
}
