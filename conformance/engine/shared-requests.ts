import type { Exchange } from '../http/exchange.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import type { SharedWork } from './check.ts'
import type { DispatchedRequest, Dispatcher } from './dispatcher.ts'
import type { RequestScope } from './request-scope.ts'

/** Maximum age of a shared response, measured from the start of its request. */
const MAX_AGE_MS = 60_000

/**
 * Shares the responses to identical requests of several checks, so that a control request is sent only once. Breakdowns
 * and rate-limited responses are not shared.
 */
export class SharedRequests {
  /** Short identifier in the texts of these requests. */
  readonly tag: string
  readonly #dispatcher: Dispatcher
  readonly #nowMs: () => number
  readonly #responses = new Map<string, Promise<Exchange>>()
  /** Shared work by name, with the number of requests that the run had sent before. */
  readonly #work = new Map<string, { readonly exchanges: readonly Exchange[]; readonly sentBefore: number }>()

  constructor(tag: string, dispatcher: Dispatcher, nowMs: () => number) {
    this.tag = tag
    this.#dispatcher = dispatcher
    this.#nowMs = nowMs
  }

  /** Sends the request, or records an earlier response to it in the scope. Never rejects. */
  async dispatch(scope: RequestScope, dispatched: DispatchedRequest): Promise<Exchange> {
    const { request, form, send } = dispatched
    // Requests with a special sender, e.g. on a separate connection, are never shared.
    if (send !== undefined || scope.obstacle !== undefined) return this.#dispatcher.dispatch(scope, dispatched)
    const identity = identityOf(request)
    // There is no `await` before the request is stored. Otherwise, two checks that start together would both send it.
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

  /** Returns the responses shared under this name if they are recent. Otherwise calls `send`. */
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
