import { type LatencyDistribution, readDistribution } from '../distribution.ts'
import type { LoadDocument, LoadFigure } from '../load-document.ts'
import { formatNumber, getReportedErrorBound, hasSampleBounds, listFigures, LOAD_VERDICTS } from '../load-verdict.ts'
import {
  compareBudgets,
  compareRanks,
  type Comparison,
  pairValues,
  type PercentileChange,
  remarkOnVersions,
  type RunChange,
} from './comparison.ts'
import { type ConfidenceInterval, estimatePercentile, estimateProportion } from './confidence.ts'

const PERCENTILES = [
  { name: 'p50', share: 0.5 },
  { name: 'p90', share: 0.9 },
  { name: 'p99', share: 0.99 },
] as const

export function compareLoad(
  before: LoadDocument,
  after: LoadDocument,
): Pick<Comparison, 'headline' | 'remarks' | 'changes' | 'moves'> {
  const older = [before, after].map(countsOnlyText)
  return {
    ...(older[0] === older[1] ? {} : { headline: describeOlderMeaning(older[0] === true) }),
    remarks: remarksOf(before, after),
    changes: [
      ...runChange(before, after),
      ...findingChanges(before, after),
      ...compareBudgets(before.budgets, after.budgets),
      ...failedChange(before, after),
      ...streamChanges(before, after),
    ],
    moves: movesOf(before, after),
  }
}

/**
 * Returns whether the token times of a document count only events with text. Documents of this kind lack the output of
 * operations.
 */
function countsOnlyText({ metrics, requests }: LoadDocument): boolean {
  return metrics['chat-stream']?.ttftMs !== undefined && requests.byOperation['chat-stream']?.output === undefined
}

function describeOlderMeaning(isFirst: boolean): string {
  return `TTFT, ITL and TPOT differ in meaning: the ${isFirst ? 'first' : 'second'} run is from an earlier version, in which these metrics count only events with text.`
}

function remarksOf(before: LoadDocument, after: LoadDocument): string[] {
  const differing = [
    ...(['scenario', 'profile', 'arrivals'] as const).filter((name) => before[name] !== after[name]),
    ...Object.keys({ ...before.settings, ...after.settings }).filter(
      (name) => before.settings[name] !== after.settings[name],
    ),
  ]
  const unknown = [before, after].some((document) => document.calibration === null && !hasSampleBounds(document))
  return [
    ...remarksOnInvalidRuns(before, after),
    ...(differing.length === 0 ? [] : [`The runs used different settings: ${differing.join(', ')}.`]),
    ...remarkOnVersions(before, after),
    ...(unknown ? ['Where an error bound was not measured, the confidence intervals alone decide.'] : []),
  ]
}

function remarksOnInvalidRuns(before: LoadDocument, after: LoadDocument): string[] {
  const [isFirst, isSecond] = [before.verdict === 'invalid', after.verdict === 'invalid']
  if (isFirst && isSecond) return ['Both runs are invalid, so their latencies say nothing about the target.']
  if (!isFirst && !isSecond) return []
  return [`The ${isFirst ? 'first' : 'second'} run is invalid, so its latencies say nothing about the target.`]
}

function runChange(before: LoadDocument, after: LoadDocument): RunChange[] {
  if (before.verdict === after.verdict) return []
  const direction = compareRanks(LOAD_VERDICTS[before.verdict].rank, LOAD_VERDICTS[after.verdict].rank)
  return [{ direction, sort: 'run', subject: 'the run', before: before.verdict, after: after.verdict }]
}

/** Lists the findings whose code only one run has, such as that a gateway buffers streams. */
function findingChanges(before: LoadDocument, after: LoadDocument): RunChange[] {
  const reasonsOf = ({ findings, reasons }: LoadDocument): Map<string, string> =>
    new Map(findings.map(({ code }, index) => [code, reasons[index] ?? code]))
  const none = 'no such finding'
  return pairValues(reasonsOf(before), reasonsOf(after)).flatMap(([code, old, now]): RunChange[] => {
    if ((old === undefined) === (now === undefined)) return []
    const direction = old === undefined ? 'worse' : 'better'
    return [{ direction, sort: 'finding', subject: code, before: old ?? none, after: now ?? none }]
  })
}

function failedChange(before: LoadDocument, after: LoadDocument): RunChange[] {
  const [old, now] = [before, after].map(({ requests }) => estimateProportion(requests.failed, requests.sent))
  if (old === undefined || now === undefined || touch(old, now)) return []
  const words = ({ requests }: LoadDocument): string =>
    `${formatNumber((100 * requests.failed) / requests.sent)} % of ${requests.sent}`
  const direction = now.low > old.high ? 'worse' : 'better'
  return [{ direction, sort: 'failed', subject: 'share of requests', before: words(before), after: words(after) }]
}

