/** Header fields with names in lower case. */
export type HeaderFields = Readonly<Record<string, string>>

export interface GatewayRequest {
  readonly method: string
  readonly target: string
  readonly headers: HeaderFields
  readonly body: AsyncIterable<Buffer>
  /** Aborted if the client disconnects before the end of the response. */
  readonly signal: AbortSignal
}

/** A response of the upstream, or of the gateway itself. The iteration of `body` throws if the response was cut. */
export interface GatewayResponse {
  readonly status: number
  readonly headers: HeaderFields
  readonly body: AsyncIterable<Buffer>
}

/** Sends a request to the upstream. Throws if the connection closes before the head of the response. */
export type Forward = (request: GatewayRequest) => Promise<GatewayResponse>

/** Handles a request with `forward`, and may change the request, each write of the response, and its end. */
export type Middleware = (request: GatewayRequest, forward: Forward) => Promise<GatewayResponse>

export interface GatewayEnvironment {
  readonly upstreamUrl: string
  readonly upstreamKey: string | undefined
}

/** Header fields of one connection (RFC 9110, section 7.6.1), and `Expect`, which Node.js handles itself. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]

export function selectEndToEndFields(headers: NodeJS.Dict<string | string[]>): HeaderFields {
  const nominated = String(headers['connection'] ?? '').split(',')
  const dropped = new Set([...HOP_BY_HOP, ...nominated.map((name) => name.trim().toLowerCase())])
  const kept = Object.entries(headers).filter(([name, value]) => !dropped.has(name) && value !== undefined)
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

export function omitFields(headers: HeaderFields, ...names: readonly string[]): HeaderFields {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}

export function selectFields(headers: HeaderFields, ...names: readonly string[]): HeaderFields {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)))
}

/** Returns a body that can be iterated several times. */
export function createBody(bytes: Buffer | string): AsyncIterable<Buffer> {
  return {
    async *[Symbol.asyncIterator]() {
      if (bytes.length > 0) yield Buffer.from(bytes)
    },
  }
}

export async function* createCutBody(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes
  throw new Error('The upstream cut the response')
}

/** Reads a body to its end. `isCut` is true if the sender did not complete it. */
export async function readBody(body: AsyncIterable<Buffer>): Promise<{ bytes: Buffer; isCut: boolean }> {
  const parts: Buffer[] = []
  try {
    for await (const part of body) parts.push(part)
    return { bytes: Buffer.concat(parts), isCut: false }
  } catch {
    return { bytes: Buffer.concat(parts), isCut: true }
  }
}

export function createJsonResponse(status: number, value: unknown): GatewayResponse {
  const bytes = Buffer.from(JSON.stringify(value))
  return {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.length) },
    body: createBody(bytes),
  }
}

export function createErrorResponse(status: number, message: string): GatewayResponse {
  return createJsonResponse(status, { error: { message, type: 'gateway_error', param: null, code: null } })
}

export function replaceBody<T extends GatewayRequest | GatewayResponse>(message: T, bytes: Buffer | string): T {
  const length = String(Buffer.byteLength(bytes))
  return { ...message, headers: { ...message.headers, 'content-length': length }, body: createBody(bytes) }
}

/** Reads the whole body of a request, so that the gateway can send it several times. */
export async function bufferRequest(request: GatewayRequest): Promise<{ request: GatewayRequest; bytes: Buffer }> {
  const { bytes, isCut } = await readBody(request.body)
  if (isCut) throw new Error('The client cut the request')
  return { request: { ...request, body: createBody(bytes) }, bytes }
}

export function isChat({ target }: GatewayRequest): boolean {
  return /^\/v1\/chat\/completions(?:\?|$)/.test(target)
}

export function acceptsGzip({ headers }: GatewayRequest): boolean {
  return /\bgzip\b/i.test(headers['accept-encoding'] ?? '')
}

export function isEventStream({ headers }: GatewayResponse): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
}
