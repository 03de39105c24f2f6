import { isDeepStrictEqual } from 'node:util'
import { OPERATIONS } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { addStreamTiming } from '../mutation/change/stream-timing.ts'
import type { ProxiedRequest, ProxiedResponse, ProxyHooks } from '../mutation/proxy-hooks.ts'

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

/** How a mutant changes an exchange. A decisive change can also affect the steps before the checks. */
type Change = 'none' | 'content' | 'decisive'

/**
 * Applies the hooks of a mutant to the traffic of the baseline run, and returns the sources of all exchanges that they
 * change. Because the requests of all runs are the same, the mutant cannot change the outcome of any other check. A
 * change is decisive if it concerns the request, the status or the list of models: the steps before the checks and the
 * control requests of operations evaluate these.
 */
export function findChangedSources(
  hooks: ProxyHooks,
  traffic: readonly BaselineExchange[],
): { readonly changed: ReadonlySet<string>; readonly decisive: ReadonlySet<string> } {
  const changes = traffic.map((exchange) => ({ sources: [...exchange.sources], change: findChange(hooks, exchange) }))
  const sourcesOf = (isWanted: (change: Change) => boolean): ReadonlySet<string> =>
    new Set(changes.filter(({ change }) => isWanted(change)).flatMap(({ sources }) => sources))
  return {
    changed: sourcesOf((change) => change !== 'none'),
    decisive: sourcesOf((change) => change === 'decisive'),
  }
}

/** If a hook reads the requests that run in parallel, the exchange counts as changed: the traffic omits them. */
function findChange(hooks: ProxyHooks, { request, response }: BaselineExchange): Change {
  let readsParallel = false
  const watched: ProxiedRequest = {
    ...request,
    get parallel() {
      readsParallel = true
      return request.parallel
    },
  }
  const forwarded = hooks.onRequest?.(watched) ?? watched
  if (forwarded !== watched && !isDeepStrictEqual(forwarded, { ...watched })) return 'decisive'
  const changed = hooks.onResponse?.(response, watched) ?? response
  if (!readsParallel && (changed === response || isDeepStrictEqual(changed, response))) return 'none'
  return changed.status === response.status && request.target !== OPERATIONS.models.path ? 'content' : 'decisive'
}
