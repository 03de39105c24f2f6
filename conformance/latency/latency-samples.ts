import { type Operation, OPERATIONS } from '../../contract/facts.ts'
import type { LatencyEntry } from '../../reports/conformance-document.ts'
import { type Figure, TIMED_OPERATIONS, type TimedOperation } from './budget.ts'
import { nearestRank } from './statistics.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import type { Exchange } from '../http/exchange.ts'
import { firstToken } from './first-token.ts'

interface Series {
  readonly operation: TimedOperation
  readonly figure: Figure
  readonly valuesMs: number[]
  /** How many of them are no first token but a first event. */
  firstEvents: number
}

/** Collects times of whole answers with a success status, per operation: to the last byte, and to the first token of streams. */
export class LatencySamples {
  readonly #series = new Map<string, Series>()

  /** Takes the times of an answer; one that failed, or goes to no operation, has none. */
  note(exchange: Exchange): void {
    const operation = operationOf(exchange.request.method, exchange.request.path)
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

  /** Milliseconds, in the order of their coming. */
  valuesOf(operation: TimedOperation, figure: Figure): readonly number[] {
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

  #seriesOf(operation: TimedOperation, figure: Figure): Series {
    const key = `${operation} ${figure}`
    const series = this.#series.get(key) ?? { operation, figure, valuesMs: [], firstEvents: 0 }
    this.#series.set(key, series)
    return series
  }
}

function noteOn(firstEvents: number, n: number): string {
  return `time to the first event in ${firstEvents} of ${n} streams: their chunks have no choices[].delta, so that a token cannot be told`
}

/** The operation that a request goes to, by method and path without query; undefined for any other. */
export function operationOf(method: string, path: string): Operation | undefined {
  const names: readonly Operation[] = ['models', 'chat', 'images', 'transcriptions', 'speech']
  const plainPath = path.split('?')[0]
  return names.find((name) => OPERATIONS[name].method === method && OPERATIONS[name].path === plainPath)
}
