import type { Operation } from '../../contract/facts.ts'
import type { DeclaredDifference } from '../differences/declared-differences.ts'
import type { Exchange, RequestSpec } from '../http/exchange.ts'
import type { ApiRequest, FormFields } from '../requests/api-request.ts'
import type { RequestKind } from '../requests/classify-request.ts'
import type { Declarations } from '../targets/declarations.ts'

/** An exchange of the run. A request that the engine repeated has one exchange for each attempt. */
export interface LoggedExchange {
  /** ID of the check that sent the request, or name of a step before or after the checks, e.g. `preflight`. */
  readonly source: string
  /** Operation of the path, regardless of the method. Undefined for other paths. */
  readonly operation: Operation | undefined
  readonly key: ApiRequest['key']
  /** Classification of the request. Requests of checks of unspecified behaviour are never `invalid`. */
  readonly kind: RequestKind
  /** Number of the request within the run. All attempts of a request have the same number. */
  readonly request: number
  /** False if the engine then repeated the request, so that the check did not receive this response. */
  readonly isFinal: boolean
  /** Whether summary checks must ignore the exchange. */
  readonly isSeparate?: boolean
  /** Number of requests that the check sent in parallel with this one and repeated with it, including itself. */
  readonly parallel?: number
  readonly exchange: Exchange
  readonly form: FormFields | undefined
}

/** What summary checks evaluate. */
export interface RunLog {
  /** `{base_url}` of the specification, see `CheckContext.baseUrl`. */
  readonly baseUrl: string
  /** Start of the run as Unix time, in milliseconds. */
  readonly startedAt: number
  /** Exchanges of the run so far, see `sortByRequest`. */
  readonly exchanges: readonly LoggedExchange[]
  /** Maximum percentage of flakes that the target's owner allows. */
  readonly maxFlakesPercent?: number | undefined
  /** Departures from the specification that the target's owner declares. */
  readonly differences?: readonly DeclaredDifference[]
  /** Models that responses may name instead of the requested ones, see `Declarations.aliases`. */
  readonly aliases?: Declarations['aliases'] | undefined
  /** Endpoint of the balance, see `Declarations.balance`. */
  readonly balance?: Declarations['balance'] | undefined
}

const NO_BODY = new Uint8Array()

/** Sorts exchanges by endpoint and request, because the order of their ends depends on the speed of the target. */
export function sortByRequest(exchanges: readonly LoggedExchange[]): LoggedExchange[] {
  return exchanges.toSorted((a, b) => compareRequests(a.exchange.request, b.exchange.request) || a.request - b.request)
}

function compareRequests(a: RequestSpec, b: RequestSpec): number {
  const [bodyA, bodyB] = [a.body ?? NO_BODY, b.body ?? NO_BODY]
  return (
    a.path.localeCompare(b.path) ||
    bodyA.length - bodyB.length ||
    Buffer.compare(bodyA, bodyB) ||
    describeHead(a).localeCompare(describeHead(b))
  )
}

function describeHead({ method, headers }: RequestSpec): string {
  return JSON.stringify([method, Object.entries(headers).toSorted()])
}
