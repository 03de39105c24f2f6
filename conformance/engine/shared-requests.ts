import type { Exchange } from '../http/exchange.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import type { SharedWork } from './check.ts'
import type { DispatchedRequest, Dispatcher } from './dispatcher.ts'
import type { RequestScope } from './request-scope.ts'

/** How long a response is shared, from the time its request was sent. */
const MAX_AGE_MS = 60_000

/**
 * Shares the responses to identical requests of several checks, so that the same control request is not sent for each of
 * them. After a breakdown or a rate limit, every check sends its own.
 */
export class SharedRequests {
  /** Short identifier in the texts of these requests. */
  readonly tag: string
  readonly #dispatcher: Dispatcher
  readonly #nowMs: () => number
  readonly #responses = new Map<string, Promise<Exchange>>()
  /** With the number of requests that the run had sent by then. */
  readonly #work = new Map<string, { readonly exchanges: readonly Exchange[]; readonly sentBefore: number }>()

  constructor(tag: string, dispatcher: Dispatcher, nowMs: () => number) {
    this.tag = tag
    this.#dispatcher = dispatcher
    this.#nowMs = nowMs
  }

  /** Sends the request in the scope, or records the response to an earlier one there. Never rejects. */
  async dispatch(scope: RequestScope, dispatched: DispatchedRequest): Promise<Exchange> {
    const { request, form, send } = dispatched
    // A request that is sent in another way, for example on a connection of its own, is not the same.
    if (send !== undefined || scope.obstacle !== undefined) return this.#dispatcher.dispatch(scope, dispatched)
    const identity = identityOf(request)
    // Not awaited if there is none: two checks that start together would both send the request.
    const earlier = this.#responses.get(identity)
    const known = earlier === undefined ? undefined : await earlier
    if (known !== undefined && this.#isFresh(known)) {
      scope.recorder.add(known, form, this.#nowMs())
      return known
    }
    const own = this.#dispatcher.dispatch(scope, dispatched)
    this.#responses.set(identity, own)
    return own
  }

  /** Returns the responses that were shared by this name, if they are fresh, or calls `send`. */
  async share(
    scope: RequestScope,
    name: string,
    { send, isUseful, untilNextRequest = false, isFresh = false }: SharedWork,
  ): Promise<readonly Exchange[]> {
    const { requests } = this.#dispatcher.spent
    const known = isFresh ? undefined : this.#work.get(name)
    const isValid = known !== undefined && (!untilNextRequest || known.sentBefore === requests)
    if (isValid && known.exchanges.every(({ startedAtMs }) => this.#nowMs() - startedAtMs <= MAX_AGE_MS)) {
      for (const exchange of known.exchanges) scope.recorder.add(exchange, undefined, this.#nowMs())
      return known.exchanges
    }
    const exchanges = await send()
    if (isUseful(exchanges)) this.#work.set(name, { exchanges, sentBefore: this.#dispatcher.spent.requests })
    return exchanges
  }

  #isFresh({ status, error, startedAtMs }: Exchange): boolean {
    const isComplete = error === undefined && status >= 200 && status < 500 && status !== 429
    return isComplete && this.#nowMs() - startedAtMs <= MAX_AGE_MS
  }
}

function identityOf({ method, path, headers, body, key }: ApiRequest): string {
  const bytes = Buffer.from(body ?? []).toString('base64')
  return JSON.stringify([method, path, Object.entries(headers).toSorted(), key, bytes])
}
