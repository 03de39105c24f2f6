import {
  type Operation,
  OPERATION_NAMES,
  OPERATIONS,
  TIMED_OPERATIONS,
  type TimedOperation,
} from '../../contract/facts.ts'
import type { LatencyEntry } from '../../reports/conformance-document.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import { getMember, parseJson } from '../http/decode-body.ts'
import type { Exchange, RequestSpec, StreamEvent } from '../http/exchange.ts'
import { isStreamingRequest } from '../http/request-body.ts'

export { TIMED_OPERATIONS, type TimedOperation }

/** A time that starts with the request: `ttft` ends with the first token, `total` with the last byte. */
export type LatencyMetric = 'ttft' | 'total'

interface Series {
  readonly operation: TimedOperation
  readonly metric: LatencyMetric
  readonly valuesMs: number[]
  /** Number of samples whose TTFT ends with the first event, because the stream has no recognizable token. */
  firstEvents: number
}

/** Collects the latencies of complete, successful responses, by operation and metric. */
export class LatencySamples {
  readonly #series = new Map<string, Series>()

  /** Adds the latencies of a response. Ignores failed responses and requests to other paths. */
  add(exchange: Exchange): void {
    const operation = findRequestOperation(exchange.request.method, exchange.request.path)
    if (operation === undefined || exchange.wasAborted === true || exchange.error !== undefined) return
    if (exchange.status < 200 || exchange.status > 299) return
    const isStream = operation === 'chat' && exchange.events.length > 0
    const timed = isStream ? 'chat-stream' : operation
    this.#seriesOf(timed, 'total').valuesMs.push(exchange.totalMs)
    const token = isStream ? findFirstToken(exchange.events) : undefined
    if (token !== undefined) {
      const series = this.#seriesOf(timed, 'ttft')
      series.valuesMs.push(token.atMs)
      series.firstEvents += token.isFirstEvent ? 1 : 0
    }
  }

  /** Returns the samples in milliseconds, in their order of arrival. */
  valuesOf(operation: TimedOperation, figure: LatencyMetric): readonly number[] {
    return this.#series.get(`${operation} ${figure}`)?.valuesMs ?? []
  }

  /** Returns the nearest-rank percentiles of each operation, in the order of the specification. */
  entries(): LatencyEntry[] {
    const place = ({ operation }: Series): number => TIMED_OPERATIONS.indexOf(operation)
    const groups = [...this.#series.values()].toSorted(
      (a, b) => place(a) - place(b) || a.metric.localeCompare(b.metric),
    )
    return groups.map(({ operation, metric: figure, valuesMs, firstEvents }) => {
      const sorted = valuesMs.toSorted((a, b) => a - b)
      const rank = (share: number): number => roundMs(calculateNearestRank(sorted, share))
      return {
        operation,
        figure,
        n: sorted.length,
        p50: rank(0.5),
        p90: rank(0.9),
        p99: rank(0.99),
        max: rank(1),
        ...(firstEvents === 0 ? {} : { note: noteOn(firstEvents, sorted.length) }),
      }
    })
  }

  #seriesOf(operation: TimedOperation, figure: LatencyMetric): Series {
    const key = `${operation} ${figure}`
    const series = this.#series.get(key) ?? { operation, metric: figure, valuesMs: [], firstEvents: 0 }
    this.#series.set(key, series)
    return series
  }
}

function noteOn(firstEvents: number, n: number): string {
  return `time to the first event in ${firstEvents} of ${n} streams: their chunks have no choices[].delta, so tokens cannot be recognized`
}

/** Returns the operation with this method and path. Ignores the query. Returns undefined for other requests. */
export function findRequestOperation(method: string, path: string): Operation | undefined {
  const plainPath = path.split('?')[0]
  return OPERATION_NAMES.find((name) => OPERATIONS[name].method === method && OPERATIONS[name].path === plainPath)
}

/** Returns the operation with this method and path. Streams count as a separate operation. */
export function findTimedOperation(request: Pick<RequestSpec, 'method' | 'path' | 'body'>): TimedOperation | undefined {
  const operation = findRequestOperation(request.method, request.path)
  return operation === 'chat' && isStreamingRequest(request) ? 'chat-stream' : operation
}

/**
 * Returns the nearest-rank percentile: the smallest sample such that at least this fraction of the samples is no
 * larger. Returns 0 without samples.
 * @param sorted samples in ascending order
 * @param share fraction, e.g. 0.9 for p90
 */
export function calculateNearestRank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

export interface FirstToken {
  /** Time since the start of the request, in milliseconds. */
  readonly atMs: number
  /** Whether the format of the chunks is unknown. `atMs` is then the time of the first event. */
  readonly isFirstEvent: boolean
}

/**
 * Finds the first event whose choice contains non-empty text. A chunk with only a role contains no token. If no chunk
 * has a known format, returns the first event. Returns undefined if the stream has no events, or only chunks without
 * text.
 */
export function findFirstToken(events: readonly StreamEvent[]): FirstToken | undefined {
  const contents = events.map(({ data }) => contentOf(parseJson(data)))
  const index = contents.findIndex((content) => typeof content === 'string')
  const first = events[index]
  if (first !== undefined) return { atMs: first.atMs, isFirstEvent: false }
  const isKnown = contents.some((content) => content !== undefined)
  return isKnown || events[0] === undefined ? undefined : { atMs: events[0].atMs, isFirstEvent: true }
}

/** Returns the first text of the deltas, null if they have none, and undefined if the chunk has no delta. */
function contentOf(json: unknown): unknown {
  const choices = getMember(json, 'choices')
  const deltas = Array.isArray(choices) ? choices.map((choice) => getMember(choice, 'delta')) : []
  const known = deltas.filter((delta) => typeof delta === 'object' && delta !== null)
  return known.length === 0 ? undefined : (known.map((delta) => getMember(delta, 'content')).find(Boolean) ?? null)
}
