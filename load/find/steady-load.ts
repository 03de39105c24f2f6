import type { SeriesEntry } from '../../reports/load-document.ts'
import type { LoadSearchLatency } from '../../reports/load-parts-document.ts'
import { getPercentileMs, type Histogram, mergeHistograms } from '../metrics/histogram.ts'

/** Minimum numbers of seconds and of successful requests for a rate. */
const MIN_SECONDS = 3
const MIN_RESPONSES = 10

/**
 * Returns the seconds of a run with a steady load, until `endS`. They begin when as many requests succeeded as were in
 * flight at the first success, because the first requests find free slots and short queues. Returns no seconds if the run
 * ended too early for a rate.
 */
export function listSteadySeconds(series: readonly SeriesEntry[], endS: number): SeriesEntry[] {
  let succeeded = 0
  let first: number | undefined
  const last = series.findIndex(({ ok, inFlight }) => {
    succeeded += ok
    if (succeeded > 0) first ??= inFlight
    return first !== undefined && succeeded >= first
  })
  const steady = last < 0 ? [] : series.slice(last + 1).filter(({ atS }) => atS + 1 <= endS)
  return steady.length < MIN_SECONDS || sumOf(steady, 'ok') < MIN_RESPONSES ? [] : steady
}

export function sumOf(seconds: readonly SeriesEntry[], field: 'ok' | 'failed' | 'inFlight'): number {
  return seconds.reduce((sum, entry) => sum + entry[field], 0)
}

export function mergeTtft(seconds: readonly SeriesEntry[]): Histogram | undefined {
  return mergeHistograms(seconds.flatMap(({ ttft }) => ttft ?? []))
}

/** Returns percentiles of the TTFT of the requests that ended in these seconds, or null if there are none. */
export function summarizeTtft(seconds: readonly SeriesEntry[]): LoadSearchLatency | null {
  const ttft = mergeTtft(seconds)
  if (ttft === undefined) return null
  return { p50Ms: getPercentileMs(ttft, 50), p90Ms: getPercentileMs(ttft, 90), p99Ms: getPercentileMs(ttft, 99) }
}
