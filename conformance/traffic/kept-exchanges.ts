import type { Exchange } from '../http/exchange.ts'
import { EXCERPT_LIMITS, MAX_KEPT_BYTES, MAX_SMALL_BYTES } from '../http/memory-limits.ts'
import { shortenExchange } from '../http/shorten-exchange.ts'

/** Keeps the responses of a run: small ones complete, larger ones up to a limit, and parts of the others. */
export class KeptExchanges {
  #bytes = 0
  readonly #short = new WeakMap<Exchange, Exchange>()

  /** Returns the exchange if the run keeps its response completely. Otherwise, returns a shortened copy. */
  add(exchange: Exchange): Exchange {
    const { memoryBytes } = exchange
    if (memoryBytes <= MAX_SMALL_BYTES) return exchange
    if (this.#bytes + memoryBytes <= MAX_KEPT_BYTES) {
      this.#bytes += memoryBytes
      return exchange
    }
    const short = shortenExchange(exchange, EXCERPT_LIMITS)
    this.#short.set(exchange, short)
    return short
  }

  /** Returns what the run keeps of an exchange. */
  get(exchange: Exchange): Exchange {
    return this.#short.get(exchange) ?? exchange
  }

  isComplete(exchange: Exchange): boolean {
    return !this.#short.has(exchange)
  }
}
