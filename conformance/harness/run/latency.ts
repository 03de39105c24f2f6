import { type Operation, OPERATIONS } from '../../../contract/facts.ts'
import type { LatencyEntry } from '../../../reports/conformance-document.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import type { Exchange } from '../exchange.ts'

/** Collects times of answers with a success status, per operation: the first event of streams, the last byte of the others. */
export class LatencySamples {
  readonly #samples = new Map<string, { operation: Operation; figure: LatencyEntry['figure']; valuesMs: number[] }>()

  note(exchange: Exchange): void {
    const operation = operationOf(exchange.request.method, exchange.request.path)
    if (operation === undefined || exchange.error !== undefined || exchange.status < 200 || exchange.status > 299) {
      return
    }
    const firstEvent = exchange.events[0]
    if (firstEvent === undefined) {
      this.#add(operation, 'total', exchange.totalMs)
    } else {
      this.#add(operation, 'ttft', firstEvent.atMs)
    }
  }

  /** Nearest-rank percentiles, in the order of the document's operations. */
  entries(): LatencyEntry[] {
    const order = Object.keys(OPERATIONS)
    const groups = [...this.#samples.values()].toSorted(
      (a, b) => order.indexOf(a.operation) - order.indexOf(b.operation) || a.figure.localeCompare(b.figure),
    )
    return groups.map(({ operation, figure, valuesMs }) => {
      const sorted = valuesMs.toSorted((a, b) => a - b)
      const rank = (share: number): number => roundMs(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
      return { operation, figure, n: sorted.length, p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), max: rank(1) }
    })
  }

  #add(operation: Operation, figure: LatencyEntry['figure'], ms: number): void {
    const key = `${operation} ${figure}`
    const group = this.#samples.get(key) ?? { operation, figure, valuesMs: [] }
    group.valuesMs.push(ms)
    this.#samples.set(key, group)
  }
}

/** The operation that a request goes to, by method and path without query; undefined for any other. */
export function operationOf(method: string, path: string): Operation | undefined {
  const names: readonly Operation[] = ['models', 'chat', 'images', 'transcriptions', 'speech']
  const plainPath = path.split('?')[0]
  return names.find((name) => OPERATIONS[name].method === method && OPERATIONS[name].path === plainPath)
}
