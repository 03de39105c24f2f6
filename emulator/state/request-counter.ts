import { createHash } from 'node:crypto'

/**
 * Maximum length of a map key. Longer keys are replaced with their digest, because a prompt can be several megabytes
 * long.
 */
const MAX_NAME_CHARACTERS = 256

/**
 * Counts identical requests per account. Beyond `capacity`, the least recently used counter is dropped and restarts at
 * 0.
 */
export class RequestCounter {
  readonly #counts = new Map<string, number>()
  /**
   * Key of the last map entry, which needs no reinsertion. Removing and reinserting the only entry would make V8
   * rebuild the map.
   */
  #newest = ''
  readonly #capacity: number

  constructor(capacity = 16_384) {
    this.#capacity = capacity
  }

  /** Returns the number of earlier identical requests of the account, and increments the counter. */
  next(accountId: string, fingerprint: string): number {
    const name = `${accountId} ${fingerprint}`
    const pair = name.length <= MAX_NAME_CHARACTERS ? name : createHash('sha256').update(name).digest('base64')
    const count = this.#counts.get(pair) ?? 0
    if (pair !== this.#newest) this.#counts.delete(pair) // Reinserts the entry, so that the map is ordered by last use.
    this.#newest = pair
    this.#counts.set(pair, count + 1)
    if (this.#counts.size > this.#capacity) {
      const oldest = this.#counts.keys().next()
      if (!oldest.done) this.#counts.delete(oldest.value)
    }
    return count
  }

  clear(): void {
    this.#counts.clear()
  }
}
