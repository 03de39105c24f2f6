import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js'

export type { Histogram }

/** One hour. The extension has the same maximum, so that equal samples give equal bytes. */
export const MAX_US = 3_600_000_000

/**
 * Creates an empty histogram of microseconds.
 * @param digits number of significant digits
 */
export function createHistogram(digits: 2 | 4): Histogram {
  return build({
    bitBucketSize: 64,
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_US,
    numberOfSignificantValueDigits: digits,
    autoResize: true,
  })
}

/**
 * Decodes a histogram in the format HDR V2 (compressed, base64).
 * @throws Error if the text has a different format
 */
export function decodeHistogram(encoded: string): Histogram {
  const histogram = decodeFromCompressedBase64(encoded, 64)
  histogram.autoResize = true
  return histogram
}

export function encodeHistogram(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram)
}

/**
 * Adds the bucket counts of several histograms, which must have the same number of digits. Returns undefined for an
 * empty list.
 */
export function mergeHistograms(encoded: readonly string[]): Histogram | undefined {
  const [first, ...others] = encoded
  if (first === undefined) return undefined
  const merged = decodeHistogram(first)
  for (const other of others) merged.add(decodeHistogram(other))
  return merged
}

export function getPercentileMs(histogram: Histogram, percent: number): number {
  return histogram.getValueAtPercentile(percent) / 1000
}

/** Rounds milliseconds to three decimal places (microseconds). */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
