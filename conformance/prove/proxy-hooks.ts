/** A request from the suite to the emulator. Header names are in lower case. */
export interface ProxiedRequest {
  readonly method: string
  /** Path with query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /**
   * Header fields of the first request on the same connection. For the first request, this is the same object as
   * `headers`.
   */
  readonly firstHeaders: Readonly<Record<string, string>>
  /** Bodies of the requests that were in progress when this request arrived. */
  readonly parallel: readonly Buffer[]
}

/** A response from the emulator to the suite. Header names are in lower case. The proxy adds `Content-Length`. */
export interface ProxiedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Delay before the response is sent, in milliseconds. Default: 0. */
  readonly delayMs?: number
  /** Sends a stream in groups of `size` frames, one group every `intervalMs`. Default: sends the whole body at once. */
  readonly frameGroups?: { readonly size: number; readonly intervalMs: number }
}

/** Hooks that change requests and responses in the proxy. They implement a mutant. */
export interface ProxyHooks {
  /** Changes a request, or returns a response without forwarding the request. Only responses have a `status`. */
  onRequest?(request: ProxiedRequest): ProxiedRequest | ProxiedResponse
  /** Changes a response of the emulator. `request` is the original request. */
  onResponse?(response: ProxiedResponse, request: ProxiedRequest): ProxiedResponse
}
