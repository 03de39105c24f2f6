import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
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
  /**
   * Classification of the request by the specification. Requests of checks of unspecified behaviour are never
   * `invalid`.
   */
  readonly kind: RequestKind
  /** Number of the request within the run. All attempts of a request have the same number. */
  readonly request: number
  /** False if the engine then repeated the request, so that the check did not receive this response. */
  readonly isFinal: boolean
  /** Whether summary checks must ignore the exchange. */
  readonly isSeparate?: boolean
  readonly exchange: Exchange
  readonly form: FormFields | undefined
}

/** Exchanges of the run so far that summary checks evaluate, in the order in which they ended. */
export interface RunLog {
  /** `{base_url}` of the specification, see `CheckContext.baseUrl`. */
  readonly baseUrl: string
  /** Start of the run as Unix time, in milliseconds. */
  readonly startedAt: number
  readonly exchanges: readonly LoggedExchange[]
  /** Maximum percentage of flakes that the target's owner allows. */
  readonly maxFlakesPercent?: number
  /** Endpoint of the balance, see `Declarations.balance`. */
  readonly balance?: NonNullable<Declarations['balance']>
}
