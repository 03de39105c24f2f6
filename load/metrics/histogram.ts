import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js'

export type { Histogram }

/** One hour, as in the extension: equal samples then give equal bytes. */
const MAX_US = 3_600_000_000

/** Creates an empty histogram of microseconds. */
export function createHistogram(digits: 2 | 4): Histogram {
  return build({
    bitBucketSize: 64,
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_US,
    numberOfSignificantValueDigits: digits,
    autoResize: true,
  })
}

/** Decodes HDR V2, compressed, base64. @throws Error for other text */
export function decodeHistogram(encoded: string): Histogram {
  const histogram = decodeFromCompressedBase64(encoded, 64)
  histogram.autoResize = true
  return histogram
}

/** Encodes as HDR V2, compressed, base64. */
export function encodeHistogram(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram)
}

/** Adds histograms bucket by bucket; they must have the same number of digits. */
export function mergeHistograms(encoded: readonly string[]): Histogram | undefined {
  const [first, ...others] = encoded
  if (first === undefined) return undefined
  const merged = decodeHistogram(first)
  for (const other of others) merged.add(decodeHistogram(other))
  return merged
}

/** The percentile in milliseconds. */
export function percentileMs(histogram: Histogram, percent: number): number {
  return histogram.getValueAtPercentile(percent) / 1000
}

/** Rounds to microseconds. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
