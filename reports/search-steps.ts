import { formatPlural } from '../common/format-count.ts'
import type { LoadBudget, LoadSearch, LoadSearchStep } from './load-parts-document.ts'
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
    'stopped',
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
  return steps.map(
    ({ level, outcome, budgets, runs, sent, failed, stopped, okPerSecond, goodPerSecond, inFlight, ttft, e2e }) => [
      String(level),
      describeStepOutcome(outcome, budgets),
      String(runs),
      String(sent),
      String(failed),
      String(stopped),
      ...[
        goodPerSecond,
        unit === 'parallel streams' ? okPerSecond : inFlight,
        ttft?.p50Ms,
        ttft?.p99Ms,
        e2e?.p50Ms,
        e2e?.p99Ms,
      ].map((value) => (value === undefined || value === null ? '–' : formatNumber(value))),
    ],
  )
}

/** Returns the outcome of a measured level, with the number of samples if it is the reason for an uncertain one. */
export function describeStepOutcome(
  outcome: LoadSearchStep['outcome'],
  budgets: readonly Pick<LoadBudget, 'verdict'>[],
): string {
  const hasTooFew = budgets.some(({ verdict }) => verdict === 'insufficient samples')
  return outcome === 'uncertain' && hasTooFew ? 'too few samples' : outcome
}

/** Describes the cost of all runs of a search. Returns undefined if it is unknown. */
export function describeSearchCost({ credits }: LoadSearch): string | undefined {
  return credits === null ? undefined : `All runs together cost ${credits} credits.`
}
