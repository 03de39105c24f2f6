import type { LoadSearch } from './load-parts-document.ts'
import { formatNumber } from './load-verdict.ts'

export const SEARCH_COLUMNS = [
  'rate per second',
  'outcome',
  'runs',
  'sent',
  'failed',
  'ok per second',
  'ttft p50',
  'ttft p99',
  'e2e p50',
  'e2e p99',
] as const

/** Builds the rows of the table of measured rates. Latencies are milliseconds. */
export function listSearchRows({ steps }: LoadSearch): string[][] {
  return steps.map(({ rate, outcome, runs, sent, failed, okPerSecond, ttft, e2e }) => [
    String(rate),
    outcome,
    String(runs),
    String(sent),
    String(failed),
    formatNumber(okPerSecond),
    ...[ttft?.p50Ms, ttft?.p99Ms, e2e?.p50Ms, e2e?.p99Ms].map((ms) => (ms === undefined ? '–' : formatNumber(ms))),
  ])
}

/** Describes the cost of all runs of a search. Returns undefined if it is unknown. */
export function describeSearchCost({ credits }: LoadSearch): string | undefined {
  return credits === null ? undefined : `All runs together cost ${credits} credits.`
}
