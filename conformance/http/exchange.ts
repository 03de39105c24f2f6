export interface RequestSpec {
  readonly method: string
  /** Path and query relative to the base URL, starting with `/`, e.g. `/v1/models`. */
  readonly path: string
  /** Header fields by lower-case name. The client adds Host and Content-Length. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** Kinds of errors that lead to a missing or incomplete response. */
export type ExchangeError =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'closed-early'
  | 'too-large'
  | 'malformed'
  | 'wrong-encoding'
  | 'tls'
  | 'http-version'
  | 'not-tls'
  | 'dns'
  | 'interrupted'
  | 'spend-limit'

/** An event of a server-sent-event stream (WHATWG HTML, section 9.2.6), with its arrival time. */
export interface StreamEvent {
  /** Time from the start of the request to the last byte of the event, in milliseconds. */
  readonly atMs: number
  /** Text of the `data` lines, joined by line feeds. */
  readonly data: string
  readonly event?: string
  readonly id?: string
}

/** A body of which the suite keeps only the start and the end. */
export interface WholeBody {
  readonly bytes: number
  /** Digest of the whole body, in hexadecimal. */
  readonly sha256: string
  /** Number of bytes that the suite keeps of its start. */
  readonly headBytes: number
}

/** A request with its response. If the target fails, the client does not throw: `error` describes the failure. */
export interface Exchange {
  readonly request: RequestSpec & { readonly url: string }
  /** Time from the start of the run to the start of the request, in milliseconds. */
  readonly startedAtMs: number
  /** Time from the start of the request to the first byte of the body, in milliseconds. Undefined without a body. */
  readonly firstByteMs?: number
  readonly totalMs: number
  /** HTTP status. It is 0 if the target sent no status line. */
  readonly status: number
  /** Header fields by lower-case name. Values of repeated fields are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Memory of the response: its body, its header fields and the arrival times of its events, in bytes. */
  readonly memoryBytes: number
  /** Set if the suite has released the middle of the body. The exchange then has no JSON, and checks must ignore it. */
  readonly whole?: WholeBody
  /** Body decoded as UTF-8. Each invalid sequence is replaced with a replacement character. */
  readonly text: string
  /** Parsed JSON body. Undefined if the body is not JSON or is nested too deeply. */
  readonly json: unknown
  /** Parsed events of a stream. Empty if the client did not parse the body as a stream. */
  readonly events: readonly StreamEvent[]
  /** Whether the final blank line of the last event is missing. Parsers drop such an event (WHATWG HTML). */
  readonly unfinishedFrame: boolean
  /** Whether an earlier request used the same connection. */
  readonly reusedConnection?: true
  /** Whether the client aborted the stream as requested by `abortWhen`. */
  readonly wasAborted?: true
  readonly error?: { readonly kind: ExchangeError; readonly message: string }
}
