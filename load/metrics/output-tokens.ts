import type { LoadFigure, OutputTokens } from '../../reports/load-document.ts'
import { getErrorBound } from './figure.ts'
import { roundMs } from './histogram.ts'
import { listEntries, type Measurements, sumOutput } from './measurements.ts'
import { mergeFigures } from './merge-measurements.ts'

/** Calculates the output tokens per second of the run and of a stream. Returns undefined without a response of chat. */
export function calculateOutputTokens({ requests, metrics, durationMs }: Measurements): OutputTokens | undefined {
  const { responses, withUsage, completionTokens } = sumOutput(requests)
  if (responses === 0 || durationMs <= 0) return undefined
  const figures = listEntries(metrics).flatMap(([, { tpotMs }]) => tpotMs ?? [])
  return {
    responses,
    withUsage,
    perSecond: withUsage === 0 ? null : roundMs((completionTokens * 1000) / durationMs),
    perStream: figures.length === 0 ? null : calculateStreamRates(mergeFigures(figures)),
  }
}

/** Calculates the rate of a stream from its TPOT: half of the streams are slower than 1 s / p50 of the TPOT. */
export function calculateStreamRates(tpot: LoadFigure): OutputTokens['perStream'] {
  const at = (statistic: 'p50' | 'p90' | 'p95' | 'p99') => {
    const errorMs = tpot.error === null ? null : getErrorBound(tpot.error, statistic)
    const rate = (ms: number) => (ms <= 0 ? null : roundMs(1000 / ms))
    return {
      perSecond: rate(tpot[statistic]) ?? 0,
      low: errorMs === null ? null : rate(tpot[statistic] + errorMs),
      high: errorMs === null ? null : rate(tpot[statistic] - errorMs),
    }
  }
  return tpot.p50 <= 0 ? null : { n: tpot.n, p50: at('p50'), p10: at('p90'), p5: at('p95'), p1: at('p99') }
}
