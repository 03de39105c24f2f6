import type { Operation } from '../../contract/facts.ts'
import type { Check } from './check.ts'
import type { LoggedExchange } from './run-log.ts'

/**
 * Initial estimates of the fraction of its declared requests that a check sends, measured with the emulator. A check
 * that declares at most two requests usually shares one of them with other checks.
 */
const USUAL_SHARE = { few: 0.5, several: 0.7, many: 0.6, burst: 0.35 } as const
/** Maximum number of declared requests of a check to which the fraction `few` applies. */
const FEW_REQUESTS = 2
/** Number of declared requests above which most checks send additional requests only after unexpected responses. */
const MAX_USUAL_REQUESTS = 8
/**
 * Fraction of the requests to each operation that a conforming target serves, measured with the emulator. It rejects
 * the others, usually without delay.
 */
const SERVED_SHARE: Readonly<Record<Operation, number>> = {
  models: 0.3,
  chat: 0.45,
  images: 0.15,
  transcriptions: 0.3,
  speech: 0.15,
}
/**
 * Minimum number of responses to an operation before the estimate uses its measured success rate. The rate of the first
 * few responses may be too high.
 */
const MIN_RESPONSES = 10
/**
 * Maximum assumed number of requests in flight. Each check sends its requests one after another, and few checks still
 * run near the end.
 */
const MAX_USUAL_PARALLEL = 6
/** Minimum number of successful responses for a precise estimate. Response times of a model vary widely. */
const MIN_SAMPLES = 20
/**
 * Minimum number of requests that completed checks have declared. Below it, the estimate does not use the measured
 * fraction of requests sent, because the first checks to complete send the fewest requests.
 */
const MIN_DECLARED = 200
/** Number of parallel requests in a burst that together take as long as one sequential request. */
const BURST_DIVISOR = 8

export interface ExpectedDuration {
  /** Estimated time until the last check ends, in milliseconds. */
  readonly remainingMs: number
  /**
   * Rate that limits the run, in requests per minute. Set only if this rate, and not the response times, determines the
   * duration.
   */
  readonly requestsPerMinute?: number
  /** Whether the estimate is based on only a few responses. */
  readonly isRough?: boolean
  /** Whether the target has neither announced nor enforced a rate limit for the key. It may still do so later. */
  readonly isLimitUnknown?: boolean
}

export interface ThroughputLimits {
  /** Maximum number of requests in flight. */
  readonly parallel: number
  /** Rate limit of the key, in requests per minute. Undefined if it is unknown. */
  readonly requestsPerMinute: number | undefined
  /** Number of requests that the limit allows immediately. Default: 0. */
  readonly requestsAvailable?: number
}

type PlannedRequests = Pick<Check, 'id' | 'operation' | 'cost' | 'alone' | 'needs'>

interface RemainingCheck extends Pick<PlannedRequests, 'id' | 'operation' | 'alone'> {
  readonly isBurst: boolean
  readonly declaredRequests: number
  /** Estimated number of requests that the check sends in a typical run, before it shares any of them. */
  readonly usualRequests: number
}

interface ResponseTotals {
  count: number
  totalMs: number
  /** Number of successful responses, and their total duration in milliseconds. */
  served: number
  servedMs: number
}

/**
 * Estimates the remaining duration of a run from its remaining requests, the measured response times and the rate
 * limit.
 */
export class DurationEstimate {
  readonly #left: Map<string, RemainingCheck>
  readonly #log: readonly LoggedExchange[]
  #read = 0
  readonly #seen = new Map<Operation | undefined, ResponseTotals>()
  readonly #sentBy = new Map<string, number>()
  #served = 0
  #declared = 0
  #sent = 0

  /**
   * Creates an estimate before the first check.
   * @param log all exchanges of the run, which grows during the run
   */
  constructor(checks: readonly PlannedRequests[], log: readonly LoggedExchange[]) {
    this.#left = new Map(checks.map((check) => [check.id, createRemainingCheck(check)]))
    this.#log = log
  }

  end(id: string): void {
    this.#readLog()
    const check = this.#left.get(id)
    if (check === undefined) return
    this.#left.delete(id)
    this.#declared += check.usualRequests
    this.#sent += this.#sentBy.get(id) ?? 0
  }

