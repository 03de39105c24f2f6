import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { DEADLINE_FACTOR, FIRST_DEADLINE_MS, MIN_DEADLINE_MS, MIN_ERROR_DEADLINE_MS } from './policy.ts'

/** Data of a request that determine how long to wait for its response. */
export interface AwaitedRequest {
  /** Undefined for an unknown endpoint. */
  readonly operation: Operation | undefined
  /** Whether the target should reject the request, which requires no generation. */
  readonly isInvalid: boolean
}

/**
 * Calculates idle deadlines: the time without a received byte after which the suite aborts a request. The specification
 * states no deadline, so it depends on the longest response of the operation. It becomes shorter with each request of
 * the same kind that gets no response, even when repeated. Otherwise, each of them would delay the run by two deadlines.
 */
export class Deadlines {
  readonly #ceilingMs: number
  readonly #longestMs = new Map<Operation | undefined, number>()
  readonly #unanswered = new Map<string, number>()

  /** @param ceilingMs maximum duration of a request in milliseconds, set by the tester */
  constructor(ceilingMs: number) {
    this.#ceilingMs = ceilingMs
  }

  /** Records the response to any attempt of a request. */
  record(operation: Operation | undefined, { status, error, totalMs }: Exchange): void {
    const completeMs = error === undefined ? totalMs : 0
    if (status !== 0) this.#longestMs.set(operation, Math.max(this.#longestMs.get(operation) ?? 0, completeMs))
  }

  /** Records how the last attempt of a request ended. */
  recordEnd(awaited: AwaitedRequest, { error }: Pick<Exchange, 'error'>): void {
    if (error?.kind !== 'timeout') return
    const name = nameKind(awaited)
    this.#unanswered.set(name, (this.#unanswered.get(name) ?? 0) + 1)
  }

  /** Returns the idle deadline in milliseconds. It can change while the request is in progress. */
  idleMs(awaited: AwaitedRequest): number {
    const { operation, isInvalid } = awaited
    if (this.#longestMs.size === 0) return Math.min(this.#ceilingMs, FIRST_DEADLINE_MS)
    const generates = operation !== undefined && operation !== 'models' && !isInvalid
    const minimumMs = generates ? MIN_DEADLINE_MS : MIN_ERROR_DEADLINE_MS
    const unanswered = this.#unanswered.get(nameKind(awaited)) ?? 0
    const longestMs = this.#longestMs.get(operation) ?? 0
    return Math.min(this.#ceilingMs, Math.max(minimumMs / (1 + unanswered), DEADLINE_FACTOR * longestMs))
  }
}

function nameKind({ operation, isInvalid }: AwaitedRequest): string {
  return `${operation} ${isInvalid}`
}
