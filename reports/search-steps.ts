import { formatPlural } from '../common/format-count.ts'
import type { LoadSearch } from './load-parts-document.ts'
import { formatNumber } from './load-verdict.ts'

/** Returns the level that a document describes besides its search, or undefined if there is none. */
export function getShownLevel({ capacity, steps }: LoadSearch): string | undefined {
  const level = capacity.from ?? steps[0]?.level
  return level === undefined ? undefined : formatPlural(level, capacity.unit)
}

/** Returns the columns of the table of measured levels. */
export function listSearchColumns({ capacity: { unit } }: LoadSearch): string[] {
  const isOverStreams = unit === 'parallel streams'
  return [
    isOverStreams ? 'streams' : 'rate per second',
    'outcome',
    'runs',
    'sent',
    'failed',
    'goodput per second',
    isOverStreams ? 'ok per second' : 'streams',
    'ttft p50',
    'ttft p99',
    'e2e p50',
    'e2e p99',
  ]
}

/** Builds the rows of the table of measured levels. Latencies are milliseconds. */
export function listSearchRows({ steps, capacity: { unit } }: LoadSearch): string[][] {
  return steps.map(({ level, outcome, runs, sent, failed, okPerSecond, goodPerSecond, inFlight, ttft, e2e }) => [
    String(level),
    outcome,
    String(runs),
    String(sent),
    String(failed),
    formatNumber(goodPerSecond),
    formatNumber(unit === 'parallel streams' ? okPerSecond : inFlight),
    ...[ttft?.p50Ms, ttft?.p99Ms, e2e?.p50Ms, e2e?.p99Ms].map((ms) => (ms === undefined ? '–' : formatNumber(ms))),
  ])
}

/** Describes the cost of all runs of a search. Returns undefined if it is unknown. */
export function describeSearchCost({ credits }: LoadSearch): string | undefined {
  return credits === null ? undefined : `All runs together cost ${credits} credits.`
}
