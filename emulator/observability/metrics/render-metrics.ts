import { creditsFromUnits } from '../../state/credits.ts'
import type { Histogram } from './histogram.ts'
import type { Tallies } from './request-metrics.ts'

/** Media type of Prometheus' text format. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What the metrics show beside the tallies. */
export interface Gauges {
  readonly inFlight: number
  readonly accounts: number
  readonly journalEntries: number
}

/**
 * The tallies in Prometheus' text format, version 0.0.4. Written here: the client library counts one value at a time and
 * would have to be loaded before the first request, whereas the tallies cost nothing until they are asked for.
 */
export function renderMetrics(tallies: Tallies, gauges: Gauges): string {
  const { requests, refusals, faults, tokens, chargedUnits, clientsLeft, latenessSeconds } = tallies
  const credits = new Map([...chargedUnits].map(([model, units]) => [model, creditsFromUnits(units)]))
  return [
    ...counter('touchstone_requests_total', 'Requests under /v1.', ['operation', 'status'], requests),
    ...counter('touchstone_refusals_total', 'Requests that were refused.', ['reason'], refusals),
    ...counter('touchstone_faults_total', 'Requests on which a fault was put.', ['fault'], faults),
    ...counter('touchstone_tokens_total', 'Tokens used, prompt and answer.', ['model'], tokens),
    ...counter('touchstone_credits_charged_total', 'Credits charged.', ['model'], credits),
    ...single('touchstone_clients_left_total', 'counter', 'Clients that left before the end.', clientsLeft),
    ...single('touchstone_requests_in_flight', 'gauge', 'Requests under /v1 being answered.', gauges.inFlight),
    ...single('touchstone_accounts', 'gauge', 'Accounts that exist.', gauges.accounts),
    ...single('touchstone_journal_entries', 'gauge', 'Entries in the journal.', gauges.journalEntries),
    ...head('touchstone_ttft_seconds', 'histogram', 'Time to the first event of a stream.'),
    ...byOperation('touchstone_ttft_seconds', tallies.ttftSeconds),
    ...head('touchstone_answer_seconds', 'histogram', 'Time to the end of an answer that was sent whole.'),
    ...byOperation('touchstone_answer_seconds', tallies.totalSeconds),
    ...head('touchstone_event_lateness_seconds', 'histogram', 'How late events were written, against their plan.'),
    ...buckets('touchstone_event_lateness_seconds', '', latenessSeconds),
    '',
  ].join('\n')
}

function head(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

function single(name: string, type: 'counter' | 'gauge', help: string, value: number): string[] {
  return [...head(name, type, help), `${name} ${value}`]
}

/** `counts` by the values of the labels, joined by a space. */
function counter(
  name: string,
  help: string,
  labels: readonly string[],
  counts: ReadonlyMap<string, number | string>,
): string[] {
  const lines = [...counts].map(([joined, count]) => {
    // The last label takes what is left, as names of faults may have spaces.
    const values = joined.split(' ')
    const pairs = labels.map((label, index) =>
      pair(label, (index < labels.length - 1 ? values[index] : values.slice(index).join(' ')) ?? ''),
    )
    return `${name}{${pairs.join(',')}} ${count}`
  })
  return [...head(name, 'counter', help), ...lines]
}

function byOperation(name: string, histograms: ReadonlyMap<string, Histogram>): string[] {
  return [...histograms].flatMap(([operation, histogram]) => buckets(name, pair('operation', operation), histogram))
}

function buckets(name: string, label: string, histogram: Histogram): string[] {
  const counts = histogram.cumulative()
  const prefix = label === '' ? '' : `${label},`
  const suffix = label === '' ? '' : `{${label}}`
  return [
    ...histogram.bounds.map((bound, index) => `${name}_bucket{${prefix}le="${bound}"} ${counts[index]}`),
    `${name}_bucket{${prefix}le="+Inf"} ${histogram.count}`,
    `${name}_sum${suffix} ${histogram.sum}`,
    `${name}_count${suffix} ${histogram.count}`,
  ]
}

/** Backslash, quote and line end are escaped in label values. */
function pair(name: string, value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `${name}="${escaped}"`
}
