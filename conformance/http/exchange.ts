/** A request to the target. */
export interface RequestSpec {
  readonly method: string
  /** Path and query relative to the base URL, starting with `/`, e.g. `/v1/models`. */
  readonly path: string
  /** Header fields with names in lower case. The client adds Host and Content-Length. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** Reasons for a missing or incomplete response. */
export type ExchangeError =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'closed-early'
  | 'too-large'
  | 'malformed'
  | 'tls'
  | 'dns'
  | 'interrupted'
  | 'spend-limit'

/** An event of a server-sent-event stream (WHATWG HTML, section 9.2.6), with its arrival time. */
export interface StreamEvent {
  /** Milliseconds from the start of the request to the last byte of the event. */
  readonly atMs: number
  /** The `data` lines, joined by line feeds. */
  readonly data: string
  readonly event?: string
  readonly id?: string
}

/** A request with its response. A failure of the target is in `error`; the client does not throw. */
export interface Exchange {
  readonly request: RequestSpec & { readonly url: string }
  /** Milliseconds from the start of the run to the start of the request. */
  readonly startedAtMs: number
  /** Milliseconds from the start of the request to the first byte of the body. Undefined without a body. */
  readonly firstByteMs?: number
  readonly totalMs: number
  /** HTTP status. 0 if no status line arrived. */
  readonly status: number
  /** Header fields with names in lower case. Repeated fields are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body decoded as UTF-8. Invalid sequences are replaced. */
  readonly text: string
  /** The parsed JSON body. Undefined if the body is not JSON. */
  readonly json: unknown
  /** Parsed events of a stream. Empty if the body was not parsed as a stream. */
  readonly events: readonly StreamEvent[]
  /** Whether the last event had no final blank line. Parsers drop such an event (WHATWG HTML). */
  readonly unfinishedFrame: boolean
  /** Whether an earlier request used the same connection. */
  readonly reusedConnection?: true
  /** Whether the client aborted the stream on purpose: see `abortAfterEvents`. */
  readonly wasAborted?: true
  readonly error?: { readonly kind: ExchangeError; readonly message: string }
}