  get requestsLeft(): number {
    return [...this.#left.values()].reduce((sum, check) => sum + this.#requestsOf(check), 0)
  }

  remaining({ parallel, requestsPerMinute, requestsAvailable = 0 }: ThroughputLimits): ExpectedDuration {
    this.#readLog()
    const left = [...this.#left.values()]
    const durationOf = (check: RemainingCheck): number => this.#requestsOf(check) * this.#meanMs(check.operation)
    const together = left.filter(({ alone }) => alone !== true).reduce((sum, check) => sum + durationOf(check), 0)
    const alone = left
      .filter((check) => check.alone === true)
      .reduce((sum, check) => sum + durationOf(check) / (check.isBurst ? BURST_DIVISOR : 1), 0)
    const byResponsesMs = together / Math.min(parallel, MAX_USUAL_PARALLEL) + alone
    const delayed = Math.max(0, this.requestsLeft - requestsAvailable)
    const byRateMs = requestsPerMinute === undefined ? 0 : (delayed / requestsPerMinute) * 60_000
    return requestsPerMinute !== undefined && byRateMs > byResponsesMs
      ? { remainingMs: byRateMs, requestsPerMinute }
      : { remainingMs: byResponsesMs, ...(this.#served < MIN_SAMPLES ? { isRough: true } : {}) }
  }

  #requestsOf(check: RemainingCheck): number {
    const share = this.#declared < MIN_DECLARED ? initialShare(check) : this.#sent / this.#declared
    return Math.max(0, check.usualRequests * share - (this.#sentBy.get(check.id) ?? 0))
  }

  /**
   * Returns the average duration of a response to an operation in milliseconds. Uses the responses to all operations if
   * this one has not responded yet. The assumed success rate is never below the usual one, because rejections arrive
   * before results, and so the measured rate is too low at first.
   */
  #meanMs(operation: Operation): number {
    const seen = this.#seen.get(operation)
    if (seen !== undefined && seen.served > 0) {
      const rejected = seen.count - seen.served
      const measuredShare = seen.count < MIN_RESPONSES ? 0 : seen.served / seen.count
      const share = Math.max(SERVED_SHARE[operation], measuredShare)
      const servedMs = seen.servedMs / seen.served
      const rejectedMs = rejected === 0 ? 0 : (seen.totalMs - seen.servedMs) / rejected
      return servedMs * share + rejectedMs * (1 - share)
    }
    const all = seen === undefined ? [...this.#seen.values()] : [seen]
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
      const isServed = exchange.status < 300
      if (isServed && operation !== 'models') this.#served += 1
      const seen = this.#seen.get(operation) ?? { count: 0, totalMs: 0, served: 0, servedMs: 0 }
      seen.count += 1
      seen.totalMs += exchange.totalMs
      seen.served += isServed ? 1 : 0
      seen.servedMs += isServed ? exchange.totalMs : 0
      this.#seen.set(operation, seen)
    }
  }
}

/**
 * Estimates how many requests the checks send. This is less than they declare, because checks share most control
 * requests.
 */
export function estimateUsualRequests(checks: readonly PlannedRequests[]): number {
  const left = checks.map(createRemainingCheck)
  return Math.round(left.reduce((sum, check) => sum + check.usualRequests * initialShare(check), 0))
}

function initialShare({ declaredRequests, isBurst }: RemainingCheck): number {
  if (isBurst) return USUAL_SHARE.burst
  if (declaredRequests <= FEW_REQUESTS) return USUAL_SHARE.few
  return declaredRequests <= MAX_USUAL_REQUESTS ? USUAL_SHARE.several : USUAL_SHARE.many
}

function createRemainingCheck({ id, operation, alone, cost, needs }: PlannedRequests): RemainingCheck {
  const isBurst = needs.includes('burst')
  const usualRequests = isBurst ? cost.requests : Math.min(cost.requests, MAX_USUAL_REQUESTS)
  return {
    id,
    operation,
    ...(alone === undefined ? {} : { alone }),
    isBurst,
    declaredRequests: cost.requests,
    usualRequests,
  }
}
