import { decodeFromCompressedBase64, JsHistogram } from 'hdr-histogram-js'

/** What a histogram holds, sorted: how many samples were at most so long. */
export interface Distribution {
  readonly n: number
  /** Ascending; `upTo` is the number of samples at or below `valueMs`. */
  readonly steps: readonly { readonly valueMs: number; readonly upTo: number }[]
}

/** Reads a histogram of a load document: HDR V2, compressed, microseconds, base64. @throws when it is none */
export function readDistribution(encoded: string): Distribution {
  const histogram = decodeFromCompressedBase64(encoded, 64)
  if (!(histogram instanceof JsHistogram)) throw new Error('this build of hdr-histogram-js decodes to something else')
  const values = histogram.recordedValuesIterator
  values.reset()
  const steps: { valueMs: number; upTo: number }[] = []
  while (values.hasNext()) {
    const { valueIteratedTo, totalCountToThisValue } = values.next()
    steps.push({ valueMs: histogram.medianEquivalentValue(valueIteratedTo) / 1000, upTo: totalCountToThisValue })
  }
  return { n: histogram.totalCount, steps }
}

/** The sample of this rank in milliseconds, counted from 1; undefined where there is none. */
export function valueAtRank({ n, steps }: Distribution, rank: number): number | undefined {
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

/** The value in milliseconds that this share (0 to 1) of all samples does not exceed. */
export function quantile(distribution: Distribution, share: number): number | undefined {
  return valueAtRank(distribution, Math.max(1, Math.ceil(share * distribution.n)))
}
