import type { Exchange } from '../http/exchange.ts'
import { IdleDeadlines } from '../pacing/idle-deadlines.ts'
import { InvalidRequestDeadlines } from '../pacing/invalid-request-deadlines.ts'
import type { ApiRequest, FormFields } from '../requests/api-request.ts'
import { findOperationByPath, type RequestKind } from '../requests/classify-request.ts'
import { groupInvalidRequest, type InvalidRequestGroup } from '../requests/invalid-request-group.ts'

/** Minimum time after which a request without a response delays the run longer than expected, in milliseconds. */
const MIN_DELAY_MS = 2000

/** Data of a request that determine how long to wait for its response. */
export interface AwaitedRequest {
  readonly request: Pick<ApiRequest, 'path' | 'key' | 'body'>
  readonly form?: FormFields | undefined
  /** Kind according to the specification, even if a check of unspecified behaviour sends the request. */
  readonly kind: RequestKind
  readonly isRepeat: boolean
}

interface Wait {
  readonly awaited: AwaitedRequest
  readonly startMs: number
  idleMs(): number
}

/** Decides how long to wait for each response of a run. */
export class ResponseTimeouts {
  readonly #usual: IdleDeadlines
  readonly #invalid: InvalidRequestDeadlines
  readonly #waits = new Set<Wait>()

  /** @param ceilingMs maximum duration of a request in milliseconds, set by the tester */
  constructor(ceilingMs: number) {
    this.#usual = new IdleDeadlines(ceilingMs)
    this.#invalid = new InvalidRequestDeadlines(ceilingMs)
  }

  /** Returns the idle deadline of a request in milliseconds. It can change while the request is in progress. */
  idleMs(awaited: AwaitedRequest): number {
    const operation = findOperationByPath(awaited.request.path)
    const group = this.#groupOf(awaited)
    return group === undefined
      ? this.#usual.idleMs(operation, awaited.isRepeat)
      : this.#invalid.idleMs({ operation, group, isRepeat: awaited.isRepeat })
  }

  /** Records the response to any attempt of a request. */
  record(path: string, exchange: Exchange): void {
    const operation = findOperationByPath(path)
    this.#usual.record(operation, exchange)
    this.#invalid.record(operation, exchange)
  }

  /** Records how the last attempt of a request ended. */
  recordEnd(awaited: AwaitedRequest, { error }: Exchange): void {
    if (error?.kind !== 'timeout') return
    const group = this.#groupOf(awaited)
    if (group === undefined) this.#usual.recordUnanswered(findOperationByPath(awaited.request.path))
    else this.#invalid.recordUnanswered(group)
  }

  /**
   * Starts to count a request as in progress.
   * @returns a function that ends this
   */
  begin(awaited: AwaitedRequest, nowMs: number, idleMs: () => number): () => void {
    const wait = { awaited, startMs: nowMs, idleMs }
    this.#waits.add(wait)
    return () => this.#waits.delete(wait)
  }

  /**
   * Returns the longest time for which the engine still waits for a response that is already late, including the wait
   * for the repeated request, in milliseconds. Returns 0 if no response is late.
   */
  maxWaitMs(nowMs: number): number {
    const waits = [...this.#waits].filter(({ startMs }) => nowMs - startMs >= MIN_DELAY_MS)
    return Math.max(
      0,
      ...waits.map(({ awaited, startMs, idleMs }) => {
        const repeatMs = awaited.isRepeat ? 0 : this.idleMs({ ...awaited, isRepeat: true })
        return Math.max(0, startMs + idleMs() - nowMs) + repeatMs
      }),
    )
  }

  /** Returns the group of a request to an operation that the target serves. Returns undefined for a valid request. */
  #groupOf({ request, form, kind }: AwaitedRequest): InvalidRequestGroup | undefined {
    const operation = findOperationByPath(request.path)
    if (kind === 'valid' || !this.#usual.hasServed(operation)) return undefined
    return kind === 'invalid' ? groupInvalidRequest(request, form) : 'unspecified'
  }
}
