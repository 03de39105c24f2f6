import type { Options, Scenario } from 'k6/options'
import type { LoadSettings, Stage } from './load-settings.ts'
import { getWarmUpStage } from './plan-arrivals.ts'

/**
 * Number of additional iterations, which send no request. They are necessary, because k6 rounds each segment's share of
 * the iterations by up to two.
 */
const SPARE_ITERATIONS = 100
/** Seconds after the last arrival until k6 stops starting iterations. */
const SPARE_S = 10
/** Duration that no run reaches, so that only the number of iterations ends a run. */
const NO_LIMIT = '240h'

/**
 * Builds the k6 options of a run.
 * @param planned number of planned arrivals and start time of the last one, or null for a closed loop
 */
export function buildOptions(settings: LoadSettings, planned: { count: number; lastAtMs: number } | null): Options {
  const gracefulStop = `${Math.ceil(settings.timeoutMs / 1000) + 5}s`
  const load = planned === null ? closedLoop(settings, gracefulStop) : plannedLoad(settings, planned, gracefulStop)
  return {
    scenarios: { load },
    ...(settings.insecure === true ? { insecureSkipTLSVerify: true } : {}),
    thresholds: thresholdsOf(settings),
    summaryTrendStats: ['avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'max', 'count'],
  }
}

/** Returns the number of VUs that k6 starts immediately, over all segments. */
export function countStartingVus(settings: LoadSettings): number {
  const { arrivals, vus, iterations } = settings
  if (arrivals !== 'closed') return vus
  return iterations === undefined ? Math.round(listStages(settings)[0]?.from ?? 0) : Math.min(vus, iterations)
}

/** Returns the stages of a closed loop, which begin with the warm-up. */
function listStages(settings: LoadSettings): readonly Stage[] {
  const { warmUpS = 0, stages } = settings
  return warmUpS === 0 ? stages : [getWarmUpStage(settings, { atMs: [] }), ...stages]
}

function plannedLoad(
  { vus, extension }: LoadSettings,
  { count, lastAtMs }: { count: number; lastAtMs: number },
  gracefulStop: string,
): Scenario {
  const untilZeroMs = Math.max(0, (extension.startAtUnixMs ?? 0) - Date.now())
  return {
    executor: 'shared-iterations',
    vus,
    iterations: Math.max(vus, count + SPARE_ITERATIONS),
    maxDuration: `${Math.ceil((untilZeroMs + lastAtMs) / 1000) + SPARE_S}s`,
    gracefulStop,
  }
}

function closedLoop(settings: LoadSettings, gracefulStop: string): Scenario {
  const { vus, iterations } = settings
  if (iterations !== undefined) {
    const clients = Math.min(vus, iterations)
    return { executor: 'shared-iterations', vus: clients, iterations, maxDuration: NO_LIMIT, gracefulStop }
  }
  const stages = listStages(settings)
  const [first] = stages
  if (first !== undefined && stages.every(({ from, to }) => from === first.from && to === first.from)) {
    const totalS = stages.reduce((sum, { durationS }) => sum + durationS, 0)
    return {
      executor: 'constant-vus',
      vus: Math.max(1, Math.round(first.from)),
      duration: `${totalS}s`,
      gracefulStop,
    }
  }
  return {
    executor: 'ramping-vus',
    startVUs: Math.round(first?.from ?? 0),
    stages: stages.flatMap(rampsOf),
    gracefulRampDown: gracefulStop,
    gracefulStop,
  }
}

/** Converts a stage into k6 stages. A k6 stage has no start value, so a stage of zero duration sets it. */
function rampsOf({ durationS, from, to }: Stage): { duration: string; target: number }[] {
  return [
    { duration: '0s', target: Math.round(from) },
    { duration: `${durationS}s`, target: Math.round(to) },
  ]
}

function thresholdsOf({ thresholds, stopsWhenBroken }: LoadSettings): NonNullable<Options['thresholds']> {
  const all = Object.entries(thresholds).map(([metric, rules]) => [
    metric,
    rules.map((threshold) =>
      stopsWhenBroken === true ? { threshold, abortOnFail: true, delayAbortEval: '10s' } : threshold,
    ),
  ])
  // The cast is safe: `Object.fromEntries` loses the types of the keys.
  return Object.fromEntries(all) as NonNullable<Options['thresholds']>
}
