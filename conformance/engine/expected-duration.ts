import type { Operation } from '../../contract/facts.ts'
import type { Check } from './check.ts'
import type { LoggedExchange } from './run-log.ts'

/** Share of the declared requests of a check that is sent, until checks of the run have shown it: most share their controls. */
const USUAL_SHARE = 0.6
/** Checks that declare more send as many only if the target makes them look further. */
const MAX_USUAL_REQUESTS = 8
/** Share of the time of a served response that a response takes on average: error responses come at once. */
const MISTAKES_SHARE = 0.6
/** Responses to an operation, from which on their average counts: those before the checks were all served. */
const MIN_RESPONSES = 10
/** Declared requests of finished checks, from which on their share counts. */
const MIN_DECLARED = 50
/** Parallel requests of a burst that take as long as one. */
const BURST_DIVISOR = 8

/** When a run ends, as far as is known. */
export interface ExpectedDuration {
  /** Milliseconds from now until the last check ends, about. */
  readonly remainingMs: number
  /** The rate that the key allows, if the duration follows from it and not from the time that responses take. */
  readonly requestsPerMinute?: number
}

/** How fast requests can be sent now. */
export interface Throughput {
  /** Number of requests in flight. */
  readonly parallel: number
  /** Undefined if no limit is known. */
  readonly requestsPerMinute: number | undefined
}

type PlannedRequests = Pick<Check, 'id' | 'operation' | 'cost' | 'alone' | 'needs'>

interface Seen {
  count: number
  totalMs: number
}

/** Estimates how long a run still takes, from the requests that its checks still send and the time that responses take. */
export class DurationEstimate {
  readonly #left: Map<string, PlannedRequests>
  readonly #log: readonly LoggedExchange[]
  #read = 0
  readonly #seen = new Map<Operation | undefined, Seen>()
  readonly #sentBy = new Map<string, number>()
  #declared = 0
  #sent = 0

  /** @param log every exchange of the run; it grows while the run goes on */
  constructor(checks: readonly PlannedRequests[], log: readonly LoggedExchange[]) {
    this.#left = new Map(checks.map((check) => [check.id, check]))
    this.#log = log
  }

  /** Records that a check has ended. */
  end(id: string): void {
    this.#readLog()
    const check = this.#left.get(id)
    if (check === undefined) return
    this.#left.delete(id)
    this.#declared += usualRequests(check)
    this.#sent += this.#sentBy.get(id) ?? 0
  }

  /** Number of requests that the run still sends, about. */
  get requestsLeft(): number {
    return [...this.#left.values()].reduce((sum, check) => sum + this.#requestsOf(check), 0)
  }

  remaining({ parallel, requestsPerMinute }: Throughput): ExpectedDuration {
    this.#readLog()
    const left = [...this.#left.values()]
    const durationOf = (check: PlannedRequests): number => this.#requestsOf(check) * this.#meanMs(check.operation)
    const together = left.filter(({ alone }) => alone !== true).reduce((sum, check) => sum + durationOf(check), 0)
    const alone = left
      .filter((check) => check.alone === true)
      .reduce((sum, check) => sum + durationOf(check) / (check.needs.includes('burst') ? BURST_DIVISOR : 1), 0)
    const byResponsesMs = together / parallel + alone
    const byRateMs = requestsPerMinute === undefined ? 0 : (this.requestsLeft / requestsPerMinute) * 60_000
    return requestsPerMinute !== undefined && byRateMs > byResponsesMs
      ? { remainingMs: byRateMs, requestsPerMinute }
      : { remainingMs: byResponsesMs }
  }

  #requestsOf(check: PlannedRequests): number {
    const share = this.#declared < MIN_DECLARED ? USUAL_SHARE : this.#sent / this.#declared
    return Math.max(0, usualRequests(check) * share - (this.#sentBy.get(check.id) ?? 0))
  }

  /** The time that a response of the operation takes on average; that of all operations, if it has not responded yet. */
  #meanMs(operation: Operation): number {
    const seen = this.#seen.get(operation)
    if (seen !== undefined) return (seen.totalMs / seen.count) * (seen.count < MIN_RESPONSES ? MISTAKES_SHARE : 1)
    const all = [...this.#seen.values()]
    const count = all.reduce((sum, one) => sum + one.count, 0)
    return count === 0 ? 0 : all.reduce((sum, one) => sum + one.totalMs, 0) / count
  }

  #readLog(): void {
    for (; this.#read < this.#log.length; this.#read += 1) {
      const logged = this.#log[this.#read]
      if (logged === undefined) return
      this.#sentBy.set(logged.source, (this.#sentBy.get(logged.source) ?? 0) + 1)
      const { operation, exchange } = logged
      if (exchange.status === 0) continue
      const { count, totalMs } = this.#seen.get(operation) ?? { count: 0, totalMs: 0 }
      this.#seen.set(operation, { count: count + 1, totalMs: totalMs + exchange.totalMs })
    }
  }
}

function usualRequests({ cost, needs }: PlannedRequests): number {
  return needs.includes('burst') ? cost.requests : Math.min(cost.requests, MAX_USUAL_REQUESTS)
}
