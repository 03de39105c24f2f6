import { formatUnits } from '../credits/units.ts'
import { InvalidOptionError, type OptionName } from '../options/invalid-option-error.ts'
import type { LoadOptions } from '../options/load-options.ts'
import { planLoad } from '../plan/plan-load.ts'
import type { LoadPlan, SearchPlan } from '../plan/load-plan.ts'
import { REPEATABLE_SCENARIOS } from '../plan/scenarios.ts'
import { summarizePlan } from '../plan/summarize-plan.ts'
import { type Budget, DEFAULT_BUDGET, hasLowerBound } from '../verdict/budget.ts'
import { formatBudget, getMinSamples, parseBudget } from '../verdict/parse-budget.ts'
import { MAX_RUNS_PER_STEP, MIN_RATE_FRACTION, type SearchSettings } from './search-rate.ts'

const MAX_RATE = 1000
const MAX_DURATION_S = 1800
const RESOLUTION_PERCENT = 5

/** Minimum duration of a run if the option `durationS` is not set. */
const MIN_RUN_S = 10
/** Duration within which the first run should collect the samples that its budgets need. */
const FIRST_RUN_S = 20
/**
 * Difference between the seeds of two runs. Each run has different prompts, so that no cache of the target makes later
 * runs faster.
 */
const SEED_STEP = 1_000_003
/** Ratio of planned requests to the samples that the budgets need, because some requests may fail. */
const SAMPLE_RESERVE = 1.05

/**
 * Plans a search without sending requests.
 * @returns the plan of the first run
 * @throws InvalidOptionError
 */
export async function planSearch(options: LoadOptions): Promise<LoadPlan> {
  try {
    return await planValidSearch(options)
  } catch (error) {
    throw nameFindOption(error, options)
  }
}

/**
 * Returns an error that names the option `find` if `find` contains the invalid budget. The budget parser always names
 * `budgets`.
 */
function nameFindOption(error: unknown, { budgets, find }: LoadOptions): unknown {
  if (!(error instanceof InvalidOptionError)) return error
  const { params } = error
  if (params.reason !== 'invalid-value' || params.option !== 'budgets') return error
  const isFind = budgets.length === 0 || find.some((text) => text.startsWith(params.value))
  return isFind ? new InvalidOptionError({ ...params, option: 'find' }) : error
}

