import { isDeepStrictEqual } from 'node:util'
import type { Exchange } from '../http/exchange.ts'
import { addStreamTiming } from './change/stream-timing.ts'
import type { ProxiedRequest, ProxiedResponse, ProxyHooks } from './proxy-hooks.ts'

/** A request of the baseline run with its response, as the proxy sees them. */
export interface BaselineExchange {
  /** IDs of the checks that used the response, and names of steps before the checks. */
  readonly sources: ReadonlySet<string>
  readonly request: ProxiedRequest
  readonly response: ProxiedResponse
}

/** Collects the traffic of the baseline run. Several checks can use the same exchange. */
export class BaselineTraffic {
  readonly #exchanges = new Map<Exchange, BaselineExchange & { readonly sources: Set<string> }>()

  add(source: string, exchange: Exchange): void {
    const known = this.#exchanges.get(exchange)
    if (known === undefined) this.#exchanges.set(exchange, { sources: new Set([source]), ...convert(exchange) })
    else known.sources.add(source)
  }

  get exchanges(): readonly BaselineExchange[] {
    return [...this.#exchanges.values()]
  }
}

function convert({ request, status, headers, body }: Exchange): Pick<BaselineExchange, 'request' | 'response'> {
  const proxied = {
    method: request.method,
    target: request.path,
    headers: request.headers,
    firstHeaders: request.headers,
    body: Buffer.from(request.body ?? []),
    parallel: [],
  }
  const response = { status, headers, body: Buffer.from(body) }
  return { request: proxied, response: addStreamTiming({}).onResponse?.(response, proxied) ?? response }
}

/**
 * Applies the hooks of a mutant to the traffic of the baseline run, and returns the sources of all exchanges that they
 * change. Because the requests of all runs are the same, the mutant cannot change the outcome of any other check. If a
 * hook reads the requests that run in parallel, the exchange counts as changed, because the traffic does not contain
 * them.
 */
export function findChangedSources(hooks: ProxyHooks, traffic: readonly BaselineExchange[]): ReadonlySet<string> {
  return new Set(traffic.filter((exchange) => changes(hooks, exchange)).flatMap(({ sources }) => [...sources]))
}

function changes(hooks: ProxyHooks, { request, response }: BaselineExchange): boolean {
  let readsParallel = false
  const watched: ProxiedRequest = {
    ...request,
    get parallel() {
      readsParallel = true
      return request.parallel
    },
  }
  const forwarded = hooks.onRequest?.(watched) ?? watched
  if (forwarded !== watched && !isDeepStrictEqual(forwarded, { ...watched })) return true
  const changed = hooks.onResponse?.(response, watched) ?? response
  return readsParallel || (changed !== response && !isDeepStrictEqual(changed, response))
}
