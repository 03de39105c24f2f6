import type { RequestFields } from '../operations/operation.ts'
import type { ServedOperationName } from '../operations/served-operations.ts'
import { isUploadedFile } from '../operations/uploaded-file.ts'
import type { Account } from '../state/accounts.ts'
import type { RequestSlot } from '../state/slots.ts'
import type { ApiErrorCode } from './api-errors.ts'
import type { Authentication } from './check-access.ts'
import type { RequestCharge } from './billing.ts'
import { findStoredResponse, type Endpoints } from './endpoints.ts'
import {
  logException,
  type ObservedRequest,
  type RequestListener,
  type RequestObserver,
  type Truncation,
} from './events.ts'
import { whenReady } from './when-ready.ts'

/** Header fields by lower-case name. A repeated field may have a list of values. */
export interface RequestHeaders {
  readonly authorization?: string | undefined
  readonly 'content-type'?: string | undefined
  readonly [name: string]: string | readonly string[] | undefined
}

/** A request as the transport (a socket or an in-process call) passes it to the core. The body has not been read. */
export interface IncomingRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: RequestHeaders
  /** Version of HTTP, such as `1.0`. Default: `1.1`. */
  readonly httpVersion?: string
  /** Scheme and host of the client's request, without a trailing slash: the `{base_url}` of the specification. */
  readonly baseUrl: string
  /** Identity of the connection; absent for an in-process request. A connection carries one request at a time. */
  readonly connection?: object
  /** Arrival time on the monotonic clock, in milliseconds. Default: the current time. */
  readonly arrivedAtMs?: number
  /**
   * Reads the body. Returns synchronously if the whole body has arrived. Rejects with {@link ClientDisconnectedError}
   * if the client disconnects first.
   * @returns undefined if the body exceeds `limitBytes`
   */
  readBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined>
}

/** Thrown when the client closes the connection before its request is complete or its response is generated. */
export class ClientDisconnectedError extends Error {}

/** Reports whether a client has disconnected. Each response writer implements it. */
interface ClientConnection {
  /** Returns true if the client has disconnected or the response has ended. */
  isClosed(): boolean
  /** Adds a listener that is called once, when the client disconnects or the response ends. */
  onClose(listener: () => void): void
}

const NO_FIELDS: readonly string[] = []

interface Arrival {
  /** Value of the response header `x-request-id`. */
  readonly id: string
  readonly authentication: Authentication
  readonly endpoints: Endpoints
  /** Arrival time on the monotonic clock, in milliseconds. */
  readonly arrivedAtMs: number
  readonly inFlight: number
}

/**
 * A request under /v1, from its arrival to the end of its response. Properties known at arrival are read-only. The
 * eight fields after `inFlight` are set later, for observers and for the settlement of the bill. Pipeline stages receive the
 * results of earlier stages as arguments instead.
 */
export class RequestContext implements ObservedRequest {
  readonly id: string
  readonly method: string
  readonly target: string
  readonly path: string
  readonly operation: ServedOperationName | undefined
  readonly headers: RequestHeaders
  readonly httpVersion: string
  readonly baseUrl: string
  readonly connection: object | undefined
  readonly authentication: Authentication
  readonly arrivedAtMs: number
  readonly inFlight: number

  model: string | undefined = undefined
  ignoredFields: readonly string[] = NO_FIELDS
  fixtureId: string | undefined = undefined
  truncation: Truncation | undefined = undefined
  faultId: string | undefined = undefined
  errorCode: ApiErrorCode | undefined = undefined
  bill: RequestCharge | undefined = undefined
  slot: RequestSlot | undefined = undefined

  readonly #listener: RequestListener
  readonly #incoming: IncomingRequest
  readonly #transport: ClientConnection
  #signal: AbortSignal | undefined

  constructor(incoming: IncomingRequest, transport: ClientConnection, arrival: Arrival, observer: RequestObserver) {
    this.id = arrival.id
    this.method = incoming.method
    this.target = incoming.target
    this.path = extractPath(incoming.target)
    this.operation = (arrival.endpoints.get(this.path) ?? findStoredResponse(arrival.endpoints, this.path))?.operation
    this.headers = incoming.headers
    this.httpVersion = incoming.httpVersion ?? '1.1'
    this.baseUrl = incoming.baseUrl
    this.connection = incoming.connection
    this.authentication = arrival.authentication
    this.arrivedAtMs = arrival.arrivedAtMs
    this.inFlight = arrival.inFlight
    this.#incoming = incoming
    this.#transport = transport
    this.#listener = observer.onRequest(this)
  }

  readBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined> {
    return whenReady(this.#incoming.readBody(limitBytes), (body) => {
      if (body !== undefined) this.notify((listener) => listener.onRequestBody(body))
      return body
    })
  }

  /** Reports the files of a form to the listener. */
  reportUploads({ values }: RequestFields): void {
    for (const [field, value] of Object.entries(values)) {
      if (isUploadedFile(value)) this.notify((listener) => listener.onUpload(field, value))
    }
  }

  /** Reports an event to the listener, whose exceptions change no response. */
  notify(report: (listener: RequestListener) => void): void {
    try {
      report(this.#listener)
    } catch (error) {
      logException(this.id, error)
    }
  }

  readUnreportedBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined> {
    return this.#incoming.readBody(limitBytes)
  }

  /** Aborts when the client disconnects or the response ends. Created at its first use, because few requests need it. */
  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal
    const controller = new AbortController()
    if (this.#transport.isClosed()) controller.abort()
    else this.#transport.onClose(() => controller.abort())
    this.#signal = controller.signal
    return this.#signal
  }

  get key(): string {
    return this.authentication.key
  }

  get keyOwner(): Account | undefined {
    return this.authentication.keyOwner
  }

  get queuedMs(): number | undefined {
    return this.slot?.queuedMs
  }

  get usedTokens(): number {
    return this.bill?.usedTokens ?? 0
  }

  get reasoningTokens(): number {
    return this.bill?.reasoningTokens ?? 0
  }

  get chargedUnits(): number {
    return this.bill?.chargedUnits ?? 0
  }
}

/**
 * Extracts the path from a request target in origin form or absolute form (RFC 9112, section 3.2). Clients send the
 * absolute form to proxies.
 */
export function extractPath(target: string): string {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const query = origin.indexOf('?')
  return query === -1 ? origin : origin.slice(0, query)
}
