import { createHash } from 'node:crypto'

/** Longer names are counted by their digest: prompts may have megabytes, and thousands of them are remembered. */
const MAX_NAME_CHARACTERS = 256

/**
 * How often each key was given an answer to each request. Bounded: past `capacity` pairs the pair not seen for longest is
 * forgotten, and its next answer is again the first one.
 */
export class RequestCounter {
  readonly #counts = new Map<string, number>()
  /** The pair at the end of the map, which needs no moving there: to take the only one out of a map makes V8 build it anew. */
  #newest = ''
  readonly #capacity: number

  constructor(capacity = 16_384) {
    this.#capacity = capacity
  }

  /** The ordinal of this answer, from 0. */
  next(accountId: string, fingerprint: string): number {
    const name = `${accountId} ${fingerprint}`
    const pair = name.length <= MAX_NAME_CHARACTERS ? name : createHash('sha256').update(name).digest('base64')
    const ordinal = this.#counts.get(pair) ?? 0
    if (pair !== this.#newest) this.#counts.delete(pair) // inserted anew, so that the map's order is the order of last use
    this.#newest = pair
    this.#counts.set(pair, ordinal + 1)
    if (this.#counts.size > this.#capacity) {
      const oldest = this.#counts.keys().next()
      if (!oldest.done) this.#counts.delete(oldest.value)
    }
    return ordinal
  }

  clear(): void {
    this.#counts.clear()
  }
}