function streamChanges(before: LoadDocument, after: LoadDocument): RunChange[] {
  const countsOf = ({ validation }: LoadDocument): Map<string, number> =>
    new Map(validation.violations.map(({ kind, count }) => [kind, count]))
  return pairValues(countsOf(before), countsOf(after)).flatMap(([kind, old = 0, now = 0]): RunChange[] => {
    if (old === now) return []
    const direction = old === 0 ? 'worse' : now === 0 ? 'better' : 'different'
    const words = (count: number, { validation }: LoadDocument): string => `${count} of ${validation.streams} streams`
    return [{ direction, sort: 'streams', subject: kind, before: words(old, before), after: words(now, after) }]
  })
}

function movesOf(before: LoadDocument, after: LoadDocument): PercentileChange[] {
  const moves = listFigures(after).flatMap(({ operation, metric, name, figure }) => {
    // Ignores the scheduling delay, because it is a property of the load generator, not of the target.
    const old = metric === 'startLagMs' ? undefined : before.metrics[operation]?.[metric]
    if (old === undefined) return []
    // The inter-token latencies of a stream depend on each other. Therefore, a stream counts as one independent value.
    const independent = [before, after].map(({ metrics }) =>
      metric === 'itlMs' ? metrics[operation]?.ttftMs?.n : undefined,
    )
    return [{ operation, metric, list: movesOfFigure(name, [old, figure], independent) }]
  })
  const later = moves
    .filter(({ metric, list }) => metric === 'ttftMs' && list.some(({ direction }) => direction === 'worse'))
    .map(({ operation }) => operation)
  return moves.flatMap(({ operation, metric, list }) =>
    later.includes(operation) && BETWEEN_TOKENS.has(metric) ? list.map(qualify) : list,
  )
}

/** Metrics of the time between tokens, which falls if a buffer collects tokens and sends them together. */
const BETWEEN_TOKENS: ReadonlySet<string> = new Set(['itlMs', 'tpotMs'])

/** Marks a lower time between tokens as unclear if the first token arrives later. */
function qualify({ beforeInterval: _before, afterInterval: _after, ...move }: PercentileChange): PercentileChange {
  if (move.direction !== 'better') return move
  return {
    ...move,
    direction: 'unclear',
    note: 'lower, but the first token arrives later, so a buffer may have collected tokens',
  }
}

function movesOfFigure(
  name: string,
  [before, after]: readonly [LoadFigure, LoadFigure],
  independent: readonly (number | undefined)[],
): PercentileChange[] {
  const [earlier, later] = [tryRead(before), tryRead(after)]
  return PERCENTILES.flatMap((percentile): PercentileChange[] => {
    const { name: statistic } = percentile
    const common = { figure: `${name} ${statistic}`, before: before[statistic], after: after[statistic] }
    if (earlier === undefined || later === undefined) {
      return [{ ...common, direction: 'unclear', note: 'a histogram cannot be read' }]
    }
    const old = boundedInterval(earlier, percentile, before, independent[0])
    const now = boundedInterval(later, percentile, after, independent[1])
    if (old === undefined || now === undefined) return [{ ...common, direction: 'unclear', note: 'too few samples' }]
    if (touch(old, now)) return []
    const direction = now.low > old.high ? 'worse' : 'better'
    return [{ ...common, direction, beforeInterval: old, afterInterval: now }]
  })
}

function boundedInterval(
  distribution: LatencyDistribution,
  { name, share }: (typeof PERCENTILES)[number],
  { error }: LoadFigure,
  independent: number | undefined,
): ConfidenceInterval | undefined {
  const interval = estimatePercentile(distribution, share, Math.min(distribution.n, independent ?? distribution.n))
  if (interval === undefined) return undefined
  const bound = error === null ? 0 : getReportedErrorBound(error, name)
  return { low: Math.max(0, interval.low - bound), high: interval.high + bound }
}

function tryRead({ histogram }: LoadFigure): LatencyDistribution | undefined {
  try {
    return readDistribution(histogram)
  } catch {
    // A document that a different program wrote may contain an invalid histogram. Without the histogram, the change is
    // unclear.
    return undefined
  }
}

function touch(one: ConfidenceInterval, other: ConfidenceInterval): boolean {
  return one.low <= other.high && other.low <= one.high
}
