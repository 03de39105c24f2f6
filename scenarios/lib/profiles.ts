import type { LoadSettings, Stage } from './load-settings.ts'

/** Shape of a run's load: peak, duration and stages. */
export interface Profile {
  /** Purpose of the profile, which the help shows. */
  readonly about: string
  readonly arrivals: 'closed' | 'constant'
  /** Requests per second at the peak, if arrivals are planned. */
  readonly peakRate: number
  /** Concurrent requests at the peak, if the load is a closed loop. */
  readonly peakVus: number
  readonly durationS: number
  /** Number of iterations of a closed loop. If present, it replaces the duration. */
  readonly iterations?: number
  readonly stopsWhenBroken?: boolean
  /**
   * Stages of the profile: fraction of the duration, and the load at the start and the end as fractions of the peak.
   */
  readonly shape: readonly (readonly [share: number, from: number, to: number])[]
}

const STEADY = [[1, 1, 1]] as const

export const PROFILES = {
  smoke: {
    about: '24 requests, 2 at a time: does the target work?',
    arrivals: 'closed',
    peakRate: 2,
    peakVus: 2,
    durationS: 10,
    iterations: 24,
    shape: STEADY,
  },
  average: {
    about: 'one minute at a steady rate: does the target handle its usual load?',
    arrivals: 'constant',
    peakRate: 5,
    peakVus: 10,
    durationS: 80,
    shape: [
      [0.125, 0, 1],
      [0.75, 1, 1],
      [0.125, 1, 0],
    ],
  },
  stress: {
    about: 'one minute at four times the rate of average: does the target handle a higher load?',
    arrivals: 'constant',
    peakRate: 20,
    peakVus: 40,
    durationS: 120,
    shape: [
      [0.25, 0.25, 1],
      [0.5, 1, 1],
      [0.25, 1, 0.25],
    ],
  },
  spike: {
    about: 'a sudden peak of nine seconds: does the target recover?',
    arrivals: 'constant',
    peakRate: 40,
    peakVus: 80,
    durationS: 60,
    shape: [
      [0.4, 0.05, 0.05],
      [0.05, 0.05, 1],
      [0.15, 1, 1],
      [0.05, 1, 0.05],
      [0.35, 0.05, 0.05],
    ],
  },
  soak: {
    about: 'one hour at a steady rate: does the target leak memory or slow down?',
    arrivals: 'constant',
    peakRate: 5,
    peakVus: 10,
    durationS: 3600,
    shape: STEADY,
  },
  breakpoint: {
    about: 'a rate that increases for five minutes, or until a budget is exceeded: which rate can the target handle?',
    arrivals: 'constant',
    peakRate: 100,
    peakVus: 200,
    durationS: 300,
    stopsWhenBroken: true,
    shape: [[1, 0.01, 1]],
  },
} as const satisfies Readonly<Record<string, Profile>>

export type ProfileName = keyof typeof PROFILES

export interface ProfileOverrides {
  readonly arrivals?: LoadSettings['arrivals'] | undefined
  /** Maximum number of concurrent requests. In a closed loop, this is the number of clients at the peak. */
  readonly vus?: number | undefined
  /** Requests per second at the peak. */
  readonly rate?: number | undefined
  readonly durationS?: number | undefined
  readonly iterations?: number | undefined
}

export type ProfileSettings = Pick<LoadSettings, 'arrivals' | 'stages' | 'vus' | 'iterations' | 'stopsWhenBroken'>

/**
 * Applies overrides to a profile, and returns the resulting settings. A rate selects planned arrivals, and a number of
 * iterations selects a closed loop.
 */
export function resolveProfile(name: ProfileName, overrides: ProfileOverrides = {}): ProfileSettings {
  const profile: Profile = PROFILES[name]
  const { vus, rate, durationS = profile.durationS } = overrides
  const planned = rate === undefined ? profile.arrivals : 'constant'
  const arrivals = overrides.arrivals ?? (overrides.iterations === undefined ? planned : 'closed')
  const isClosed = arrivals === 'closed'
  const peak = isClosed ? (vus ?? profile.peakVus) : (rate ?? profile.peakRate)
  // A duration replaces the profile's number of iterations.
  const iterations = overrides.iterations ?? (overrides.durationS === undefined ? profile.iterations : undefined)
  return {
    arrivals,
    stages: buildStages(profile, durationS, peak),
    vus: vus ?? (isClosed ? peak : defaultVus(peak)),
    ...(isClosed && iterations !== undefined ? { iterations } : {}),
    ...(profile.stopsWhenBroken === true ? { stopsWhenBroken: true } : {}),
  }
}

/**
 * Scales the stages of a profile to a duration and a peak.
 * @param peak requests per second, or concurrent requests in a closed loop
 */
export function buildStages({ shape }: Pick<Profile, 'shape'>, durationS: number, peak: number): Stage[] {
  return shape.map(([share, from, to]) => ({ durationS: share * durationS, from: from * peak, to: to * peak }))
}

/**
 * Returns the default number of VUs, from 20 to 1,000. Up to a peak of 100 requests per second, it suffices for
 * responses of ten seconds.
 */
function defaultVus(peakRate: number): number {
  return Math.min(1000, Math.max(20, Math.ceil(10 * peakRate)))
}
