import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import type { ApiRequest, FormFields } from '../requests/api-request.ts'
import type { RequestKind } from '../requests/classify-request.ts'

/** One exchange of the run. Repeated requests are in the log once for each attempt. */
export interface LoggedExchange {
  /** Id of the check that sent the request, or the name of an earlier or later step, e.g. `preflight`. */
  readonly source: string
  /** The operation of the path regardless of the method, or undefined for another path. */
  readonly operation: Operation | undefined
  /** Key of the request. */
  readonly key: ApiRequest['key']
  /**
   * Classification of the request by the specification. Requests of a check of unspecified behaviour never count as
   * invalid.
   */
  readonly kind: RequestKind
  /** Identifies the request within the run: all attempts of a request have the same number. */
  readonly request: number
  /** False if the engine repeated the request after this attempt. The check then did not receive the response. */
  readonly isFinal: boolean
  /** True if checks of all responses exclude the response. */
  readonly isSeparate?: boolean
  readonly exchange: Exchange
  /** The fields of a multipart request. */
  readonly form: FormFields | undefined
}

/** Every exchange of the run so far, in the order in which they ended. */
export interface RunLog {
  /** `{base_url}` of the specification, see `CheckContext`. */
  readonly baseUrl: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly exchanges: readonly LoggedExchange[]
  /** Maximum share of requests that may break down once, as the target's owner set it. */
  readonly maxFlakesPercent?: number
}
