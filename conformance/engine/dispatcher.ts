import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpOptions } from '../http/http-options.ts'
import { sendHead } from '../http/send-head.ts'
import { sendRequest } from '../http/send-request.ts'
import { LatencySamples } from '../latency/latency-samples.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { findOperationByPath, type RequestKind } from '../requests/classify-request.ts'
import { describeRunObstacle, type RunObstacle } from '../outcomes/run-obstacle.ts'
import type { FirstResponseDeadline } from '../pacing/idle-deadlines.ts'
import type { SendPermit } from '../pacing/key-lane.ts'
import { RequestPacer } from '../pacing/request-pacer.ts'
import { startTimer } from '../pacing/start-timer.ts'
import { type AttemptCounts, AttemptPolicy, startAttempts } from './attempt-policy.ts'
import { BreakdownBreaker } from './breakdown-breaker.ts'
import {
  type Attempt,
  describeInFlight,
  type DispatchedRequest,
  getPacedKey,
  type RequestClassifier,
  type RequestSender,
} from './dispatched-request.ts'
import { buildCatalog } from './model-catalog.ts'
import {
  calculateMaxRequestTokens,
  calculateMaxRequestUnits,
  type PriceLookup,
  readReportedUnits,
} from './request-cost.ts'
import { SmallAccount, SpendLimiter } from './request-limits.ts'
import type { RequestScope } from './request-scope.ts'
import { type AwaitedRequest, ResponseTimeouts } from './response-timeouts.ts'
import { sendWithSecondAttempt, type RequestAttempt } from './second-attempt.ts'
import { pause } from './pause.ts'
import type { LoggedExchange } from './run-log.ts'
import type { RunSettings } from './settings.ts'
import type { HealthRequest, TargetHealthMonitor } from './target-health-monitor.ts'
import { buildUnsentExchange } from './unsent-exchange.ts'
import { getAbortReason } from './time-limit.ts'

/** One of two overlapping attempts of the first request to an operation. */
interface OverlappingAttempt extends RequestAttempt {
  /** Time until the deadline of the attempt, in milliseconds. */
  readonly leftMs: number
}

/** Requests and cost of a run so far. Costs are in units of 0.0001 credit. */
export interface RunSpending {
  readonly requests: number
  /** Number of 429 responses to requests with a key whose limit no check tests. */
  readonly rateLimited: number
  /** Upper bound of the cost, in units. */
  readonly units: number
  readonly reportedUnits: number | undefined
}

/**
 * Sends all requests of a run, within its pace and limits, and records each exchange. It repeats a request once after a
 * breakdown, and retries a 429 unless a check tests the limit of its key. The check receives only the last response.
 */
export class Dispatcher {
  readonly latency = new LatencySamples()
  readonly pace: RequestPacer
  /** Recorded exchanges so far, in the order in which they ended. */
  readonly log: LoggedExchange[] = []
  readonly #settings: RunSettings
  readonly #http: HttpOptions
  readonly #spend: SpendLimiter
  readonly #timeouts: ResponseTimeouts
  readonly #small: SmallAccount
  readonly #kindOf: RequestClassifier
  readonly #priceOf: PriceLookup
  readonly #policy = new AttemptPolicy()
  readonly #breaker: BreakdownBreaker
  readonly #watch: TargetHealthMonitor
  #requests = 0
  #reportedUnits: number | undefined

  constructor(settings: RunSettings, http: HttpOptions, kindOf: RequestClassifier, watch: TargetHealthMonitor) {
    this.#settings = settings
    this.#http = http
    this.#kindOf = kindOf
    const catalog = buildCatalog(settings.target.ownModels)
    this.#priceOf = (model) => catalog.unitsPerToken(model)
    this.#watch = watch
    this.#spend = new SpendLimiter(settings)
    this.#small = new SmallAccount(settings.target.declarations.smallBalance)
    this.#timeouts = new ResponseTimeouts(settings.timeoutMs)
    this.#breaker = new BreakdownBreaker((request, timeoutMs) => this.probe(request, timeoutMs), http.signal)
    this.pace = new RequestPacer(
      settings.target.requestsPerMinute,
      { nowMs: () => http.nowMs(), schedule: startTimer },
      http.signal,
    )
  }

