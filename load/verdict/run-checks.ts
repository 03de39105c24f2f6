import type { SeriesEntry } from '../../reports/load-document.ts'
import type { CheckResult } from '../../scenarios/lib/extension-result.ts'
import { CREDIT_DRAIN_CHECKS } from '../../scenarios/lib/predict-drain.ts'
import { mergeHistograms, getPercentileMs, roundMs } from '../metrics/histogram.ts'
import type { Measurements } from '../metrics/measurements.ts'
import { MIN_SAMPLES } from './budget.ts'

/**
 * Adds the checks that need the measurements of a whole run. For a target that is not an emulator, converts failed
 * predictions of costs into warnings.
 */
export function addRunChecks(
  measurements: Measurements,
  { scenario, isEmulator }: { scenario: string; isEmulator: boolean },
): Measurements {
  const validation = isEmulator ? measurements.validation : convertPredictionFailures(measurements.validation)
  const drift = scenario === 'soak' && measurements.requests.sent > 0 ? checkDrift(measurements) : []
  return { ...measurements, validation: { ...validation, checks: [...validation.checks, ...drift] } }
}

/**
 * Maximum ratio of the TTFT in the last quarter to that in the first. It is larger for p99, which depends on few
 * samples.
 */
const MAX_GROWTH = { p50: 1.2, p99: 1.5 } as const
/** Minimum growth of the TTFT that counts as a drift. */
const MIN_GROWTH_MS = 1
/** Maximum increase of the failure rate from the first quarter to the last, in percentage points. */
const MAX_MORE_FAILED_PERCENT = 1

/** Compares the last quarter of a time series with the first, and checks that latency and failures did not increase. */
export function checkDrift({ series }: Pick<Measurements, 'series'>): CheckResult[] {
  const first = series.slice(0, Math.floor(series.length / 4))
  const last = series.slice(series.length - first.length)
  return [checkTtft('p50', first, last), checkTtft('p99', first, last), checkFailures(first, last)]
}

function checkTtft(
  statistic: keyof typeof MAX_GROWTH,
  first: readonly SeriesEntry[],
  last: readonly SeriesEntry[],
): CheckResult {
  const [before, after] = [ttftOf(first, statistic), ttftOf(last, statistic)]
  const growth = MAX_GROWTH[statistic]
  const name = `the ${statistic} of times to first token in the last quarter is at most ${growth} times that in the first`
  if (before === null || after === null) return check(name, null)
  return check(`${name}: ${before} ms, then ${after} ms`, after <= Math.max(before * growth, before + MIN_GROWTH_MS))
}

/** Calculates a TTFT statistic over some seconds of the series. Returns null if there are too few samples. */
function ttftOf(seconds: readonly SeriesEntry[], statistic: keyof typeof MAX_GROWTH): number | null {
  const histogram = mergeHistograms(seconds.flatMap(({ ttft }) => ttft ?? []))
  if (histogram === undefined || histogram.totalCount < MIN_SAMPLES[statistic]) return null
  return roundMs(getPercentileMs(histogram, Number(statistic.slice(1))))
}

function checkFailures(first: readonly SeriesEntry[], last: readonly SeriesEntry[]): CheckResult {
  const [before, after] = [failedPercent(first), failedPercent(last)]
  const name = 'no more requests fail in the last quarter than in the first'
  if (before === null || after === null) return check(name, null)
  return check(`${name}: ${before} %, then ${after} %`, after <= before + MAX_MORE_FAILED_PERCENT)
}

function failedPercent(seconds: readonly SeriesEntry[]): number | null {
  const failed = seconds.reduce((sum, second) => sum + second.failed, 0)
  const ended = seconds.reduce((sum, { ok }) => sum + ok, failed)
  return ended === 0 ? null : roundMs((100 * failed) / ended)
}

/** @param holds whether the check passed, or null if it was not tested */
function check(name: string, holds: boolean | null): CheckResult {
  return { name, passes: holds === true ? 1 : 0, fails: holds === false ? 1 : 0 }
}

const PREDICTIONS: readonly string[] = Object.values(CREDIT_DRAIN_CHECKS)

/**
 * Converts failed checks of predicted costs into warnings, because the target's prices may differ from those of the
 * specification. If there is one, also removes the checks of predicted costs that were not tested.
 */
export function convertPredictionFailures(validation: Measurements['validation']): Measurements['validation'] {
  const wrong = validation.checks.filter(({ name, fails }) => fails > 0 && PREDICTIONS.includes(name))
  if (wrong.length === 0) return validation
  const isLeft = (name: string, created: number) =>
    !wrong.some((check) => check.name === name) && (created > 0 || !PREDICTIONS.includes(name))
  return {
    ...validation,
    checks: validation.checks.filter(({ name, passes, fails }) => isLeft(name, passes + fails)),
    violations: [
      ...validation.violations,
      ...wrong.map(({ name, fails }) => ({
        kind: 'other-price',
        count: fails,
        example: `it was expected that ${name}; the specification leaves open how credits are deducted (§8 Limits)`,
      })),
    ],
  }
}
