import type { RequestObservation } from './observation.ts'
import { RETRY_WINDOW_MS, type EarlierRequest } from './retry-rules.ts'

/** Maximum number of requests kept per client. Beyond it, the oldest request is dropped. */
const MAX_REQUESTS = 256

/** Returns true if a request has a header that declares whether it is a retry. */
export function hasRetryHeader({ idempotencyKey, retryCount }: RequestObservation): boolean {
  return idempotencyKey !== undefined || retryCount !== undefined
}

/**
 * Finds the charged requests of one client that later requests declare to repeat: by an equal Idempotency-Key, or by a
 * retry count that is one more. A retry count does not name the request, so it proves nothing if an identical request
 * with the same count was free.
 */
export class DeclaredRetries {
  /** Requests by fingerprint and header, oldest first. */
  readonly #requests = new Map<string, EarlierRequest>()
  /** Time at which the response to the last dropped free request ended, in milliseconds. */
  #freeDroppedAtMs = -Infinity

  /** Removes and returns the charged request that `later` declares to repeat. */
  removeRepeated(fingerprint: string, later: RequestObservation): EarlierRequest | undefined {
    const { idempotencyKey, retryCount = 0, arrived } = later
    const id = createId(fingerprint, idempotencyKey, retryCount - 1)
    const earlier = this.#requests.get(id)
    if (earlier === undefined || earlier.chargedUnits === 0) return undefined
    if (arrived.sequence < earlier.ended.sequence) return undefined
    const mayBeDropped = arrived.atMs - this.#freeDroppedAtMs <= RETRY_WINDOW_MS
    if (idempotencyKey === undefined && mayBeDropped) return undefined
    this.#requests.delete(id)
    return earlier
  }

  add(request: EarlierRequest): void {
    const { fingerprint, idempotencyKey, retryCount = 0, chargedUnits, ended } = request
    const id = createId(fingerprint, idempotencyKey, retryCount)
    const earlier = this.#requests.get(id)
    const isFree = earlier?.chargedUnits === 0 && ended.atMs - earlier.ended.atMs <= RETRY_WINDOW_MS
    if (isFree && chargedUnits > 0 && idempotencyKey === undefined) return
    this.#requests.delete(id) // Reinserts the entry, so that the map is ordered by age.
    this.#requests.set(id, request)
    if (this.#requests.size > MAX_REQUESTS) this.#dropOldest()
  }

  #dropOldest(): void {
    const [oldest] = this.#requests
    if (oldest === undefined) return
    const [id, { chargedUnits, ended }] = oldest
    this.#requests.delete(id)
    if (chargedUnits === 0) this.#freeDroppedAtMs = ended.atMs
  }
}

function createId(fingerprint: string, idempotencyKey: string | undefined, retryCount: number): string {
  return `${fingerprint} ${idempotencyKey ?? retryCount}`
}