  get spent(): RunSpending {
    const { requests, units } = this.#spend
    return { requests, rateLimited: this.#policy.rateLimited, units, reportedUnits: this.#reportedUnits }
  }

  /** Returns the longest wait for a late response, see `ResponseTimeouts.maxWaitMs`. */
  get maxWaitMs(): number {
    return this.#timeouts.maxWaitMs(this.#http.nowMs())
  }

  /** Returns why the run cannot send this number of requests to an operation, or undefined if it can. */
  obstacle(operation: Operation | undefined, requests: number, units = 0): RunObstacle | undefined {
    if (this.#http.signal.aborted) {
      return getAbortReason(this.#http.signal)
    }
    return this.#timeouts.obstacle(operation) ?? this.#spend.obstacle(requests, units)
  }

  /**
   * Sends a request, and repeats it if necessary. Never rejects: if it cannot send the request, it records the reason
   * in the scope and returns an exchange with an error.
   */
  async dispatch(scope: RequestScope, dispatched: DispatchedRequest): Promise<Exchange> {
    scope.requests += 1
    this.#requests += 1
    const attempts = startAttempts(this.#requests, this.#kindIn(scope, dispatched))
    for (;;) {
      // Repeats run one at a time, because a request that crashes the service could also fail another repeat. If the
      // target has never responded, they run in parallel, which saves time.
      const send = (): Promise<Attempt> => this.#attempt(scope, dispatched, attempts)
      const first = attempts.hasBrokenDown ? undefined : this.#firstResponseDeadline(dispatched)
      const { exchange, delayMs } = await (first !== undefined
        ? this.#attemptTwice(scope, dispatched, attempts, first)
        : attempts.hasBrokenDown && this.#timeouts.hasAnyResponse
          ? this.#repeat(send, this.#awaited(dispatched, attempts))
          : send())
      if (delayMs === undefined) return exchange
      await pause(delayMs, this.#http.signal)
    }
  }

  /** Repeats a request in turn. Does not wait for its turn if the target is known not to respond to such requests. */
  async #repeat(send: () => Promise<Attempt>, awaited: AwaitedRequest): Promise<Attempt> {
    const isOutOfTurn = (): boolean => this.#timeouts.isUnanswered(awaited)
    const inTurn = await this.#policy.inTurn(async () => (isOutOfTurn() ? undefined : send()))
    return inTurn ?? send()
  }

  #awaited(
    { request, form }: DispatchedRequest,
    { hasBrokenDown }: Pick<AttemptCounts, 'hasBrokenDown'>,
  ): AwaitedRequest & { readonly request: ApiRequest } {
    return { request, form, kind: this.#kindOf(request, form), isRepeat: hasBrokenDown }
  }

  /** Returns the deadline of a request to an operation that has not responded yet, or undefined for other requests. */
  #firstResponseDeadline({ request, onSend }: DispatchedRequest): FirstResponseDeadline | undefined {
    return request.key === 'funded' && onSend === undefined
      ? this.#timeouts.firstResponse(findOperationByPath(request.path))
      : undefined
  }

  /** Sends the first request to an operation. Sends it a second time in parallel if the response takes long. */
  async #attemptTwice(
    scope: RequestScope,
    dispatched: DispatchedRequest,
    attempts: AttemptCounts,
    { totalMs, secondAttemptMs }: FirstResponseDeadline,
  ): Promise<Attempt> {
    return sendWithSecondAttempt(
      ({ signal, isSecond }) => {
        const leftMs = totalMs - (isSecond ? secondAttemptMs : 0)
        return this.#attempt(scope, dispatched, attempts, { signal, isSecond, leftMs })
      },
      secondAttemptMs,
      ({ delayMs }) => delayMs === undefined,
    )
  }

  /**
   * Sends a request once and decides whether to repeat it.
   * @param overlap set for the first request to an operation
   */
  async #attempt(
    scope: RequestScope,
    dispatched: DispatchedRequest,
    attempts: AttemptCounts,
    overlap?: OverlappingAttempt,
  ): Promise<Attempt> {
    const { request } = dispatched
    const awaited = this.#awaited(dispatched, attempts)
    // Does not stop the steps before the checks, which try every model.
    const broken = scope.operation === undefined ? undefined : await this.#breaker.obstacle(dispatched, attempts.kind)
    // The second attempt must overlap the first one, so it does not wait.
    const turn = overlap?.isSecond ? this.pace.startUnpaced() : await this.#waitForTurn(dispatched, attempts.limited)
    await this.#watch.waitForHealth()
    const units = calculateMaxRequestUnits(request, this.#priceOf)
    const timedOut = scope.operation === undefined ? undefined : this.#timeouts.obstacleTo(request)
    const obstacle =
      scope.obstacle ?? broken ?? timedOut ?? this.obstacle(scope.operation, 1, units) ?? this.#closed(dispatched)
    if (obstacle !== undefined) {
      turn?.end({ status: 0, headers: {} })
      const exchange = this.#notSent(request, obstacle)
      // If the second attempt fails, the first one may still get a response.
      if (overlap?.isSecond === true) return { exchange, delayMs: 0 }
      scope.stop(obstacle)
      return { exchange }
    }
    this.#spend.count(request.key === 'small' ? this.#small.charge(units) : units)
    dispatched.onSend?.()
    const inFlight = describeInFlight(scope.source.name, dispatched, attempts.kind)
    this.#watch.begin(inFlight)
    const exchange = await this.#send(dispatched, awaited, overlap)
    turn?.end(exchange)
    attempts.sentAtMs ??= exchange.startedAtMs
    if (overlap?.signal.aborted === true && exchange.error?.kind === 'interrupted') {
      // The other attempt got the response and aborted this one, so this exchange is neither recorded nor repeated.
      await this.#watch.end(inFlight, exchange, false)
      return { exchange }
    }
    this.#record(scope, dispatched, exchange)
    const health = await this.#watch.end(
      inFlight,
      exchange,
      attempts.hasBrokenDown && !this.#policy.alwaysBreaksDown(attempts, request),
    )
    if (health === 'dead') {
      // The log omits this exchange. During the outage, any other request would have failed in the same way.
      scope.stop(getAbortReason(this.#http.signal))
      return { exchange }
    }
    const ended = {
      request,
      exchange,
      health,
      retryRateLimited: dispatched.retryRateLimited !== false,
      repeatStreamErrors: dispatched.repeatStreamErrors !== false,
      isRepeatUseless: exchange.error?.kind === 'timeout' && this.#timeouts.isRepeatUseless(awaited),
      obstacle: () => this.#closed(dispatched),
    }
    const delayMs = this.#policy.delayMs(scope, ended, attempts)
    if (delayMs === undefined && scope.source.isSeparate !== true) {
      this.#timeouts.recordEnd(awaited, exchange, scope.operation)
      const outage = await this.#breaker.end(dispatched, exchange, attempts)
      if (outage !== undefined) scope.stop(outage)
    }
    this.#logAttempt(scope, dispatched, attempts, { exchange, isFinal: delayMs === undefined })
    return delayMs === undefined ? { exchange } : { exchange, delayMs }
  }

  #logAttempt(
    scope: RequestScope,
    dispatched: DispatchedRequest,
    attempts: AttemptCounts,
    { exchange, isFinal }: Pick<LoggedExchange, 'exchange' | 'isFinal'>,
  ): void {
    const { request } = dispatched
    const kindNow = (): RequestKind => this.#kindIn(scope, dispatched)
    this.log.push({
      source: scope.source.name,
      operation: findOperationByPath(request.path),
      key: request.key,
      // Evaluated late, because a request of model discovery becomes valid when a later one shows that its model serves
      // the operation.
      get kind() {
        return attempts.kind === 'unspecified' ? kindNow() : attempts.kind
      },
      request: attempts.number,
      isFinal,
      ...(scope.source.isSeparate === true ? { isSeparate: true } : {}),
      exchange,
      form: dispatched.form,
    })
  }

  /**
   * Sends a health request, which belongs to no check. It counts towards the limits, but is not recorded or repeated.
   */
  async probe(request: ApiRequest, timeoutMs: number): Promise<Exchange> {
    this.#spend.count(calculateMaxRequestUnits(request, this.#priceOf))
    const send: RequestSender = (spec, options) => sendRequest(spec, { ...options, timeoutMs })
    return this.#send({ request, send }, { request, kind: 'valid', isRepeat: false })
  }

  /** Starts to monitor the target; see `TargetHealthMonitor.start`. */
  watch(sendHealth: HealthRequest, served: readonly HealthRequest[]): void {
    this.#watch.start(sendHealth, served)
  }

  /** Waits for the turn of a request. Requests of a burst do not wait, because they must exceed the limit. */
  async #waitForTurn(dispatched: DispatchedRequest, rejections: number): Promise<SendPermit | undefined> {
    const key = getPacedKey(dispatched)
    if (key === undefined) return this.pace.startUnpaced()
    return this.pace.waitForPermit({ key, tokens: calculateMaxRequestTokens(dispatched.request), rejections })
  }

