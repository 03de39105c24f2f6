import { hash } from 'node:crypto'
import type { Exchange } from '../http/exchange.ts'
import { hasServerError } from '../http/stream-error.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import type { DispatchedRequest } from './dispatched-request.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { RequestScope } from './request-scope.ts'

/** Requests whose responses several checks share. */
export interface SharedWork {
  send(): Promise<readonly Exchange[]>
  /** Returns whether other checks can reuse these responses. */
  isUseful(responses: readonly Exchange[]): boolean
  /** Whether the shared responses become invalid as soon as the run sends any other request. */
  readonly untilNextRequest?: boolean
  /** Whether to send the requests even if shared responses exist. The new responses replace them. */
  readonly isFresh?: boolean
}

/** Shares the response to a request among checks. Shares a breakdown only if the operation is closed. */
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

  /** Sends a request, or returns the response to the same request of another check. Never rejects. */
  async dispatch(scope: RequestScope, dispatched: DispatchedRequest): Promise<Exchange> {
    const { request, form, send } = dispatched
    // Never shares a request with its own `send` function, which may use a separate connection.
    if (send !== undefined || scope.obstacle !== undefined) return this.#dispatcher.dispatch(scope, dispatched)
    await this.#dispatcher.decide(scope, request)
    // No `await` may come before the request is stored, because two checks that start together would both send it.
    const identity = identityOf(request)
    const earlier = this.#responses.get(identity)
    const known = earlier === undefined ? undefined : await earlier
    if (known !== undefined && this.#isShared(known, request)) {
      scope.recorder.add(known, form, this.#nowMs())
      return known
    }
    const own = this.#dispatcher.dispatch(scope, dispatched)
    this.#responses.set(identity, own)
    // Otherwise, the promise would hold a response that the run does not keep.
    void own.then((exchange) => this.#dispatcher.kept.isComplete(exchange) || this.#responses.delete(identity))
    return own
  }

  /** Returns the last response to a request, even an error. Returns undefined if the run has not sent the request. */
  find(request: ApiRequest): Promise<Exchange> | undefined {
    return this.#responses.get(identityOf(request))
  }

  /** Returns the responses that a check shared under this name. If there are none, sends the requests. */
  async share(
    scope: RequestScope,
    name: string,
    { send, isUseful, untilNextRequest = false, isFresh = false }: SharedWork,
  ): Promise<readonly Exchange[]> {
    const { requests } = this.#dispatcher.spent
    const known = isFresh ? undefined : this.#work.get(name)
    if (known !== undefined && (!untilNextRequest || known.requestsBefore === requests)) {
      for (const exchange of known.exchanges) scope.recorder.add(exchange, undefined, this.#nowMs())
      return known.exchanges
    }
    const exchanges = await send()
    const isKept = exchanges.every((exchange) => this.#dispatcher.kept.isComplete(exchange))
    if (isKept && isUseful(exchanges))
      this.#work.set(name, { exchanges, requestsBefore: this.#dispatcher.spent.requests })
    return exchanges
  }

  #isShared(exchange: Exchange, request: ApiRequest): boolean {
    const { status, error } = exchange
    const isBroken = hasServerError(exchange)
    if (!isBroken && error === undefined && status >= 200 && status < 500)
      return status !== 429 && this.#dispatcher.kept.isComplete(exchange)
    return isBroken && this.#dispatcher.gates.obstacle(request) !== undefined
  }
}

function identityOf({ method, path, headers, body, key }: ApiRequest): string {
  const content = body === undefined ? '' : hash('sha256', body)
  return JSON.stringify([method, path, Object.entries(headers).toSorted(), key, content])
}
