import type { Exchange } from '../http/exchange.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import type { DispatchedRequest, Dispatcher } from './dispatcher.ts'
import type { RequestScope } from './request-scope.ts'

/** How long a response is shared, from the time its request was sent. */
const MAX_AGE_MS = 60_000

/**
 * Shares the responses to identical requests of several checks, so that the same control request is not sent for each of
 * them. A response is shared only if it was served: after an error response or a breakdown, every check sends its own.
 */
export class SharedRequests {
  /** Short identifier in the texts of these requests. */
  readonly tag: string
  readonly #dispatcher: Dispatcher
  readonly #nowMs: () => number
  readonly #responses = new Map<string, Promise<Exchange>>()

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
    const known = await this.#responses.get(identity)
    if (known !== undefined && this.#isFresh(known)) {
      scope.recorder.add(known, form)
      return known
    }
    const own = this.#dispatcher.dispatch(scope, dispatched)
    this.#responses.set(identity, own)
    return own
  }

  #isFresh({ status, error, startedAtMs }: Exchange): boolean {
    return error === undefined && status >= 200 && status < 300 && this.#nowMs() - startedAtMs <= MAX_AGE_MS
  }
}

function identityOf({ method, path, headers, body, key }: ApiRequest): string {
  const bytes = Buffer.from(body ?? []).toString('base64')
  return JSON.stringify([method, path, Object.entries(headers).toSorted(), key, bytes])
}
