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
import { MAX_REQUESTS } from '../plan/validate-options.ts'
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
/** Plan that estimates how many samples each budget gets from a request, and what a request costs. */
const SAMPLE = { rate: 500, durationS: 10 }
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
    throw invalidMaxRate(maxLevel, problem)
  }
  const firstLevel = Math.min(maxLevel, isOverStreams ? FIRST_STREAMS : (rate ?? FIRST_RATE))
  const limits = {
    unit: isOverStreams ? 'parallel streams' : 'requests per second',
    firstLevel,
    maxLevel,
    minLevel: isOverStreams ? 1 : firstLevel * MIN_RATE_FRACTION,
    isWhole: isOverStreams,
    resolution: resolutionPercent / 100,
  } as const
  const first = await planRun(options, { level: firstLevel, kind: 'probe', responseS: ASSUMED_RESPONSE_S })
  validateBudgets(first)
  const sample = await planSample(options)
  const lengthOf = (level: number, kind: RunKind) =>
    chooseDuration(options, { level, kind, responseS: ASSUMED_RESPONSE_S }, sample)
  const longestRequests = maxLevel * lengthOf(maxLevel, 'proof')
  if (!isOverStreams && longestRequests > MAX_REQUESTS) {
    const problem = `At this rate, the longest run would send ${Math.round(longestRequests)} requests, which is more than a run can plan. Reduce the highest rate, or the duration of a run.`
    throw invalidMaxRate(maxLevel, problem)
  }
  const search: SearchPlan = {
    ...limits,
    maxDurationS,
    durationS: estimateDuration(limits, options, lengthOf),
    credits: isOverStreams ? null : boundCredits(limits, { options, sample, lengthOf }),
    options,
  }
  return { ...first, search }
}

function invalidMaxRate(maxRate: number, problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option: 'maxRate', value: String(maxRate), problem })
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

/** Plans a run of a search: planned arrivals at a steady rate, or a closed loop with a steady number of streams. */
export async function planRun(options: LoadOptions, given: SearchRun): Promise<LoadPlan> {
  const run = { ...given, responseS: Math.min(given.responseS, MAX_RESPONSE_S) }
  const { level, kind, count = 0, maxCredits = options.maxCredits } = run
  const { warmUpS } = options
  const sample = kind === 'probe' ? undefined : await planSample(options)
  const durationS = chooseDuration(options, run, sample)
  const runOptions = {
    ...selectRunOptions(options),
    seed: options.seed + count * SEED_STEP,
    ...(maxCredits === undefined ? {} : { maxCredits }),
    // The first run also warms up the target for later ones.
    ...(count > 0 || warmUpS === undefined ? {} : { warmUpS }),
    durationS,
  }
  if (options.findOver !== 'streams') return planLoad({ ...runOptions, rate: level })
  const plan = await planLoad({ ...runOptions, arrivals: 'closed', vus: level })
  return { ...plan, settings: { ...plan.settings, stages: startGradually(level, run.responseS, durationS) } }
}

/** Returns the options of a search that all its runs have. Only the first run has a warm-up. */
function selectRunOptions(given: LoadOptions): LoadOptions {
  const { warmUpS: _, ...options } = given
  const { find, budgets } = options
  const failures = budgets.length === 0 ? [formatBudget(DEFAULT_BUDGET)] : budgets
  return { ...options, budgets: [...find, ...failures] }
}

/**
 * Chooses how long a run lasts at its level, in seconds. A proof lasts until the budgets have enough samples for a
 * decision, although one sample is above the limit.
 * @param sample undefined for a short run
 */
function chooseDuration(
  { durationS = MIN_RUN_S, findOver = 'rate' }: LoadOptions,
  { level, kind, responseS }: SearchRun,
  sample: RequestSample | undefined,
): number {
  const perSecond = findOver === 'streams' ? level / responseS : level
  const enoughS = Math.min(MAX_PROBE_S, Math.ceil(MIN_REQUESTS / perSecond))
  const probeS = Math.max(durationS, MIN_RESPONSES[findOver] * responseS, enoughS)
  if (kind === 'probe' || sample === undefined) return probeS
  const proofS = Math.max(MIN_PROOF_RUNS[findOver] * probeS, sample.proofRequests / perSecond)
  // The first responses show less than the steady load, until the target serves as many streams as planned.
  return proofS === probeS ? probeS : Math.ceil(proofS + responseS)
}

interface RequestSample {
  /** Number of requests that give the budgets enough samples for a decision. */
  readonly proofRequests: number
  /** Maximum cost of a request on average, or null if there is no upper bound. */
  readonly unitsPerRequest: number | null
}

