import { buildExchange } from '../http/build-exchange.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpOptions } from '../http/http-options.ts'
import { sendRequest } from '../http/send-request.ts'
import { joinPieces } from '../http/received-body.ts'
import { type MemoryHolder, ResponseMemory } from '../http/response-memory.ts'
import { LatencySamples } from '../latency/latency-samples.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { findOperationByPath, type RequestKind } from '../requests/classify-request.ts'
import { getResponseParams } from '../findings/expect.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import { describeFinding } from '../findings/sentences.ts'
import type { SendPermit } from './lane.ts'
import { Pace } from './pace.ts'
import { agreeInGroup, type AttemptCounts, decideNextStep, isRateLimited, startAttempts } from './attempt-policy.ts'
import {
  type Attempt,
  describeInFlight,
  type DispatchedRequest,
  getPacedKey,
  type RequestClassifier,
} from './dispatched-request.ts'
import type { OperationGates } from './operation-gates.ts'
import { ReadWriteLock } from './read-write-lock.ts'
import { calculateMaxRequestTokens, calculateMaxRequestUnits, type PriceLookup, readReportedUnits } from './prices.ts'
import { type RunSpending, SmallAccount, SpendLimiter } from './request-limits.ts'
import type { RequestScope, RequestSource } from './request-scope.ts'
import { type AwaitedRequest, Deadlines } from './deadlines.ts'
import { pause, startTimer } from './pause.ts'
import { KeptExchanges } from './kept-exchanges.ts'
import type { LoggedExchange } from './run-log.ts'
import type { OptionNameFormatter } from '../options/table-options.ts'
import type { Target } from '../targets/target.ts'
import type { TargetHealth } from './target-health.ts'
import { getAbortReason } from './time-limit.ts'
import { DEADLINE_FACTOR, FIRST_DEADLINE_MS } from './policy.ts'

const ABORTS: readonly RunObstacle['code'][] = ['run-interrupted', 'time-limit-reached']

type SharedHttpOptions = Omit<HttpOptions, 'memory'>

interface RequestSettings {
  readonly target: Pick<Target, 'declarations' | 'requestsPerMinute' | 'headers'>
  readonly nameOption: OptionNameFormatter
  /** Deadline of one request, in milliseconds. */
  readonly timeoutMs: number
  readonly maxRequests?: number | undefined
  /** Spend limit in credits. */
  readonly maxCredits?: number | undefined
}

export interface DispatcherParts {
  readonly settings: RequestSettings
  readonly http: SharedHttpOptions
  readonly kindOf: RequestClassifier
  readonly priceOf: PriceLookup
  readonly gates: OperationGates
  readonly health: TargetHealth
}

/**
 * Sends all requests of a run, within its pace and limits, and records each exchange. It repeats a request once after a
 * breakdown, and retries a 429 unless a check tests the limit of its key. The check receives only the last response.
 */
export class Dispatcher {
  readonly latency = new LatencySamples()
  readonly pace: Pace
  /** Recorded exchanges so far, in the order in which they ended. Large responses may be excerpts. */
  readonly log: LoggedExchange[] = []
  readonly gates: OperationGates
  readonly kept = new KeptExchanges()
  readonly memory = new ResponseMemory()
  readonly #parts: DispatcherParts
  readonly #http: SharedHttpOptions
  readonly #health: TargetHealth
  readonly #spend: SpendLimiter
  readonly #deadlines: Deadlines
  readonly #small: SmallAccount
  readonly #inFlight = new ReadWriteLock()
  #requests = 0
  #rateLimited = 0
  #reportedUnits: number | undefined

  constructor(parts: DispatcherParts) {
    const { settings, http } = parts
    this.#parts = parts
    this.#http = http
    this.#health = parts.health
    this.gates = parts.gates
    this.#spend = new SpendLimiter(settings)
    this.#small = new SmallAccount(settings.target.declarations.smallBalance)
    this.#deadlines = new Deadlines(settings.timeoutMs)
    const clock = { nowMs: () => http.nowMs(), schedule: startTimer }
    this.pace = new Pace(settings.target.requestsPerMinute, clock, http.signal)
  }

