/** One request as it is sent. */
export interface RequestSpec {
  readonly method: string
  /** Path and query relative to the base address, starting with `/`, e.g. `/v1/models`. */
  readonly path: string
  /** Names in lower case. The client adds Host and Content-Length. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** Why there is no complete response. */
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
  | 'budget'

/** One event of a server-sent-event stream (WHATWG HTML, section 9.2.6) with its arrival. */
export interface StreamEvent {
  /** Milliseconds from the start of the request to the arrival of the event's last byte. */
  readonly atMs: number
  /** The `data` lines joined by line feeds. */
  readonly data: string
  readonly event?: string
  readonly id?: string
}

/** One request with its response. A failure of the target is reported in `error`, never thrown. */
export interface Exchange {
  readonly request: RequestSpec & { readonly url: string }
  /** Milliseconds from the start of the run. */
  readonly startedAtMs: number
  /** Milliseconds from the start of the request to the first body byte and to the end; undefined when not reached. */
  readonly firstByteMs?: number
  readonly totalMs: number
  /** 0 if no status line arrived. */
  readonly status: number
  /** Names in lower case; repeated fields joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body as UTF-8 (invalid sequences replaced). */
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown
  /** The events, when the media type is text/event-stream or the body was read as such. */
  readonly events: readonly StreamEvent[]
  /** True if the last event of the stream had no blank line (WHATWG: such an event is dropped). */
  readonly unfinishedFrame: boolean
  /** True if the connection had carried an earlier request. */
  readonly reusedConnection?: true
  /** True if the client left the stream after the events that it wanted: see `leaveAfterEvents`. */
  readonly leftEarly?: true
  readonly error?: { readonly kind: ExchangeError; readonly message: string }
}
