import type { SeriesEntry } from '../../reports/load-document.ts'
import type { CheckResult } from '../../scenarios/lib/extension-result.ts'
import { NEEDED_SAMPLES } from './budget.ts'
import type { Facts } from '../metrics/measurements.ts'
import { mergeHistograms, percentileMs, roundMs } from '../metrics/histogram.ts'

/** What a quarter may differ by without anything having changed: a p99 rests on few samples. */
const MOST_GROWTH = { p50: 1.2, p99: 1.5 } as const
/** Less is nothing that anybody would notice. */
const LEAST_MS = 1
/** Percentage points. */
const MOST_MORE_FAILURES = 1

/** Whether a run ended as it began: its last quarter against its first, by the seconds of its series. */
export function judgeDrift({ series }: Pick<Facts, 'series'>): CheckResult[] {
  const first = series.slice(0, Math.floor(series.length / 4))
  const last = series.slice(series.length - first.length)
  return [slower('p50', first, last), slower('p99', first, last), moreFailures(first, last)]
}

function slower(
  statistic: keyof typeof MOST_GROWTH,
  first: readonly SeriesEntry[],
  last: readonly SeriesEntry[],
): CheckResult {
  const [before, after] = [ttftOf(first, statistic), ttftOf(last, statistic)]
  const growth = MOST_GROWTH[statistic]
  const name = `the ${statistic} of times to first token in the last quarter is at most ${growth} times that in the first`
  if (before === null || after === null) return claim(name, null)
  return claim(`${name}: ${before} ms, then ${after} ms`, after <= Math.max(before * growth, before + LEAST_MS))
}

/** Null where there are too few samples. */
function ttftOf(seconds: readonly SeriesEntry[], statistic: keyof typeof MOST_GROWTH): number | null {
  const histogram = mergeHistograms(seconds.flatMap(({ ttft }) => ttft ?? []))
  if (histogram === undefined || histogram.totalCount < NEEDED_SAMPLES[statistic]) return null
  return roundMs(percentileMs(histogram, Number(statistic.slice(1))))
}

function moreFailures(first: readonly SeriesEntry[], last: readonly SeriesEntry[]): CheckResult {
  const [before, after] = [failedPercent(first), failedPercent(last)]
  const name = 'no more requests fail in the last quarter than in the first'
  if (before === null || after === null) return claim(name, null)
  return claim(`${name}: ${before} %, then ${after} %`, after <= before + MOST_MORE_FAILURES)
}

function failedPercent(seconds: readonly SeriesEntry[]): number | null {
  const failed = seconds.reduce((sum, second) => sum + second.failed, 0)
  const ended = seconds.reduce((sum, { ok }) => sum + ok, failed)
  return ended === 0 ? null : roundMs((100 * failed) / ended)
}

/** @param holds null: it was not put to the test */
function claim(name: string, holds: boolean | null): CheckResult {
  return { name, passes: holds === true ? 1 : 0, fails: holds === false ? 1 : 0 }
}
