import { type LatencyDistribution, findQuantile, readDistribution } from '../../distribution.ts'
import type { LoadError, LoadFigure } from '../../load-document.ts'
import { getReportedErrorBound } from '../../load-verdict.ts'
import { CHARTED_PERCENTILES, positionOf } from './percentile-axis.ts'

/** Returns the error band of a percentile, given its position on the axis and its value in milliseconds. */
export type ErrorBand = (x: number, ms: number) => { readonly low: number; readonly high: number }

/**
 * Creates the error band of a figure: the percentiles of the lower and of the upper bounds of its samples. Without
 * bounds of samples, the band interpolates the error bounds of p50, p90, p95 and p99. Returns undefined if the error is
 * unknown.
 */
export function createErrorBand({ bounds, error }: LoadFigure): ErrorBand | undefined {
  const low = bounds === undefined ? undefined : tryRead(bounds.low.histogram)
  const high = bounds === undefined ? undefined : tryRead(bounds.high.histogram)
  if (low !== undefined && high !== undefined) {
    return (x, ms) => {
      const share = 1 - 10 ** -x
      return { low: Math.min(ms, findQuantile(low, share) ?? ms), high: Math.max(ms, findQuantile(high, share) ?? ms) }
    }
  }
  if (error === null) return undefined
  return (x, ms) => {
    const bound = interpolateBound(error, x)
    return { low: Math.max(0, ms - bound), high: ms + bound }
  }
}

function interpolateBound(error: LoadError, x: number): number {
  const bounds = CHARTED_PERCENTILES.map(({ name, share }) => ({
    x: positionOf(share),
    ms: getReportedErrorBound(error, name),
  }))
  const right = bounds.find((bound) => bound.x >= x) ?? bounds.at(-1)
  const left = bounds.findLast((bound) => bound.x <= x) ?? right
  if (left === undefined || right === undefined) return 0
  const fraction = right.x === left.x ? 0 : (x - left.x) / (right.x - left.x)
  return left.ms + fraction * (right.ms - left.ms)
}

/** Reads a histogram. Returns undefined for an invalid one, which a document of a different program may contain. */
export function tryRead(histogram: string): LatencyDistribution | undefined {
  try {
    return readDistribution(histogram)
  } catch {
    return undefined
  }
}