async function planSample(options: LoadOptions): Promise<RequestSample> {
  const { vus: _, ...others } = selectRunOptions(options)
  const plan = await planLoad({ ...others, arrivals: 'constant', ...SAMPLE })
  const { budgets } = summarizePlan(plan)
  const requests = SAMPLE.rate * SAMPLE.durationS
  const needed = plan.budgets.map((budget, index) => {
    const expected = budgets[index]?.expected ?? 0
    return expected === 0 ? 0 : (countSamples(budget) * SAMPLE_RESERVE * requests) / expected
  })
  const { units } = plan.estimate
  return { proofRequests: Math.max(...needed), unitsPerRequest: units === null ? null : units / requests }
}

function countSamples(budget: Budget): number {
  if (budget.kind !== 'latency' || budget.statistic === 'mean' || budget.statistic === 'max') return 1
  return countNeeded(getAllowedShare(budget.statistic))
}

/** Starts streams over the duration of a response, because streams that start together also end together. */
function startGradually(streams: number, responseS: number, steadyS: number): LoadPlan['settings']['stages'] {
  return [
    { durationS: Math.round(responseS * 1000) / 1000, from: 1, to: streams },
    { durationS: steadyS, from: streams, to: streams },
  ]
}

/** Returns the duration of a run in seconds. */
type LengthFinder = (level: number, kind: RunKind) => number

/**
 * Estimates how long a search takes, in seconds: at least, if the capacity is near the first level, and at most, if it
 * is near the highest one.
 */
function estimateDuration(
  { firstLevel, maxLevel, isWhole }: SearchSettings,
  { warmUpS = 0, maxDurationS = MAX_DURATION_S }: LoadOptions,
  lengthOf: LengthFinder,
): SearchPlan['durationS'] {
  // A search over streams starts them over the duration of a response.
  const overheadS = OVERHEAD_S + (isWhole ? ASSUMED_RESPONSE_S : 0)
  const probeS = overheadS + lengthOf(firstLevel, 'probe')
  const doublings = listDoublings(firstLevel, maxLevel).length
  const nearFirstS = NEAR_RUNS.min * probeS + PROOFS.min * (overheadS + lengthOf(firstLevel, 'proof'))
  const nearLastS = (doublings + NEAR_RUNS.min) * probeS + PROOFS.min * (overheadS + lengthOf(maxLevel, 'proof'))
  const limit = (seconds: number) => Math.min(maxDurationS, Math.round(warmUpS + seconds))
  return { from: limit(Math.min(nearFirstS, nearLastS)), to: limit(Math.max(nearFirstS, nearLastS)) }
}

/** Lists the levels of a search that doubles its first level until it reaches the highest one. */
function listDoublings(firstLevel: number, maxLevel: number): number[] {
  const count = Math.max(0, Math.ceil(Math.log2(maxLevel / firstLevel)))
  return Array.from({ length: count }, (_, index) => firstLevel * 2 ** index)
}

/**
 * Rejects lower bounds, such as `rate>=50/s`, because a low rate breaks them.
 * @throws InvalidOptionError
 */
function validateBudgets({ budgets }: LoadPlan): void {
  const lower = budgets.find((budget) => budget.kind === 'count' && hasLowerBound(budget.metric))
  if (lower === undefined) return
  const problem = `A search also tries low rates, which cannot meet ${formatBudget(lower)}. Omit this budget.`
  throw new InvalidOptionError({ reason: 'invalid-value', option: 'budgets', value: formatBudget(lower), problem })
}

/**
 * Returns an approximate upper bound of the cost of a search over the rate: a warm-up, a short run at each doubling of
 * the first rate, and then the maximum number of runs at the highest rate. Null if a request has no upper bound.
 */
function boundCredits(
  { firstLevel, maxLevel }: SearchSettings,
  {
    options: { warmUpS = 0 },
    sample: { unitsPerRequest },
    lengthOf,
  }: { readonly options: LoadOptions; readonly sample: RequestSample; readonly lengthOf: LengthFinder },
): string | null {
  if (unitsPerRequest === null) return null
  const probes = [...listDoublings(firstLevel, maxLevel), ...Array.from({ length: NEAR_RUNS.max }, () => maxLevel)]
  const requests =
    warmUpS * firstLevel +
    probes.reduce((sum, level) => sum + level * lengthOf(level, 'probe'), 0) +
    PROOFS.max * maxLevel * lengthOf(maxLevel, 'proof')
  return formatUnits(Math.ceil(requests * unitsPerRequest))
}
