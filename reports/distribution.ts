import { decodeFromCompressedBase64, JsHistogram } from 'hdr-histogram-js'

/** Cumulative distribution of the samples in a latency histogram. */
export interface LatencyDistribution {
  readonly n: number
  /** Steps in ascending order of `valueMs`. `upTo` is the number of samples that are at most `valueMs`. */
  readonly steps: readonly { readonly valueMs: number; readonly upTo: number }[]
}

/**
 * Decodes a histogram of a load document (HDR V2, compressed, microseconds, base64).
 * @throws Error if the text has a different format
 */
export function readDistribution(encoded: string): LatencyDistribution {
  const histogram = decodeFromCompressedBase64(encoded, 64)
  if (!(histogram instanceof JsHistogram)) throw new Error('this build of hdr-histogram-js decodes to another type')
  const steps: { valueMs: number; upTo: number }[] = []
  // Reads the counts directly, because the library's iterator also calculates the value of every empty count.
  let upTo = 0
  for (let index = 0; upTo < histogram.totalCount && index < histogram.countsArrayLength; index += 1) {
    const count = histogram.getCountAtIndex(index)
    if (count === 0) continue
    upTo += count
    steps.push({ valueMs: histogram.medianEquivalentValue(histogram.valueFromIndex(index)) / 1000, upTo })
  }
  return { n: histogram.totalCount, steps }
}

/**
 * Returns the sample at a rank, in milliseconds. Rank 1 is the smallest sample. Returns undefined for a rank outside 1
 * to `n`.
 */
export function findValueAtRank({ n, steps }: LatencyDistribution, rank: number): number | undefined {
  if (rank < 1 || rank > n) return undefined
  let low = 0
  let high = steps.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((steps[middle]?.upTo ?? 0) >= rank) high = middle
    else low = middle + 1
  }
  return steps[low]?.valueMs
}

/**
 * Returns a quantile in milliseconds: the smallest sample that is at least as large as this fraction of all samples.
 */
export function findQuantile(distribution: LatencyDistribution, share: number): number | undefined {
  return findValueAtRank(distribution, Math.max(1, Math.ceil(share * distribution.n)))
}
