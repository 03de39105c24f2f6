import type { RunStatistics } from './statistics.ts'

export interface TimingFigures {
  /** Delay of the first byte after its planned time: p50 of all streams. */
  readonly firstLateP50Ms: RunStatistics
  readonly firstLateP99Ms: RunStatistics
  /** Deviation of the median stream duration from the planned duration, in percent. */
  readonly totalErrorP50Percent: RunStatistics
  readonly totalErrorP99Percent: RunStatistics
}

export interface TimingCase {
  readonly streams: number
  readonly itlMs: number
  readonly startsWithinMs: number
}

/** Upper bound of one figure in one case of `bench:timing`. */
interface Bound {
  readonly streams: number
  /**
   * Milliseconds between two events of the streams to which the bound applies. If absent, the bound applies to all
   * streams.
   */
  readonly itlMs?: number
  readonly startsWithinMs: number
  readonly figure: keyof TimingFigures
  readonly atMost: number
}

const BOUNDS: readonly Bound[] = [
  { streams: 100, itlMs: 10, startsWithinMs: 1000, figure: 'totalErrorP50Percent', atMost: 0.15 },
  { streams: 100, itlMs: 10, startsWithinMs: 0, figure: 'totalErrorP50Percent', atMost: 0.15 },
  { streams: 1000, itlMs: 20, startsWithinMs: 1000, figure: 'totalErrorP50Percent', atMost: 0.5 },
  { streams: 1000, itlMs: 20, startsWithinMs: 0, figure: 'totalErrorP50Percent', atMost: 0.5 },
  { streams: 1000, startsWithinMs: 1000, figure: 'firstLateP50Ms', atMost: 2 },
  { streams: 1000, startsWithinMs: 1000, figure: 'firstLateP99Ms', atMost: 10 },
  { streams: 1000, startsWithinMs: 0, figure: 'firstLateP50Ms', atMost: 15 },
  { streams: 1000, startsWithinMs: 0, figure: 'firstLateP99Ms', atMost: 50 },
]

const TITLES: Readonly<Record<keyof TimingFigures, readonly [what: string, unit: string]>> = {
  firstLateP50Ms: ['first byte late at p50', 'ms'],
  firstLateP99Ms: ['first byte late at p99', 'ms'],
  totalErrorP50Percent: ['total late at p50', '%'],
  totalErrorP99Percent: ['total late at p99', '%'],
}

/** A bound, and the medians of the emulator and of the bare server over all rounds. */
export interface BoundResult extends Bound {
  readonly itlMs: number
  readonly emulator: number
  readonly bare: number
  readonly isKept: boolean
}

/** Compares the emulator's medians with the bounds of each case. A case may have no bound. */
export function checkBounds(
  cases: readonly (TimingCase & { readonly emulator: TimingFigures; readonly bare: TimingFigures })[],
): readonly BoundResult[] {
  return cases.flatMap(({ streams, itlMs, startsWithinMs, emulator, bare }) =>
    BOUNDS.filter(
      (bound) =>
        bound.streams === streams &&
        bound.startsWithinMs === startsWithinMs &&
        (bound.itlMs === undefined || bound.itlMs === itlMs),
    ).map((bound) => {
      const actual = emulator[bound.figure].median
      return { ...bound, itlMs, emulator: actual, bare: bare[bound.figure].median, isKept: actual <= bound.atMost }
    }),
  )
}

export function describeBoundResult({
  streams,
  itlMs,
  startsWithinMs,
  figure,
  atMost,
  emulator,
  bare,
  isKept,
}: BoundResult): string {
  const [what, unit] = TITLES[figure]
  return `timing: ${isKept ? 'met' : 'MISSED'}: ${streams} streams ${describeStart(startsWithinMs)}, itl ${itlMs} ms: ${what} ${emulator} ${unit}, limit ${atMost} (bare server: ${bare})\n`
}

export function describeStart(startsWithinMs: number): string {
  return startsWithinMs === 0 ? 'simultaneously' : `within ${startsWithinMs} ms`
}