  get spent(): RunSpending {
    const { requests, units } = this.#spend
    return { requests, rateLimited: this.#rateLimited, units, reportedUnits: this.#reportedUnits }
  }

  /** Returns why the run cannot send this number of requests, or undefined if it can. */
  obstacle(requests: number, units = 0): RunObstacle | undefined {
    return this.#http.signal.aborted ? getAbortReason(this.#http.signal) : this.#spend.obstacle(requests, units)
  }

  /** Waits until it is decided whether the run sends requests like this one, see `OperationGates`. */
  async decide(scope: RequestScope, request: ApiRequest): Promise<void> {
    // The steps before the checks try every model.
    if (scope.operation !== undefined && scope.obstacle === undefined) await this.gates.decide(request)
  }

  /** Sends a request, and repeats it if necessary. If it cannot, the exchange has an error. Never rejects. */
  async dispatch(scope: RequestScope, dispatched: DispatchedRequest): Promise<Exchange> {
    scope.requests += 1
    this.#requests += 1
    const attempts = startAttempts(this.#requests, this.#kindIn(scope.source, dispatched))
    await this.decide(scope, dispatched.request)
    let attempt = await this.#attempt(scope, dispatched, attempts)
    while (attempt.delayMs !== undefined) {
      await pause(attempt.delayMs, this.#http.signal)
      attempt = await this.#attempt(scope, dispatched, attempts)
    }
    dispatched.group?.leave()
    return attempt.exchange
  }

  /** Sends a request once: waits for its turn, sends and records it, and decides whether to send it again. */
  async #attempt(scope: RequestScope, dispatched: DispatchedRequest, attempts: AttemptCounts): Promise<Attempt> {
    // A request that the run does not send need not wait for its turn.
    const before = this.#findObstacle(scope, dispatched)
    const turn = before === undefined ? await this.#waitForTurn(dispatched, attempts.limited) : undefined
    await this.#health.waitForHealth()
    const obstacle = before ?? this.#findObstacle(scope, dispatched)
    if (obstacle !== undefined) {
      turn?.end({ status: 0, headers: {} })
      if (obstacle === this.#findClosedForm(scope, dispatched)) scope.skipForm(obstacle)
      else scope.stop(obstacle)
      return { exchange: this.#notSent(dispatched.request, obstacle) }
    }

    const inFlight = describeInFlight(scope.source.name, dispatched, attempts.kind)
    const awaited = this.#describeAwaited(dispatched)
    this.#countSpending(dispatched.request)
    const send = (): Promise<Exchange> => {
      dispatched.onSend?.()
      this.#health.begin(inFlight)
      return this.#send(dispatched, awaited, scope.memory)
    }
    const isAlone = attempts.isAlone || scope.source.isAlone === true
    const exchange = await (isAlone ? this.alone(send) : this.#inFlight.shared(send))
    turn?.end(exchange)
    this.#record(scope, dispatched, exchange)

    // Health requests would disturb the other requests of a group.
    const isRepeat = attempts.hasBrokenDown && dispatched.group === undefined
    const health = await this.#health.end(inFlight, exchange, isRepeat)
    if (health === 'dead') {
      // The log omits this exchange. During the outage, any other request would have failed in the same way.
      scope.stop(getAbortReason(this.#http.signal))
      return { exchange }
    }
    const isControlServed = this.gates.isControlServed(dispatched.request) ?? scope.source.isControl === true
    const ended = { exchange, health, isControlServed, obstacle: () => this.#closed(dispatched) }
    const next = decideNextStep(dispatched, ended, attempts)
    if (next.obstacle !== undefined) scope.stop(next.obstacle)
    if (next.isLimited === true) await this.#health.judgeLimit(inFlight, exchange)
    const delayMs = await agreeInGroup(dispatched, { exchange, delayMs: next.delayMs }, attempts)
    const isFinal = delayMs === undefined
    if (isFinal && health === 'operation-down') this.#stopAfterOutage(scope, exchange)
    if (isFinal && scope.source.isSeparate !== true) this.#deadlines.recordEnd(awaited, exchange)
    this.#logAttempt(scope, dispatched, attempts, { exchange, isFinal })
    return { exchange, ...(delayMs === undefined ? {} : { delayMs }) }
  }

  /** Calls `work` while no request is in flight, apart from those that find out whether the target is healthy. */
  readonly alone: ReadWriteLock['alone'] = (work) => this.#inFlight.alone(work)

  /** Returns why the run does not send a request, or undefined if it does. */
  #findObstacle(scope: RequestScope, dispatched: DispatchedRequest): RunObstacle | undefined {
    const { request } = dispatched
    return (
      scope.obstacle ??
      this.#findClosedForm(scope, dispatched) ??
      this.obstacle(1, calculateMaxRequestUnits(request, this.#parts.priceOf)) ??
      this.#closed(dispatched)
    )
  }

  /** Returns why the run sends no requests of this form. The steps before the checks send all of them. */
  #findClosedForm({ operation }: RequestScope, { request }: DispatchedRequest): RunObstacle | undefined {
    return operation === undefined ? undefined : this.gates.obstacle(request)
  }

  /** Returns an obstacle if the rate limit of the key requires a wait that is too long. Otherwise returns undefined. */
  #closed(dispatched: DispatchedRequest): RunObstacle | undefined {
    const key = getPacedKey(dispatched)
    if (key === undefined) return undefined
    if (key === 'small' && this.pace.isLimitedByAccount(key))
      return { code: 'rate-limited', params: { retryAfterMs: 0 } }
    const closure = this.pace.findClosure(key)
    if (closure === undefined) return undefined
    if (key === 'invalid') return { code: 'invalid-keys-rate-limited', params: {} }
    return { code: 'rate-limited', params: { retryAfterMs: closure.retryAfterMs } }
  }

  /** Waits for the turn of a request. Requests of a burst do not wait, because they must exceed the limit. */
  async #waitForTurn(dispatched: DispatchedRequest, rejections: number): Promise<SendPermit | undefined> {
    const { request } = dispatched
    const key = getPacedKey(dispatched)
    if (key === undefined) return this.pace.startUnpaced()
    const operation = findOperationByPath(request.path)
    return this.pace.waitForPermit({ key, operation, tokens: calculateMaxRequestTokens(request), rejections })
  }

  #notSent(request: ApiRequest, obstacle: RunObstacle): Exchange {
    const kind = ABORTS.includes(obstacle.code) ? 'interrupted' : 'spend-limit'
    const error = { kind, message: describeFinding(obstacle, this.#parts.settings.nameOption) } as const
    const response = { status: 0, headers: {}, body: joinPieces([]), totalMs: 0, error }
    return buildExchange({ ...request, url: this.#http.baseUrl + request.path }, this.#http.nowMs(), response)
  }

  #countSpending(request: ApiRequest): void {
    const units = calculateMaxRequestUnits(request, this.#parts.priceOf)
    this.#spend.count(request.key === 'small' ? this.#small.charge(units) : units)
  }

  #describeAwaited({ request, form }: DispatchedRequest): AwaitedRequest {
    return { operation: findOperationByPath(request.path), isInvalid: this.#parts.kindOf(request, form) === 'invalid' }
  }

  async #send(
    { request, send = sendRequest }: DispatchedRequest,
    awaited: AwaitedRequest,
    memory: MemoryHolder,
  ): Promise<Exchange> {
    const idleTimeoutMs = (): number => this.#deadlines.idleMs(awaited)
    return send(this.#addHeaders(request), { ...this.#http, memory, idleTimeoutMs })
  }

  #addHeaders(request: ApiRequest): ApiRequest {
    const usual = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'touchstone' }
    return { ...request, headers: { ...usual, ...this.#parts.settings.target.headers, ...request.headers } }
  }

  /** Records a response in the evidence of its check, and for the evaluations that use all responses of the run. */
  #record(scope: RequestScope, { request, form }: DispatchedRequest, exchange: Exchange): void {
    scope.recorder.add(exchange, form)
    if (exchange.error?.kind === 'interrupted') scope.stop(getAbortReason(this.#http.signal))
    this.#deadlines.record(findOperationByPath(exchange.request.path), exchange)
    this.latency.add(exchange)
    if (isRateLimited({ request }, exchange)) this.#rateLimited += 1
    const units = readReportedUnits(exchange, this.#parts.priceOf)
    if (units !== undefined) this.#reportedUnits = (this.#reportedUnits ?? 0) + units
  }

  /** Ends a check whose request broke down while its operation was down, because this is no evidence about the request. */
  #stopAfterOutage(scope: RequestScope, exchange: Exchange): void {
    const operation = findOperationByPath(exchange.request.path)
    if (operation === undefined) return
    const params = { operation, isOutage: true, ...getResponseParams(exchange) } as const
    scope.skipForm({ code: 'operation-broke-down', params })
  }

  #logAttempt(
    scope: RequestScope,
    dispatched: DispatchedRequest,
    attempts: AttemptCounts,
    { exchange, isFinal }: Pick<LoggedExchange, 'exchange' | 'isFinal'>,
  ): void {
    const { request } = dispatched
    const { source } = scope
    // Refers to the source only, because the scope holds all responses of the check.
    const kindNow = (): RequestKind => this.#kindIn(source, dispatched)
    this.log.push({
      source: source.name,
      operation: findOperationByPath(request.path),
      key: request.key,
      // Evaluated late, because discovery may show later that the model of a request serves the operation.
      get kind() {
        return attempts.kind === 'unspecified' ? kindNow() : attempts.kind
      },
      request: attempts.number,
      isFinal,
      ...(source.isSeparate === true ? { isSeparate: true } : {}),
      ...(dispatched.group === undefined ? {} : { parallel: dispatched.group.size }),
      exchange: this.kept.add(exchange),
      form: dispatched.form,
    })
  }

  #kindIn(source: RequestSource, { request, form }: DispatchedRequest): RequestKind {
    const kind = this.#parts.kindOf(request, form)
    return source.isUnspecified === true && kind === 'invalid' ? 'unspecified' : kind
  }

  /** Logs a control request that broke down, and its repeat. Summary checks would not see an operation that is down. */
  logControl(attempts: readonly Exchange[]): void {
    this.#requests += 1
    for (const [index, exchange] of attempts.entries()) {
      this.log.push({
        source: 'health',
        operation: findOperationByPath(exchange.request.path),
        key: 'funded',
        kind: 'valid',
        request: this.#requests,
        isFinal: index === attempts.length - 1,
        exchange: this.kept.add(exchange),
        form: undefined,
      })
    }
  }

  /** Sends a health request. `usualMs` is the duration of an earlier response to the same request, in milliseconds. */
  async probe(request: ApiRequest, usualMs: number): Promise<Exchange> {
    using memory = this.memory.createHolder()
    return await this.sendOnce(request, { memory, timeoutMs: Math.max(FIRST_DEADLINE_MS, DEADLINE_FACTOR * usualMs) })
  }

  /** Sends a request that counts towards the limits of the run, but is not recorded, repeated or delayed. */
  sendOnce(request: ApiRequest, changes: Partial<HttpOptions> & Pick<HttpOptions, 'memory'>): Promise<Exchange> {
    this.#countSpending(request)
    const idleTimeoutMs = (): number => this.#deadlines.idleMs(this.#describeAwaited({ request }))
    return sendRequest(this.#addHeaders(request), { ...this.#http, idleTimeoutMs, ...changes })
  }
}
