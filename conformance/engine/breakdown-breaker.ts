import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import { hasBrokenDown, hasTesterSideError } from '../http/breakdown.ts'
import { parseJson } from '../http/decode-body.ts'
import type { Exchange } from '../http/exchange.ts'
import { isStreamingRequest } from '../http/is-streaming-request.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import { getResponseParams } from '../outcomes/expect.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { ApiRequest, FormFields } from '../requests/api-request.ts'
import { findOperationByPath, type RequestKind } from '../requests/classify-request.ts'
import type { AttemptCounts } from './attempt-policy.ts'
import { pause } from './pause.ts'

/** Number of valid requests of a group in a row that must break down twice each before the breaker tests the group. */
const MAX_BROKEN_IN_A_ROW = 3
/** Pause before each test of a group, in milliseconds. The service may take several seconds to restart. */
const TEST_PAUSES_MS: readonly number[] = [1000, 2000, 4000]
/** Maximum Retry-After for which the breaker waits before the first test, in milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000
/** Minimum time between two tests of a group that is known to break down, in milliseconds. */
const RETEST_INTERVAL_MS = 5000
/** Maximum duration of a test, in milliseconds. */
const TEST_TIMEOUT_MS = 20_000

/** Sends a request that belongs to no check. */
export type SendTest = (request: ApiRequest, timeoutMs: number) => Promise<Exchange>

interface BreakableRequest {
  readonly request: ApiRequest
  readonly form?: FormFields | undefined
}

type Attempts = Pick<AttemptCounts, 'kind' | 'hasBrokenDown' | 'sentAtMs'>

/** Requests for one operation and model, either all streaming or all non-streaming. */
interface Group {
  /** Group with the same operation and model, but streams instead of other requests, or the reverse. */
  readonly sibling: string
  brokenInARow: number
  /** Request of the tests: the first one of the group, or a later one that was served. */
  test: ApiRequest
  /** Last response that broke down. */
  last?: Exchange
  /** Resolves when the current tests end. */
  testing?: Promise<void> | undefined
  /** Time of the last test of a group that is known to break down. */
  brokenAtMs?: number | undefined
}

/** The last served request of an operation. */
interface Served {
  readonly request: ApiRequest
  readonly sentAtMs: number
}

/**
 * Stops requests to an operation that always breaks down, because further requests would only repeat the finding. After
 * several valid requests in a row broke down twice, delays the next ones and repeats one of the requests up to three
 * times within a few seconds. If each of these tests breaks down, the breaker stops the requests. It repeats the test
 * every few seconds, and lets requests pass again after the first response that is not a breakdown. Timeouts do not
 * count, see `TimeoutBreaker`.
 */
export class BreakdownBreaker {
  readonly #groups = new Map<string, Group>()
  readonly #served = new Map<Operation, Served>()
  readonly #send: SendTest
  readonly #signal: AbortSignal
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly #nowMs: () => number

  constructor(
    send: SendTest,
    signal: AbortSignal,
    { pause: wait = pause, nowMs = () => performance.now() }: Partial<Clock> = {},
  ) {
    this.#send = send
    this.#signal = signal
    this.#pause = wait
    this.#nowMs = nowMs
  }