  /** Returns an obstacle if the rate limit of the key requires a wait that is too long. Otherwise returns undefined. */
  #closed(dispatched: DispatchedRequest): RunObstacle | undefined {
    const key = getPacedKey(dispatched)
    if (key === undefined) return undefined
    if (key === 'small' && this.pace.isLimitedByAccount(key))
      return { code: 'rate-limited', params: { retryAfterMs: 0 } }
    if (this.pace.hasGivenUp(key)) return { code: 'invalid-keys-rate-limited', params: {} }
    const waitMs = this.pace.closedForMs(key)
    return waitMs === undefined ? undefined : { code: 'rate-limited', params: { retryAfterMs: waitMs } }
  }

  #notSent(request: ApiRequest, obstacle: RunObstacle): Exchange {
    const message = describeRunObstacle(obstacle, this.#settings.nameOption)
    return buildUnsentExchange({ ...request, url: this.#http.baseUrl + request.path }, obstacle.code, {
      message,
      startedAtMs: this.#http.nowMs(),
    })
  }

  async #send(
    { request, send = request.method === 'HEAD' ? sendHead : sendRequest }: DispatchedRequest,
    awaited: AwaitedRequest,
    overlap?: OverlappingAttempt,
  ): Promise<Exchange> {
    const usual = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'touchstone' }
    const headers = { ...usual, ...this.#settings.target.headers, ...request.headers }
    const operation = findOperationByPath(request.path)
    const idleMs = (): number => {
      const isFirst = this.#timeouts.hasAnyResponse && this.#timeouts.firstResponse(operation) !== undefined
      return isFirst && overlap !== undefined ? overlap.leftMs : this.#timeouts.idleMs(awaited)
    }
    const signal = overlap === undefined ? this.#http.signal : AbortSignal.any([this.#http.signal, overlap.signal])
    const end = this.#timeouts.begin(awaited, this.#http.nowMs(), idleMs)
    return send({ ...request, headers }, { ...this.#http, signal, idleTimeoutMs: idleMs }).finally(end)
  }

  /** Records a response in the evidence of its check, and for the evaluations that use all responses of the run. */
  #record(scope: RequestScope, { form }: DispatchedRequest, exchange: Exchange): void {
    scope.recorder.add(exchange, form)
    if (exchange.error?.kind === 'interrupted') {
      scope.stop(getAbortReason(this.#http.signal))
    }
    this.#timeouts.record(exchange.request.path, exchange)
    this.latency.add(exchange)
    const units = readReportedUnits(exchange, this.#priceOf)
    if (units !== undefined) {
      this.#reportedUnits = (this.#reportedUnits ?? 0) + units
    }
  }

  #kindIn({ source }: RequestScope, { request, form }: DispatchedRequest): RequestKind {
    const kind = this.#kindOf(request, form)
    return source.isUnspecified === true && kind === 'invalid' ? 'unspecified' : kind
  }
}
