/** A request from the suite to the emulator. Header names are in lower case. */
export interface ProxiedRequest {
  readonly method: string
  /** Path with its query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Header fields of the first request on the same connection, which may be this one. */
  readonly firstHeaders: Readonly<Record<string, string>>
  /** Bodies of the requests that were in flight when this request arrived. */
  readonly parallel: readonly Buffer[]
}

/** A response from the emulator to the suite. Header names are in lower case. The proxy adds `Content-Length`. */
export interface ProxiedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Delay of the response, in milliseconds. Default: 0. */
  readonly delayMs?: number
  /** Keeps the connection open and sends no response. */
  readonly isWithheld?: true
  /** Sends the body even in a response to HEAD, which HTTP forbids. */
  readonly hasBodyOfHead?: true
  /** Sends a stream in groups of `size` frames, at intervals of `intervalMs`. Default: the whole body at once. */
  readonly frameGroups?: { readonly size: number; readonly intervalMs: number }
}

export interface ProxyHooks {
  /** Changes a request, or returns a response, which the proxy then sends without forwarding the request. */
  onRequest?(request: ProxiedRequest): ProxiedRequest | ProxiedResponse
  /** Changes a response of the emulator. `request` is the request as the suite sent it. */
  onResponse?(response: ProxiedResponse, request: ProxiedRequest): ProxiedResponse
}
