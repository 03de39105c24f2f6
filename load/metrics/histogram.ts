import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js'

export type { Histogram }

/** An hour, as in the extension: histograms with the same ends and digits are the same bytes where they hold the same. */
const HIGHEST_US = 3_600_000_000

/** An empty histogram of microseconds. */
export function createHistogram(digits: 2 | 4): Histogram {
  return build({
    bitBucketSize: 64,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: digits,
    autoResize: true,
  })
}

/** Reads HDR V2, compressed, base64. @throws when it is none */
export function decodeHistogram(encoded: string): Histogram {
  const histogram = decodeFromCompressedBase64(encoded, 64)
  histogram.autoResize = true
  return histogram
}

/** The reverse. */
export function encodeHistogram(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram)
}

/** One histogram of all samples: bucket for bucket the sum of the others, which have to have the same digits. */
export function mergeHistograms(encoded: readonly string[]): Histogram | undefined {
  const [first, ...others] = encoded
  if (first === undefined) return undefined
  const merged = decodeHistogram(first)
  for (const other of others) merged.add(decodeHistogram(other))
  return merged
}

/** The value in milliseconds that this share of all samples does not exceed. */
export function percentileMs(histogram: Histogram, percent: number): number {
  return histogram.getValueAtPercentile(percent) / 1000
}

/** To microseconds: more would be noise. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
