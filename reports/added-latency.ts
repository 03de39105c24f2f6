import {
  ADDED_METRICS,
  type AddedFigure,
  type AddedMetricName,
  type AddedValue,
  type LoadUpstream,
} from './load-parts-document.ts'

/** Labels of the metrics of added latency (the latency that a gateway adds to its upstream), in display order. */
export const ADDED_LABELS: Readonly<Record<AddedMetricName, string>> = {
  ttftMs: 'time to first token',
  itlMs: 'inter-token latency',
  e2eMs: 'time to last byte',
}

/** Statistics of added latency, in display order. */
export const ADDED_STATISTICS = ['p50', 'p90', 'p95', 'p99', 'max'] as const satisfies readonly (keyof AddedFigure)[]

/** Columns of the table of added latencies, in milliseconds. */
export const ADDED_COLUMNS = ['milliseconds', 'samples', ...ADDED_STATISTICS, 'p50 and p99 are within'] as const

/** Builds the rows of the table of added latencies. The last cell is empty if the bounds are unknown. */
export function listAddedLatencyRows({ added, method }: LoadUpstream): string[][] {
  return ADDED_METRICS.flatMap((metric) => {
    const figure = added[metric]
    if (figure === undefined) return []
    const values = ADDED_STATISTICS.map((statistic) =>
      isKnown(figure[statistic], method) ? formatSignedMs(figure[statistic].ms) : '–',
    )
    return [[ADDED_LABELS[metric], figure.n.toLocaleString('en'), ...values, formatBounds(figure)]]
  })
}

/**
 * Returns whether a value says anything about the gateway. If the latencies were measured alternately, a difference
 * without a confidence interval depends on a few slow responses of the upstream.
 */
export function isKnown({ lowMs, highMs }: AddedValue, method: LoadUpstream['method']): boolean {
  return method === 'record' || (lowMs !== null && highMs !== null)
}

function formatBounds({ p50, p99 }: AddedFigure): string {
  const bounds = [p50, p99].map(formatBound)
  return bounds.every((bound) => bound === '')
    ? ''
    : bounds.map((bound) => (bound === '' ? 'unknown' : bound)).join(', ')
}

/**
 * Formats the lower and the upper bound of a value in milliseconds: `0.2 to 1.4`. Returns an empty string if a bound is
 * unknown.
 */
function formatBound({ lowMs, highMs }: AddedValue): string {
  return lowMs === null || highMs === null ? '' : `${formatSignedMs(lowMs)} to ${formatSignedMs(highMs)}`
}

/** Formats milliseconds, which may be negative, with about three significant digits. */
export function formatSignedMs(ms: number): string {
  const size = Math.abs(ms)
  return ms.toFixed(size < 10 ? 2 : size < 1000 ? 1 : 0)
}

/**
 * Describes what the gateway did with requests, streams and credits. Each element is a sentence or a list of counts.
 */
export function describeForwarding({
  method,
  compared,
  responses,
  forwarding,
  streams,
  credits,
}: LoadUpstream): string[] {
  const lines =
    method === 'record'
      ? [`${compared} of ${responses} responses compared with the request log of the upstream emulator`]
      : [`${responses} responses of the target, and ${compared} of the upstream, measured alternately`]
  if (forwarding !== null) {
    const { sent, received, isIdentified, retried, duplicated, withheld, lost, repeated } = forwarding
    const counts = [
      `requests: ${sent} sent`,
      `${received} received by the upstream`,
      ...(isIdentified
        ? [`${retried} retried`, `${duplicated} duplicated`, `${withheld} withheld`, `${lost} lost`]
        : ['not identified: the gateway does not forward x-client-request-id']),
      ...(repeated === 0 ? [] : [`${repeated} repeated responses`]),
    ]
    lines.push(counts.join(' · '))
  }
  if (streams !== null && streams.judged > 0) {
    const { judged, rebatched, buffered } = streams
    lines.push(`streams: ${judged} compared · ${rebatched} re-batched · ${buffered} buffered`)
  } else if (streams !== null && streams.sentAtOnce > 0) {
    lines.push(
      'buffering not tested: the upstream sent each stream at once. Start the emulator with --latency, such as --latency ttft=200ms,itl=20ms.',
    )
  }
  if (credits !== null)
    lines.push(
      credits.seen === null
        ? `credits: ${credits.charged} charged by the upstream · not compared with the usage, because some responses report none or have a model without a price`
        : `credits: ${credits.seen} counted by the client · ${credits.charged} charged`,
    )
  return lines
}

/** Describes in one sentence how the bounds of added latencies were determined. */
export function describeAddedBounds({ method, added }: LoadUpstream): string {
  if (method === 'turns') {
    const values = Object.values(added).flatMap((figure) => ADDED_STATISTICS.map((statistic) => figure[statistic]))
    const note = values.every((value) => isKnown(value, method))
      ? ''
      : ' A dash marks a value without such an interval.'
    return `Bounds: 98 % confidence interval of the difference.${note}`
  }
  const hasBounds = Object.values(added).some(({ p50 }) => p50.lowMs !== null)
  // The bounds that a calibration estimates do not apply to the maximum.
  const isOfThisRun = Object.values(added).some(({ max }) => max.lowMs !== null)
  if (isOfThisRun) return 'Bounds: calculated from the times at which the kernel received the events of this run.'
  return hasBounds
    ? 'Bounds: the measured value ± the measurement error of this generator on a direct connection (p99).'
    : 'No bounds: the generator was not calibrated.'
}
