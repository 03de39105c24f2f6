import type { LoggedExchange, RunLog } from '../../traffic/run-log.ts'
import { hasTesterSideError, isStaleConnectionError } from '../../http/breakdown.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { BreakdownGroup, ResponseParams } from '../../findings/fact-params.ts'

/** Maximum number of requests in the evidence. The report shows all attempts of each request. */
const MAX_SHOWN = 6

export interface SentRequest {
  readonly attempts: readonly LoggedExchange[]
  readonly last: LoggedExchange
}

/** Lists the requests of the run, without those that the network or the limits of the tester prevented. */
export function listSentRequests({ exchanges }: RunLog): readonly SentRequest[] {
  return [...Map.groupBy(exchanges, ({ request }) => request).values()].flatMap((attempts) => {
    const last = attempts.at(-1)
    const isEvaluated =
      last !== undefined && !hasTesterSideError(last.exchange) && !isStaleConnectionError(last.exchange)
    return isEvaluated ? [{ attempts, last }] : []
  })
}

/** Requests that got the same response. */
export interface RequestGroup {
  readonly group: BreakdownGroup
  readonly requests: readonly SentRequest[]
}

/** Finds what distinguishes a broken request from all successful ones, such as its body, `stream` or the model. */
export type Distinguish = (request: SentRequest) => Omit<BreakdownGroup, 'endpoint' | 'requests' | keyof ResponseParams>

/** Groups requests by endpoint, response and further properties, the largest group first. */
export function groupRequests(
  all: readonly SentRequest[],
  responseOf: (request: SentRequest) => Exchange,
  distinguish: Distinguish = () => ({}),
): readonly RequestGroup[] {
  const describe = (request: SentRequest): Omit<BreakdownGroup, 'requests'> => {
    const response = responseOf(request)
    return {
      endpoint: `${response.request.method} ${response.request.path}`,
      ...distinguish(request),
      ...expect.getResultParams(response),
    }
  }
  return [...Map.groupBy(all, (request) => JSON.stringify(describe(request))).values()]
    .flatMap((requests) =>
      requests.slice(0, 1).map((first) => ({ group: { ...describe(first), requests: requests.length }, requests })),
    )
    .toSorted((a, b) => (b.group.parallel ?? 0) - (a.group.parallel ?? 0) || b.requests.length - a.requests.length)
}

export function evidenceOf(requests: readonly SentRequest[]): readonly LoggedExchange[] {
  return requests.slice(0, MAX_SHOWN).flatMap(({ attempts }) => attempts)
}

/** Maximum percentage of flakes, unless the owner sets a limit. An outage counts as one flake. */
export const MAX_FLAKES_PERCENT = 2
const FEW_FLAKES = 2

/** Returns whether flakes are within the limit. Without a limit in percent, a few are always allowed. */
export function mayBeFlakes(flakes: number, requests: number, ownersPercent: number | undefined): boolean {
  const isFew = ownersPercent === undefined && flakes <= FEW_FLAKES
  return isFew || (100 * flakes) / requests <= (ownersPercent ?? MAX_FLAKES_PERCENT)
}
