import type { ServedOperation } from '../operations/served-operations.ts'
import type { Account } from '../state/accounts.ts'
import type { ApiErrorCode } from './api-errors.ts'
import type { Authentication } from './check-access.ts'
import type { Bill } from './billing.ts'
import type { Endpoints } from './endpoints.ts'
import { logException, type ObservedRequest, type RequestListener, type RequestObserver } from './events.ts'

/** Header fields by lower-case name. A repeated field may have a list of values. */
export interface RequestHeaders {
  readonly authorization?: string | undefined
  readonly 'content-type'?: string | undefined
  readonly [name: string]: string | readonly string[] | undefined
}

/** A request as a transport (a socket or an in-process call) passes it to the core. Its body is unread. */
export interface IncomingRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: RequestHeaders
  /** `{base_url}` in the client's request: scheme and host, without a trailing slash. */
  readonly baseUrl: string
  /** Connection of the request; absent for an in-process request. A connection carries one request at a time. */
  readonly connection?: object
  /** Time of arrival, in milliseconds of the clock's monotonic time. Defaults to now. */
  readonly arrivedAtMs?: number
  /**
   * Reads the body. Returns synchronously if the whole body has arrived.
   * @returns undefined if the body exceeds `limitBytes`; rejects with {@link ClientDisconnected}
   */
  readBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined>
}

/** Thrown when the client closes the connection before its request is complete. No response is possible. */
export class ClientDisconnected extends Error {}

const NO_FIELDS: readonly string[] = []

/** Properties of a request that are known when it arrives. */
interface Arrival {
  /** Value of the response header `x-request-id`. */
  readonly id: string
  readonly authentication: Authentication
  readonly endpoints: Endpoints
  /** Monotonic time of the clock, in milliseconds. */
  readonly arrivedAtMs: number
  /** Requests in flight at arrival, including this one. */
  readonly inFlight: number
}

/**
 * A request under /v1, from its arrival to the end of its response. Properties known at arrival are read-only.
 *
 * The six fields below `listener` are set later. Only observers and the code that releases unsettled bills read them;
 * a stage receives the result of an earlier stage as an argument.
 */
export class RequestContext implements ObservedRequest {
  readonly id: string
  readonly method: string
  readonly target: string
  /** Path without query. */
  readonly path: string
  readonly operation: ServedOperation | undefined
  readonly headers: RequestHeaders
  readonly baseUrl: string
  readonly connection: object | undefined
  readonly authentication: Authentication
  readonly arrivedAtMs: number
  readonly inFlight: number
  readonly listener: RequestListener

  /** Model of the request. Set after validation. */
  model: string | undefined = undefined
  /** Names of the request fields without effect. Set after validation. */
  ignoredFields: readonly string[] = NO_FIELDS
  /** Id of the fixture that responds. Set when it is selected. */
  fixtureId: string | undefined = undefined
  /** Id of the injected fault. Set when a fault is selected for this request. */
  faultId: string | undefined = undefined
  /** Code of the API error. Set when the response is an error. */
  errorCode: ApiErrorCode | undefined = undefined
  /** Bill of the request. Set when credits are held. */
  bill: Bill | undefined = undefined

  readonly #incoming: IncomingRequest

  constructor(incoming: IncomingRequest, arrival: Arrival, observer: RequestObserver) {
    this.id = arrival.id
    this.method = incoming.method
    this.target = incoming.target
    this.path = extractPath(incoming.target)
    this.operation = arrival.endpoints.get(this.path)?.operation
    this.headers = incoming.headers
    this.baseUrl = incoming.baseUrl
    this.connection = incoming.connection
    this.authentication = arrival.authentication
    this.arrivedAtMs = arrival.arrivedAtMs
    this.inFlight = arrival.inFlight
    this.#incoming = incoming
    this.listener = observer.onRequest(this)
  }

  /** Reads the body and reports it to the listener. */
  readBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined> {
    const body = this.#incoming.readBody(limitBytes)
    return body instanceof Promise ? body.then((later) => this.#reportBody(later)) : this.#reportBody(body)
  }

  /** Reads the body if no stage has read it, without reporting an event. */
  readUnreportedBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined> {
    return this.#incoming.readBody(limitBytes)
  }

  get key(): string {
    return this.authentication.key
  }

  get keyOwner(): Account | undefined {
    return this.authentication.keyOwner
  }

  get usedTokens(): number {
    return this.bill?.usedTokens ?? 0
  }

  get chargedUnits(): number {
    return this.bill?.chargedUnits ?? 0
  }

  #reportBody(body: Buffer | undefined): Buffer | undefined {
    if (body === undefined) return body
    try {
      this.listener.onRequestBody(body)
    } catch (error) {
      logException(this.id, error)
    }
    return body
  }
}

/**
 * Extracts the path from a request target in origin form or absolute form (RFC 9112, section 3.2). Proxies receive the
 * absolute form.
 */
export function extractPath(target: string): string {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const query = origin.indexOf('?')
  return query === -1 ? origin : origin.slice(0, query)
}
