/** A request on its way to the emulator. Header names are in lower case. */
export interface WireRequest {
  readonly method: string
  /** Path with query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The header fields of the first request on the same connection; the same object for the first request itself. */
  readonly firstHeaders: Readonly<Record<string, string>>
  /** The bodies of the requests that were in progress when this one arrived. */
  readonly parallel: readonly Buffer[]
}

/** A response on its way to the suite. Header names are in lower case; the length is added when it is sent. */
export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Milliseconds before it is sent. Default: 0. */
  readonly delayMs?: number
  /** Sends the frames of a stream in groups, with time in between. Default: the whole body at once. */
  readonly pace?: { readonly frames: number; readonly everyMs: number }
}

/** A change of requests and responses in transit: implements a mutant without changing the emulator. */
export interface Wire {
  /** Changes a request, or returns a response in the emulator's place. Only a response has a `status`. */
  request?(request: WireRequest): WireRequest | WireResponse
  /** Changes a response of the emulator. */
  response?(response: WireResponse, request: WireRequest): WireResponse
}
