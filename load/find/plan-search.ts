import { formatUnits } from '../credits/units.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { LoadOptions } from '../options/load-options.ts'
import { planLoad } from '../plan/plan-load.ts'
import type { LoadPlan, SearchPlan } from '../plan/load-plan.ts'
import { summarizePlan } from '../plan/summarize-plan.ts'
import { type Budget, DEFAULT_BUDGET, hasLowerBound } from '../verdict/budget.ts'
import { formatBudget } from '../verdict/parse-budget.ts'
import { getAllowedShare } from './evaluate-latency.ts'
import type { RunKind, SearchSettings } from './search-levels.ts'
import { countNeeded } from './sequential-test.ts'
import { validateSearch } from './validate-search.ts'

const MAX_RATE = 1000
const MAX_STREAMS = 1000
const MAX_DURATION_S = 1800
const RESOLUTION_PERCENT = 5
const FIRST_RATE = 4
const FIRST_STREAMS = 8
/** Lowest rate of a search, as a fraction of its first rate. */
const MIN_RATE_FRACTION = 1 / 32

/** Minimum duration of a run if the option `durationS` is not set. */
const MIN_RUN_S = 5
/** Time that a run needs besides its planned duration: for k6 to start, for the last responses, and for the comparison. */
export const OVERHEAD_S = 4
/** Duration of a response for the estimates before the first run. */
export const ASSUMED_RESPONSE_S = 2
/**
 * Minimum duration of a short run as a multiple of a response, so that the target reaches a steady state. A search over
 * streams starts them over the duration of one more response.
 */
