import type { Exchange } from '../http/exchange.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import type { SharedWork } from './check.ts'
import type { DispatchedRequest } from './dispatched-request.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { RequestScope } from './request-scope.ts'

/** Maximum age of a shared response in milliseconds, measured from the start of its request. */
const MAX_AGE_MS = 60_000

/**
 * Shares the response to a request among all checks that send the same request, so that the engine does not send a
 * control request for each check. Never shares a breakdown or a 429.
 */
export class SharedRequests {
  /** Short string in all shared requests. */
  readonly tag: string
  readonly #dispatcher: Dispatcher
  readonly #nowMs: () => number
  readonly #responses = new Map<string, Promise<Exchange>>()
  /** Shared responses by name, with the number of requests that the run had sent when it stored them. */
  readonly #work = new Map<string, { readonly exchanges: readonly Exchange[]; readonly requestsBefore: number }>()

  constructor(tag: string, dispatcher: Dispatcher, nowMs: () => number) {
    this.tag = tag
    this.#dispatcher = dispatcher
    this.#nowMs = nowMs
  }

  /**
   * Sends a request and returns its response. If there is a recent response to the same request, records and returns
   * that response instead. Never rejects.
   */
  async dispatch(scope: RequestScope, dispatched: DispatchedRequest): Promise<Exchange> {
    const { request, form, send } = dispatched
    // Never shares a request with its own `send` function, which may use a separate connection.
    if (send !== undefined || scope.obstacle !== undefined) return this.#dispatcher.dispatch(scope, dispatched)
    const identity = identityOf(request)
    // Without an earlier request, no `await` may come between here and the line that stores the request. Otherwise, two
    // checks that start together would both send it.
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

  /** Returns the responses that a check shared under this name, if they are recent. Otherwise, sends the requests. */
  async share(
    scope: RequestScope,
    name: string,
    { send, isUseful, untilNextRequest = false, isFresh = false }: SharedWork,
  ): Promise<readonly Exchange[]> {
    const { requests } = this.#dispatcher.spent
    const known = isFresh ? undefined : this.#work.get(name)
    const isValid = known !== undefined && (!untilNextRequest || known.requestsBefore === requests)
    if (isValid && known.exchanges.every(({ startedAtMs }) => this.#nowMs() - startedAtMs <= MAX_AGE_MS)) {
      for (const exchange of known.exchanges) scope.recorder.add(exchange, undefined, this.#nowMs())
      return known.exchanges
    }
    const exchanges = await send()
    if (isUseful(exchanges)) this.#work.set(name, { exchanges, requestsBefore: this.#dispatcher.spent.requests })
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
