/** A request on its way to the emulator. Header names are in lower case. */
export interface WireRequest {
  readonly method: string
  /** Path with query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The header fields of the first request on the same connection; its own where it is the first. */
  readonly firstHeaders: Readonly<Record<string, string>>
  /** The bodies of the requests that were under way when this one came. */
  readonly beside: readonly Buffer[]
}

/** An answer on its way back. Header names are in lower case; the length is added when it is sent. */
export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** How long it is held back before it is sent, in milliseconds. Default: not at all. */
  readonly heldBackMs?: number
}

/** A change to what goes over the wire: how a mutant is put into a target without touching the emulator. */
export interface Wire {
  /** Changes a request, or answers it in the emulator's place (an answer has a `status`). */
  request?(request: WireRequest): WireRequest | WireResponse
  /** Changes an answer of the emulator. */
  answer?(answer: WireResponse, request: WireRequest): WireResponse
}