async function planValidSearch(options: LoadOptions): Promise<LoadPlan> {
  validateSearch(options)
  const { rate, maxRate = MAX_RATE, maxDurationS = MAX_DURATION_S, resolutionPercent = RESOLUTION_PERCENT } = options
  if (rate !== undefined && rate > maxRate) {
    const problem = `The search begins at the rate ${rate}, above its highest rate. Reduce the first rate, or increase the highest rate.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'maxRate', value: String(maxRate), problem })
  }
  const needed = Math.max(...options.find.map((text) => getMinSamples(parseBudget(text))))
  const firstRate = Math.min(maxRate, rate ?? Math.max(1, Math.round(needed / FIRST_RUN_S)))
  const limits = { firstRate, maxRate, resolution: resolutionPercent / 100 }
  const [first, last] = [await planRun(options, firstRate), await planRun(options, maxRate)]
  validateBudgets(first)
  const search: SearchPlan = { ...limits, maxDurationS, credits: boundCredits(limits, first, last), options }
  return { ...first, search }
}

/**
 * Plans a run of a search: planned arrivals at a steady rate, for long enough to collect the samples that the budgets
 * need.
 * @param count number of earlier runs of the search
 * @param maxCredits remaining spend limit in credits, as a decimal string
 */
export async function planRun(
  options: LoadOptions,
  rate: number,
  { count = 0, maxCredits = options.maxCredits }: { count?: number; maxCredits?: string | undefined } = {},
): Promise<LoadPlan> {
  const { find, budgets, budgetFile, durationS = MIN_RUN_S } = options
  const { maxRate: _, maxDurationS: _duration, resolutionPercent: _resolution, warmUpS, ...others } = options
  const failures = budgets.length === 0 && budgetFile === undefined ? [formatBudget(DEFAULT_BUDGET)] : budgets
  const planFor = (seconds: number) =>
    planLoad({
      ...others,
      find: [],
      budgets: [...find, ...failures],
      rate,
      durationS: seconds,
      seed: options.seed + count * SEED_STEP,
      // The first run also warms up the target for later ones.
      ...(count > 0 || warmUpS === undefined ? {} : { warmUpS }),
      ...(maxCredits === undefined ? {} : { maxCredits }),
    })
  const plan = await planFor(durationS)
  const shortfall = Math.max(
    ...summarizePlan(plan).budgets.map(({ needed, expected }) =>
      expected === null || expected === 0 ? 0 : (needed * SAMPLE_RESERVE) / expected,
    ),
  )
  return shortfall <= 1 ? plan : planFor(Math.ceil(durationS * shortfall))
}

/** Options that a search cannot be combined with, each with the reason. */
const EXCLUDED: readonly (readonly [OptionName, string])[] = [
  ['trace', 'A search chooses the rate of each run, but a trace determines its own rate.'],
  ['iterations', 'A search calculates the number of requests of each run from its rate.'],
  [
    'upstream',
    'A search has several runs. Measure the added latency in a separate run, at the rate that the search finds.',
  ],
  ['segment', 'The segments of a search would choose different rates. Search with one process.'],
  ['startAtUnixMs', 'A search has several runs, and only one run could start at this time.'],
  ['countPrompts', 'Each run of a search sends different prompts, so touchstone cannot count them in advance.'],
]

function validateSearch(options: LoadOptions): void {
  for (const [other, problem] of EXCLUDED) {
    const value = other === 'k6Options' ? undefined : options[other]
    if (value !== undefined && value !== false) conflict(other, problem)
  }
  const { arrivals, profile, scenario } = options
  if (arrivals === 'closed' || arrivals === 'trace') {
    conflict('arrivals', 'A search needs planned arrivals, constant or poisson.')
  }
  if (profile !== 'smoke') conflict('profile', 'Each run of a search has a steady rate.')
  if (!REPEATABLE_SCENARIOS.includes(scenario)) {
    conflict('scenario', `The requests of ${scenario} depend on earlier ones, so its runs cannot be compared.`)
  }
  for (const text of options.find) {
    const budget = parseBudget(text)
    const isLatency = budget.kind === 'latency' && budget.metric !== 'start_lag'
    const isFailures = budget.kind === 'count' && budget.metric.startsWith('failed.')
    if (isLatency || isFailures) continue
    const problem = `A search cannot use ${budget.metric}, because a higher rate does not necessarily make it worse. Use ttft, itl, tpot, e2e, failed.rate or failed.count.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'find', value: text, problem })
  }
}

function conflict(other: OptionName, problem: string): never {
  throw new InvalidOptionError({ reason: 'conflicting-options', option: 'find', other, problem })
}

/**
 * Rejects lower bounds, such as `rate>=50/s`, because a low rate breaks them.
 * @throws InvalidOptionError
 */
function validateBudgets({ budgets }: LoadPlan): void {
  const lower = budgets.find(isMinimum)
  if (lower === undefined) return
  const problem = `A search also tries low rates, which cannot meet ${formatBudget(lower)}. Omit this budget.`
  throw new InvalidOptionError({ reason: 'invalid-value', option: 'budgets', value: formatBudget(lower), problem })
}

function isMinimum(budget: Budget): boolean {
  return budget.kind === 'count' && hasLowerBound(budget.metric)
}

/**
 * Returns an upper bound of the cost of a search. Each step has the maximum number of runs. The cost at a rate is
 * interpolated between the costs at the first and at the highest rate. The most expensive search is one of two:
 * - It doubles the rate up to the highest, and then searches between the two highest rates.
 * - It halves the first rate down to the lowest, and then searches between the two lowest rates.
 */
function boundCredits(
  { firstRate, maxRate, resolution }: SearchSettings,
  first: LoadPlan,
  last: LoadPlan,
): string | null {
  const [low, high] = [first.estimate.units, last.estimate.units]
  if (low === null || high === null) return null
  const doublings = Math.max(0, Math.ceil(Math.log2(maxRate / firstRate)))
  const halvings = Math.ceil(Math.log2(Math.max(1, Math.log(2) / Math.log(1 + resolution))))
  const grown = Array.from({ length: doublings }, (_, index) => {
    const share = Math.min(1, (firstRate * 2 ** index) / maxRate)
    return Math.max(low, Math.ceil(high * share))
  })
  const upward = grown.reduce((sum, step) => sum + step, high * (1 + halvings))
  const downward = low * (1 + Math.ceil(Math.log2(1 / MIN_RATE_FRACTION)) + halvings)
  const units = Math.max(upward, downward)
  return formatUnits(units * MAX_RUNS_PER_STEP)
}
