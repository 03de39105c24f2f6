import type { TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import { planArrivals } from '../../scenarios/lib/plan-arrivals.ts'
import { type CostEstimate, estimateCost, type LoadVolume } from '../credits/cost-estimate.ts'
import type { LoadFinding } from '../findings/finding.ts'
import type { LoadPlan } from '../plan/load-plan.ts'
import { sumCounts } from '../metrics/measurements.ts'
import { countRequests } from '../plan/planned-requests.ts'

/** Order of the turns. Each service goes first equally often, so that a slow drift affects both equally. */
export const TURN_ORDER = [
  'target',
  'upstream',
  'upstream',
  'target',
  'target',
  'upstream',
  'upstream',
  'target',
] as const

/** The service that receives the requests of a turn. */
export type MeasuredServer = (typeof TURN_ORDER)[number]

const TURNS_PER_SIDE = TURN_ORDER.length / 2

/** Returns a finding if a run cannot be divided into turns, otherwise undefined. */
export function findTurnsProblem({ options, scenario: { isRepeatable } }: LoadPlan): LoadFinding | undefined {
  const { scenario, profile, trace, startAtUnixMs } = options
  const what = !isRepeatable
    ? `the scenario ${scenario}`
    : profile === 'breakpoint' || profile === 'soak'
      ? `the profile ${profile}`
      : trace !== undefined
        ? 'a trace'
        : startAtUnixMs !== undefined
          ? 'a start time'
          : undefined
  return what === undefined ? undefined : { code: 'turns-not-possible', params: { what } }
}

/** Builds the settings of a turn: an equal share of the plan, with different prompts in each turn. */
export function buildTurnSettings(settings: TrafficSettings, index: number): TrafficSettings {
  const { stages, iterations, seed } = settings
  return {
    ...settings,
    seed: seed + index * 1_000_003,
    stages: stages.map(({ durationS, ...stage }) => ({ ...stage, durationS: durationS / TURNS_PER_SIDE })),
    ...(iterations === undefined ? {} : { iterations: Math.ceil(iterations / TURNS_PER_SIDE) }),
  }
}

/** Estimates the cost of all turns of the target and of the upstream together. */
export function estimateTotalCost({
  options,
  settings,
  prompts,
}: Pick<LoadPlan, 'options' | 'settings' | 'prompts'>): CostEstimate {
  const volumes = TURN_ORDER.map((_, index) => volumeOf(options.scenario, buildTurnSettings(settings, index), prompts))
  return estimateCost(volumes.reduce(addVolumes))
}

export function estimateTurnCost(
  scenario: string,
  settings: TrafficSettings,
  prompts: LoadPlan['prompts'],
): CostEstimate {
  return estimateCost(volumeOf(scenario, settings, prompts))
}

function volumeOf(scenario: string, settings: TrafficSettings, prompts: LoadPlan['prompts']): LoadVolume {
  return countRequests(scenario, { settings, arrivals: planArrivals(settings, undefined), prompts })
}

function addVolumes(a: LoadVolume, b: LoadVolume): LoadVolume {
  return {
    warmUpRequests: 0,
    requests: a.requests === null || b.requests === null ? null : sumCounts([a.requests, b.requests]),
    chatTokens: {
      prompt: a.chatTokens.prompt + b.chatTokens.prompt,
      completion: a.chatTokens.completion + b.chatTokens.completion,
    },
    chatModel: a.chatModel,
    ...(a.isUnbounded === true || b.isUnbounded === true ? { isUnbounded: true } : {}),
  }
}
