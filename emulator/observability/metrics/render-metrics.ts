import { formatUnits } from '../../state/credits.ts'
import type { Histogram, Metrics } from './metrics.ts'

/** Media type of the Prometheus text format. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface GaugeValues {
  readonly inFlight: number
  readonly accounts: number
  readonly requestLogEntries: number
  /** Absent if the emulator serves any number of requests at once. */
  readonly slots?: { readonly size: number; readonly busy: number; readonly waiting: number } | undefined
}

/**
 * Renders the metrics in the Prometheus text format, version 0.0.4. Does not use prom-client, which would have to be
 * loaded before the first request.
 */
export function renderMetrics(metrics: Metrics, gauges: GaugeValues): string {
  const { requests, errorResponses, faults, tokens, reasoningTokens } = metrics
  const { chargedUnits, clientDisconnects, writeDelaySeconds } = metrics
  const credits = new Map([...chargedUnits].map(([model, units]) => [model, formatUnits(units)]))
  return [
    ...renderCounter('touchstone_requests_total', 'Requests under /v1.', ['operation', 'status'], requests),
    ...renderCounter('touchstone_refusals_total', 'Error responses.', ['reason'], errorResponses),
    ...renderCounter('touchstone_faults_total', 'Requests into which a fault was injected.', ['fault'], faults),
    ...renderCounter('touchstone_tokens_total', 'Tokens used, prompt and completion.', ['model'], tokens),
    ...renderCounter('touchstone_reasoning_tokens_total', 'Reasoning tokens used.', ['model'], reasoningTokens),
    ...renderCounter('touchstone_credits_charged_total', 'Credits charged.', ['model'], credits),
    ...renderSingle(
      'touchstone_clients_left_total',
      'counter',
      'Clients that disconnected before the end of the response.',
      clientDisconnects,
    ),
    ...renderSingle('touchstone_requests_in_flight', 'gauge', 'Requests under /v1 in progress.', gauges.inFlight),
    ...renderSingle('touchstone_accounts', 'gauge', 'Accounts that exist.', gauges.accounts),
    ...renderSingle('touchstone_request_log_entries', 'gauge', 'Entries in the request log.', gauges.requestLogEntries),
    ...(gauges.slots === undefined ? [] : renderSlots(gauges.slots, metrics.queueSeconds)),
    ...metricHeader('touchstone_ttft_seconds', 'histogram', 'Time to the first event of a stream.'),
    ...renderByOperation('touchstone_ttft_seconds', metrics.ttftSeconds),
    ...metricHeader('touchstone_answer_seconds', 'histogram', 'Time to the end of a complete response.'),
    ...renderByOperation('touchstone_answer_seconds', metrics.totalSeconds),
    ...metricHeader('touchstone_event_lateness_seconds', 'histogram', 'How late events were written.'),
    ...renderBuckets('touchstone_event_lateness_seconds', '', writeDelaySeconds),
    '',
  ].join('\n')
}

function renderSlots({ size, busy, waiting }: NonNullable<GaugeValues['slots']>, queueSeconds: Histogram): string[] {
  return [
    ...renderSingle('touchstone_slots', 'gauge', 'Maximum number of requests in service.', size),
    ...renderSingle('touchstone_slots_busy', 'gauge', 'Requests in service.', busy),
    ...renderSingle('touchstone_requests_waiting', 'gauge', 'Requests that wait for a slot.', waiting),
    ...metricHeader('touchstone_queue_seconds', 'histogram', 'Time for which requests waited for a slot.'),
    ...renderBuckets('touchstone_queue_seconds', '', queueSeconds),
  ]
}

function metricHeader(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

function renderSingle(name: string, type: 'counter' | 'gauge', help: string, value: number): string[] {
  return [...metricHeader(name, type, help), `${name} ${value}`]
}

/**
 * Renders a counter metric.
 * @param counts counts by label values, which are separated by spaces
 */
function renderCounter(
  name: string,
  help: string,
  labels: readonly string[],
  counts: ReadonlyMap<string, number | string>,
): string[] {
  const lines = [...counts].map(([joined, count]) => {
    // Keeps spaces in the last label value.
    const values = joined.split(' ')
    const pairs = labels.map((label, index) =>
      formatLabel(label, (index < labels.length - 1 ? values[index] : values.slice(index).join(' ')) ?? ''),
    )
    return `${name}{${pairs.join(',')}} ${count}`
  })
  return [...metricHeader(name, 'counter', help), ...lines]
}

function renderByOperation(name: string, histograms: ReadonlyMap<string, Histogram>): string[] {
  return [...histograms].flatMap(([operation, histogram]) =>
    renderBuckets(name, formatLabel('operation', operation), histogram),
  )
}

function renderBuckets(name: string, label: string, histogram: Histogram): string[] {
  const counts = histogram.getCumulativeCounts()
  const prefix = label === '' ? '' : `${label},`
  const suffix = label === '' ? '' : `{${label}}`
  return [
    ...histogram.bounds.map((bound, index) => `${name}_bucket{${prefix}le="${bound}"} ${counts[index]}`),
    `${name}_bucket{${prefix}le="+Inf"} ${histogram.count}`,
    `${name}_sum${suffix} ${histogram.sum}`,
    `${name}_count${suffix} ${histogram.count}`,
  ]
}

/** Formats a label with its value. Escapes backslashes, quotes and line feeds. */
function formatLabel(name: string, value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `${name}="${escaped}"`
}
