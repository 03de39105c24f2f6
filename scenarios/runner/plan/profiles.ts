import type { Stage } from '../../lib/load-settings.ts'

/** A shape of load. */
export interface Profile {
  readonly about: string
  readonly arrivals: 'closed' | 'constant'
  /** Requests per second at its peak, for planned arrivals. */
  readonly peakRate: number
  /** Requests at once at its peak, for a closed loop. */
  readonly peakVus: number
  readonly durationS: number
  /** Closed loop: its end, instead of the duration. */
  readonly iterations?: number
  /** Stretches: share of the duration, and level at both ends as a share of the peak. */
  readonly shape: readonly (readonly [share: number, from: number, to: number])[]
}

const STEADY = [[1, 1, 1]] as const

/** The profiles that have a name. */
export const PROFILES = {
  smoke: {
    about: 'a few requests: does it work at all',
    arrivals: 'closed',
    peakRate: 2,
    peakVus: 2,
    durationS: 10,
    iterations: 24,
    shape: STEADY,
  },
  average: {
    about: 'steady traffic for a minute',
    arrivals: 'constant',
    peakRate: 5,
    peakVus: 10,
    durationS: 60,
    shape: STEADY,
  },
  stress: {
    about: 'up to four times that, held, and down',
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
    about: 'quiet, a sudden burst, quiet again',
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
    about: 'steady traffic for an hour',
    arrivals: 'constant',
    peakRate: 5,
    peakVus: 10,
    durationS: 3600,
    shape: STEADY,
  },
  breakpoint: {
    about: 'ever more for five minutes',
    arrivals: 'constant',
    peakRate: 100,
    peakVus: 200,
    durationS: 300,
    shape: [[1, 0.01, 1]],
  },
} as const satisfies Readonly<Record<string, Profile>>

export type ProfileName = keyof typeof PROFILES

/** A profile's stretches for a duration and a peak, in requests per second or requests at once. */
export function stagesOf({ shape }: Pick<Profile, 'shape'>, durationS: number, peak: number): Stage[] {
  return shape.map(([share, from, to]) => ({ durationS: share * durationS, from: from * peak, to: to * peak }))
}