  /**
   * Waits until the tests of the request's group end.
   * @returns why the request must not be sent, or undefined if it can be sent
   */
  async obstacle(breakable: BreakableRequest, kind: RequestKind): Promise<RunObstacle | undefined> {
    const named = nameGroup(breakable)
    const group = named === undefined ? undefined : this.#groups.get(named.own)
    // An error response to an invalid request requires no working model.
    if (named === undefined || group === undefined || kind === 'invalid') return undefined
    if (!this.#isSuspicious(group)) return undefined
    const isDue = group.brokenAtMs === undefined || this.#nowMs() - group.brokenAtMs >= RETEST_INTERVAL_MS
    if (isDue) {
      group.testing ??= this.#test(group).finally(() => {
        group.testing = undefined
      })
    }
    await group.testing
    if (group.brokenAtMs === undefined || group.last === undefined) return undefined
    return createObstacle(named, group.last)
  }

  /**
   * Records the last attempt of a request. Only valid requests with the funded key count. If another request broke down
   * twice, and no valid one was served since its first attempt, sends a request that the operation served before.
   * @returns the obstacle if this request breaks down, too: the breakdown is then no evidence about the first request
   */
  async end(breakable: BreakableRequest, exchange: Exchange, attempts: Attempts): Promise<RunObstacle | undefined> {
    const named = nameGroup(breakable)
    if (named === undefined || hasTesterSideError(exchange) || exchange.error?.kind === 'timeout') return undefined
    if (attempts.kind === 'valid') {
      // A rate limit may return 503 instead of 429, and the suite exceeds the limit of another key on purpose.
      if (breakable.request.key !== 'funded') return undefined
      this.#record(named, breakable.request, { exchange, hasRepeat: attempts.hasBrokenDown })
      return undefined
    }
    const served = this.#served.get(named.operation)
    const isBroken = attempts.hasBrokenDown && hasBrokenDown(exchange)
    if (!isBroken || served === undefined || served.sentAtMs >= (attempts.sentAtMs ?? 0)) return undefined
    const test = await this.#send(served.request, TEST_TIMEOUT_MS)
    if (isBreakdown(test)) return createObstacle({ ...named, isStream: false }, test, { isOutage: true })
    this.#served.set(named.operation, { ...served, sentAtMs: test.startedAtMs })
    return undefined
  }

  #record(
    { own, sibling, operation }: GroupNames,
    request: ApiRequest,
    { exchange, hasRepeat }: { readonly exchange: Exchange; readonly hasRepeat: boolean },
  ): void {
    const group = this.#groups.get(own) ?? { sibling, brokenInARow: 0, test: request }
    this.#groups.set(own, group)
    if (hasBrokenDown(exchange)) {
      if (hasRepeat) Object.assign(group, { brokenInARow: group.brokenInARow + 1, last: exchange })
    } else if (exchange.status !== 429) {
      close(group)
      if (exchange.status >= 300) return
      group.test = request
      this.#served.set(operation, { request, sentAtMs: exchange.startedAtMs })
    }
  }

  /** Returns whether requests of a group must wait for a test. */
  #isSuspicious(group: Group): boolean {
    return group.brokenInARow >= (this.#isSiblingBroken(group) ? 1 : MAX_BROKEN_IN_A_ROW)
  }

  #isSiblingBroken({ sibling }: Group): boolean {
    return this.#groups.get(sibling)?.brokenAtMs !== undefined
  }

  async #test(group: Group): Promise<void> {
    const isKnown = group.brokenAtMs !== undefined || this.#isSiblingBroken(group)
    for (const [index, usualMs] of (isKnown ? [0] : TEST_PAUSES_MS).entries()) {
      await this.#pause(index === 0 ? Math.max(usualMs, retryAfterMs(group.last)) : usualMs, this.#signal)
      if (this.#signal.aborted) return
      const response = await this.#send(group.test, TEST_TIMEOUT_MS)
      if (!isBreakdown(response)) close(group)
      // Another request that was in flight may have been served during the test.
      if (group.brokenInARow === 0) return
    }
    group.brokenAtMs = this.#nowMs()
  }
}

/** Returns whether a test shows a breakdown. A timeout does not, because a valid response may take longer than a test. */
function isBreakdown(response: Exchange): boolean {
  return hasBrokenDown(response) && response.error?.kind !== 'timeout'
}

interface Clock {
  pause(ms: number, signal: AbortSignal): Promise<void>
  nowMs(): number
}

function close(group: Group): void {
  group.brokenInARow = 0
  group.brokenAtMs = undefined
}

function retryAfterMs(exchange: Exchange | undefined): number {
  const waitMs = exchange === undefined ? 0 : (parseRetryAfterMs(exchange.headers, Date.now()) ?? 0)
  return waitMs <= MAX_RETRY_AFTER_MS ? waitMs : 0
}

function createObstacle(
  { operation, isStream }: Pick<GroupNames, 'operation' | 'isStream'>,
  response: Exchange,
  outage: { readonly isOutage?: true } = {},
): RunObstacle {
  const params = { operation, ...(isStream ? { isStream } : {}), ...outage, ...getResponseParams(response) }
  return { code: 'operation-broke-down', params }
}

interface GroupNames {
  readonly operation: Operation
  readonly isStream: boolean
  readonly own: string
  readonly sibling: string
}

/** Returns the names of a request's group and its sibling, or undefined for a path or method without an operation. */
function nameGroup({ request, form }: BreakableRequest): GroupNames | undefined {
  const operation = findOperationByPath(request.path)
  if (operation === undefined || request.method !== OPERATIONS[operation].method) return undefined
  const model = JSON.stringify(modelOf({ request, form }) ?? null)
  const isStream = isStreamingRequest(request)
  const nameOf = (stream: boolean): string => `${operation} ${stream} ${model}`
  return { operation, isStream, own: nameOf(isStream), sibling: nameOf(!isStream) }
}

function modelOf({ request, form }: BreakableRequest): unknown {
  if (form !== undefined) return form['model']
  const body = parseJson(Buffer.from(request.body ?? []).toString('utf8'))
  return typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined
}
