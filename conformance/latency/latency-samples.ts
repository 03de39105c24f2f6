import { type Operation, OPERATIONS } from '../../contract/facts.ts'
import type { LatencyEntry } from '../../reports/conformance-document.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import { parseJson } from '../http/decode-body.ts'
import type { Exchange, StreamEvent } from '../http/exchange.ts'

/** An operation with separate latencies: streamed chats are measured separately. */
export type TimedOperation = Operation | 'chat-stream'

/** `ttft`: from the start of the request to the first token; `total`: to the last byte. */
export type LatencyMetric = 'ttft' | 'total'

/** All measured operations, in the order of the document. */
export const TIMED_OPERATIONS: readonly TimedOperation[] = [
  'models',
  'chat',
  'chat-stream',
  'images',
  'transcriptions',
  'speech',
]

interface Series {
  readonly operation: TimedOperation
  readonly figure: LatencyMetric
  readonly valuesMs: number[]
  /** Number of samples that are the time to a first event instead of a first token. */
  firstEvents: number
}

/**
 * Collects the times of complete responses with a success status, per operation: to the last byte, and to the first
 * token of streams.
 */
export class LatencySamples {
  readonly #series = new Map<string, Series>()

  /** Adds the times of a response. Ignores failed responses and those of no operation. */
  add(exchange: Exchange): void {
    const operation = findOperation(exchange.request.method, exchange.request.path)
    if (operation === undefined || exchange.error !== undefined || exchange.status < 200 || exchange.status > 299) {
      return
    }
    const isStream = operation === 'chat' && exchange.events.length > 0
    const timed = isStream ? 'chat-stream' : operation
    this.#seriesOf(timed, 'total').valuesMs.push(exchange.totalMs)
    const token = isStream ? firstToken(exchange.events) : undefined
    if (token !== undefined) {
      const series = this.#seriesOf(timed, 'ttft')
      series.valuesMs.push(token.atMs)
      series.firstEvents += token.isFirstEvent ? 1 : 0
    }
  }

  /** Milliseconds, in the order of arrival. */
  valuesOf(operation: TimedOperation, figure: LatencyMetric): readonly number[] {
    return this.#series.get(`${operation} ${figure}`)?.valuesMs ?? []
  }

  /** Nearest-rank percentiles, in the order of the document's operations. */
  entries(): LatencyEntry[] {
    const place = ({ operation }: Series): number => TIMED_OPERATIONS.indexOf(operation)
    const groups = [...this.#series.values()].toSorted(
      (a, b) => place(a) - place(b) || a.figure.localeCompare(b.figure),
    )
    return groups.map(({ operation, figure, valuesMs, firstEvents }) => {
      const sorted = valuesMs.toSorted((a, b) => a - b)
      const rank = (share: number): number => roundMs(nearestRank(sorted, share))
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
    const series = this.#series.get(key) ?? { operation, figure, valuesMs: [], firstEvents: 0 }
    this.#series.set(key, series)
    return series
  }
}

function noteOn(firstEvents: number, n: number): string {
  return `time to the first event in ${firstEvents} of ${n} streams: their chunks have no choices[].delta, so that a token cannot be told`
}

/** Returns the operation of a request, by method and path without query; undefined for any other request. */
export function findOperation(method: string, path: string): Operation | undefined {
  const names: readonly Operation[] = ['models', 'chat', 'images', 'transcriptions', 'speech']
  const plainPath = path.split('?')[0]
  return names.find((name) => OPERATIONS[name].method === method && OPERATIONS[name].path === plainPath)
}

/**
 * Returns the nearest-rank percentile: the smallest sample that at least this share of samples does not exceed.
 * `sorted` ascends; 0 without samples.
 */
export function nearestRank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/** Arrival of the first token of a stream. */
export interface FirstToken {
  /** Milliseconds from the start of the request. */
  readonly atMs: number
  /** True for chunks of an unknown shape: the time is that of the first event. */
  readonly isFirstEvent: boolean
}

/**
 * Finds the first event with non-empty text in a choice. Headers and a chunk with only the role are not tokens.
 * Undefined if no chunk has text, or if there are no events.
 */
export function firstToken(events: readonly StreamEvent[]): FirstToken | undefined {
  const contents = events.map(({ data }) => contentOf(parseJson(data)))
  const index = contents.findIndex((content) => typeof content === 'string')
  const first = events[index]
  if (first !== undefined) {
    return { atMs: first.atMs, isFirstEvent: false }
  }
  const isKnown = contents.some((content) => content !== undefined)
  return isKnown || events[0] === undefined ? undefined : { atMs: events[0].atMs, isFirstEvent: true }
}

/** Returns the first non-empty content; null if the deltas have none, undefined if there is no delta. */
function contentOf(json: unknown): unknown {
  const choices = memberOf(json, 'choices')
  const deltas = Array.isArray(choices) ? choices.map((choice) => memberOf(choice, 'delta')) : []
  const known = deltas.filter((delta) => typeof delta === 'object' && delta !== null)
  return known.length === 0 ? undefined : (known.map((delta) => memberOf(delta, 'content')).find(Boolean) ?? null)
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}