const MIN_RESPONSES = { rate: 3, streams: 2 }
/** Minimum duration of a proof as a multiple of a short run: above the capacity, the queue of a planned rate grows. */
const MIN_PROOF_RUNS = { rate: 4, streams: 1 }
/** Minimum number of requests of a short run, and the maximum duration for it. */
const MIN_REQUESTS = 20
const MAX_PROBE_S = 60
/** Maximum duration of a response that determines the duration of a run. */
const MAX_RESPONSE_S = 20
/** Maximum number of requests of the plan that estimates how many samples each budget gets. */
const MAX_SAMPLE_REQUESTS = 10_000
/** Number of runs at levels around the capacity, and of those with enough samples for a decision. */
const NEAR_RUNS = { min: 4, max: 12 }
const PROOFS = { min: 1, max: 3 }
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
  const { findOver, rate, maxDurationS = MAX_DURATION_S, resolutionPercent = RESOLUTION_PERCENT } = options
  const isOverStreams = findOver === 'streams'
  const maxLevel = isOverStreams ? (options.vus ?? MAX_STREAMS) : (options.maxRate ?? MAX_RATE)
  if (rate !== undefined && rate > maxLevel) {
    const problem = `The search begins at the rate ${rate}, above its highest rate. Reduce the first rate, or increase the highest rate.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'maxRate', value: String(maxLevel), problem })
  }
  const firstLevel = Math.min(maxLevel, isOverStreams ? FIRST_STREAMS : (rate ?? FIRST_RATE))
  const limits = {
    over: findOver ?? 'rate',
    firstLevel,
    maxLevel,
    minLevel: isOverStreams ? 1 : firstLevel * MIN_RATE_FRACTION,
    isWhole: isOverStreams,
    resolution: resolutionPercent / 100,
  } as const
  const estimate = { level: firstLevel, kind: 'probe', responseS: ASSUMED_RESPONSE_S } as const
  const first = await planRun(options, estimate)
  validateBudgets(first)
  const later = { ...estimate, count: 1 }
  const highest = { ...later, level: maxLevel }
  const plans = {
    first,
    low: { probe: await planRun(options, later), proof: await planRun(options, { ...later, kind: 'proof' }) },
    high: await planHighest(options, highest),
  }
  const search: SearchPlan = {
    ...limits,
    maxDurationS,
    durationS: estimateDuration(limits, plans, maxDurationS),
    credits: boundCredits(limits, plans),
    options,
  }
  return { ...first, search }
}

/** Plans of a search for the estimates: of its first run, and of later runs at its first and its highest level. */
interface SamplePlans {
  readonly first: LoadPlan
  readonly low: Readonly<Record<RunKind, LoadPlan>>
  readonly high: Readonly<Record<RunKind, LoadPlan>>
}

/** Plans runs at the highest level. The proof is the largest run of a search. */
async function planHighest(options: LoadOptions, highest: SearchRun): Promise<SamplePlans['high']> {
  try {
    const proof = await planRun(options, { ...highest, kind: 'proof' })
    return { proof, probe: await planRun(options, highest) }
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error
    const { params } = error
    if (params.reason !== 'invalid-value' || params.option !== 'rate') throw error
    const problem = `At this rate, the longest run would send ${params.value} requests, which is more than a run can plan. Reduce the highest rate, or the duration of a run.`
    throw new InvalidOptionError({ ...params, option: 'maxRate', value: String(highest.level), problem })
  }
}

export interface SearchRun {
  /** Requests per second, or parallel streams. */
  readonly level: number
  readonly kind: RunKind
  /** Duration of a response, measured in earlier runs or assumed. */
  readonly responseS: number
  /** Number of earlier runs of the search. */
  readonly count?: number
  /** Remaining spend limit in credits, as a decimal string. */
  readonly maxCredits?: string | undefined
}

/**
 * Plans a run of a search: planned arrivals at a steady rate, or a closed loop with a steady number of streams. A proof
 * lasts until the budgets have enough samples for a decision, although one sample is above the limit.
 */
export async function planRun(
  options: LoadOptions,
  { level, kind, responseS: measuredS, count = 0, maxCredits = options.maxCredits }: SearchRun,
): Promise<LoadPlan> {
  const { find, budgets, budgetFile, durationS = MIN_RUN_S, findOver } = options
  const {
    maxRate: _,
    maxDurationS: _duration,
    resolutionPercent: _resolution,
    findOver: _over,
    warmUpS,
    ...given
  } = options
  const isOverStreams = findOver === 'streams'
  const others = isOverStreams ? { ...given, arrivals: 'constant' as const } : given
  const failures = budgets.length === 0 && budgetFile === undefined ? [formatBudget(DEFAULT_BUDGET)] : budgets
  const responseS = Math.min(measuredS, MAX_RESPONSE_S)
  const runOptions = {
    ...others,
    find: [],
    budgets: [...find, ...failures],
    seed: options.seed + count * SEED_STEP,
    ...(maxCredits === undefined ? {} : { maxCredits }),
  }
  const perSecond = isOverStreams ? level / responseS : level
  const minS = Math.max(
    durationS,
    MIN_RESPONSES[findOver ?? 'rate'] * responseS,
    Math.min(MAX_PROBE_S, Math.ceil(MIN_REQUESTS / perSecond)),
  )
  const findSampleShortfall = async () => {
    const rate = Math.min(perSecond, MAX_SAMPLE_REQUESTS / minS)
    return (findShortfall(await planLoad({ ...runOptions, rate, durationS: minS })) * rate) / perSecond
  }
  const shortfall = kind === 'probe' ? 1 : Math.max(MIN_PROOF_RUNS[findOver ?? 'rate'], await findSampleShortfall())
  // The first responses show less than the steady load, until the target serves as many streams as planned.
  const steadyS = shortfall === 1 ? minS : Math.ceil(minS * shortfall + responseS)
  // The first run also warms up the target for later ones.
  const steady = { ...runOptions, durationS: steadyS, ...(count > 0 || warmUpS === undefined ? {} : { warmUpS }) }
  if (!isOverStreams) return planLoad({ ...steady, rate: perSecond })
  const plan = await planLoad({ ...steady, arrivals: 'closed', vus: level })
  return { ...plan, settings: { ...plan.settings, stages: startGradually(level, responseS, steadyS) } }
}

/** Starts streams over the duration of a response, because streams that start together also end together. */
function startGradually(streams: number, responseS: number, steadyS: number): LoadPlan['settings']['stages'] {
  return [
    { durationS: Math.round(responseS * 1000) / 1000, from: 1, to: streams },
    { durationS: steadyS, from: streams, to: streams },
  ]
}

/** Returns the ratio of the samples that the budgets of a plan need for a decision to those that the plan gives. */
function findShortfall(plan: LoadPlan): number {
  const { budgets } = summarizePlan(plan)
  return Math.max(
    ...plan.budgets.map((budget, index) => {
      const expected = budgets[index]?.expected ?? 0
      return expected === 0 ? 0 : (countSamples(budget) * SAMPLE_RESERVE) / expected
    }),
  )
}

function countSamples(budget: Budget): number {
  if (budget.kind !== 'latency' || budget.statistic === 'mean' || budget.statistic === 'max') return 1
  return countNeeded(getAllowedShare(budget.statistic))
}

/**
 * Estimates how long a search takes, in seconds: at least, if the capacity is near the first level, and at most, if it
 * is near the highest one.
 */
function estimateDuration(
  { firstLevel, maxLevel }: SearchSettings,
  { first, low, high }: SamplePlans,
  maxDurationS: number,
): SearchPlan['durationS'] {
  const lengthOf = ({ settings }: LoadPlan) =>
    OVERHEAD_S + settings.stages.reduce((sum, { durationS }) => sum + durationS, 0)
  const probeS = lengthOf(low.probe)
  const nearFirstS = NEAR_RUNS.min * probeS + PROOFS.min * lengthOf(low.proof)
  const nearLastS = (countDoublings(firstLevel, maxLevel) + NEAR_RUNS.min) * probeS + PROOFS.min * lengthOf(high.proof)
  const [from, to] = [nearFirstS, nearLastS]
    .map((seconds) => Math.min(maxDurationS, Math.round((first.settings.warmUpS ?? 0) + seconds)))
    .toSorted((a, b) => a - b)
  return { from: from ?? 0, to: to ?? 0 }
}

function countDoublings(firstLevel: number, maxLevel: number): number {
  return Math.max(0, Math.ceil(Math.log2(maxLevel / firstLevel)))
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
 * Returns an approximate upper bound of the cost of a search: a warm-up, a short run at each doubling of the first rate,
 * and then the maximum number of runs at the highest rate. Null for a search over streams, because a closed loop sends as many
 * requests as the target completes.
 */
function boundCredits({ firstLevel, maxLevel }: SearchSettings, { first, low, high }: SamplePlans): string | null {
  const [warmed, probe] = [first.estimate.units, low.probe.estimate.units]
  const [highProbe, highProof] = [high.probe.estimate.units, high.proof.estimate.units]
  if (warmed === null || probe === null || highProbe === null || highProof === null) return null
  const doublings = Array.from({ length: countDoublings(firstLevel, maxLevel) }, (_, index) =>
    Math.max(probe, Math.ceil((highProbe * firstLevel * 2 ** index) / maxLevel)),
  )
  const warmUp = Math.max(0, warmed - probe)
  const units = doublings.reduce((sum, step) => sum + step, NEAR_RUNS.max * highProbe + PROOFS.max * highProof)
  return formatUnits(warmUp + units)
}
