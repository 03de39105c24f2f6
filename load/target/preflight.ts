import { connect } from 'node:tls'
import type { LoadFinding } from '../findings/finding.ts'
import { createLoadMask } from '../options/load-mask.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { LoadContext } from '../options/load-context.ts'
import type { LoadKeys } from '../options/load-options.ts'
import { classifyRequestError } from './request-failure.ts'
import {
  createClient,
  DEFAULT_TIMEOUT_MS,
  ResponseTooLargeError,
  type TargetClientOptions,
  type TargetResponse,
} from './target-client.ts'

/** Result of the request for the list of models. */
export interface TargetState {
  /** The reason why no run can start. Undefined if there is none. */
  readonly problem?: LoadFinding
  /** IDs of the models that the target lists. Empty if the target has no list. */
  readonly listed: readonly string[]
}

/**
 * Requests the list of models with the funded key, to detect a target that does not respond or that rejects the key.
 * @throws InvalidOptionError if the certificate file cannot be read
 */
export async function inspectTarget(
  target: string,
  { funded: key, limited, small }: LoadKeys,
  options: TargetClientOptions = {},
  { proxy, signal }: Pick<LoadContext, 'proxy'> & Partial<Pick<LoadContext, 'signal'>> = {},
): Promise<TargetState> {
  let response: TargetResponse
  try {
    using client = await createClient(target, key, options, { proxy, signal })
    response = await client('models')
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error
    // The target responds, and its list only serves to find a wrong model.
    if (error instanceof ResponseTooLargeError) return { listed: [] }
    const failure = classifyRequestError(error, DEFAULT_TIMEOUT_MS)
    if (failure.cause !== 'timeout' && (await requiresHttp2(target, proxy, signal))) {
      return { problem: { code: 'target-requires-http2', params: { target } }, listed: [] }
    }
    const params = { target, failure, ...(proxy === undefined ? {} : { isProxied: true }) }
    return { problem: { code: 'target-unreachable', params }, listed: [] }
  }
  const { status, text } = response
  if (proxy !== undefined && status === 407) {
    return { problem: { code: 'proxy-requires-credentials', params: { target } }, listed: [] }
  }
  const hasOtherKey = key === undefined && (limited ?? small) !== undefined
  if (status !== 200 && (await requiresHttp2(target, proxy, signal))) {
    return { problem: { code: 'target-requires-http2', params: { target } }, listed: [] }
  }
  if ((status === 401 || status === 403) && !hasOtherKey) {
    const problem: LoadFinding =
      key === undefined
        ? { code: 'target-requires-key', params: { target } }
        : { code: 'target-rejects-key', params: { target, status } }
    return { problem, listed: [] }
  }
  const mask = createLoadMask({ keys: [key, limited, small], headers: options.headers })
  // A target can return a key as the ID of a model, and the document contains the models of the run.
  return { listed: status === 200 ? readModelIds(text).filter((id) => mask.mask(id) === id) : [] }
}

/** Returns whether the target accepts only HTTP/2. Does not detect this behind a proxy. */
async function requiresHttp2(
  target: string,
  proxy: string | undefined,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return proxy === undefined && (await acceptsOnlyHttp2(target, DEFAULT_TIMEOUT_MS, signal))
}

/** Returns the IDs in a list of models, or an empty list if the text is not a list of models. */
function readModelIds(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text)
    const data = isRecord(list) && Array.isArray(list['data']) ? list['data'] : []
    return data.flatMap((model: unknown) => (isRecord(model) && typeof model['id'] === 'string' ? model['id'] : []))
  } catch {
    return []
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/**
 * Returns whether a server with TLS accepts HTTP/2 but not HTTP/1.1. Negotiates the protocol (ALPN) without sending a
 * request.
 */
async function acceptsOnlyHttp2(target: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
  const url = new URL(target)
  if (url.protocol !== 'https:') return false
  const limits = { timeoutMs, signal }
  if ((await negotiate(url, ['h2'], limits)) !== 'h2') return false
  return (await negotiate(url, ['http/1.1'], limits)) === 'rejected'
}

/**
 * Returns the protocol that the server chooses, `rejected` if it rejects the connection, or undefined if it does not
 * respond in time or chooses none. A server that chooses none may still accept HTTP/1.1.
 */
function negotiate(
  { hostname, port }: URL,
  protocols: string[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return new Promise((resolve) => {
    // Does not verify the certificate, because the connection carries no data.
    const socket = connect({
      host,
      port: Number(port === '' ? 443 : port),
      ALPNProtocols: protocols,
      rejectUnauthorized: false,
    })
    const abort = () => end(undefined)
    const end = (protocol: string | undefined): void => {
      signal?.removeEventListener('abort', abort)
      socket.destroy()
      resolve(protocol)
    }
    socket.setTimeout(timeoutMs, () => end(undefined))
    socket.on('error', () => end('rejected'))
    socket.on('secureConnect', () => end(socket.alpnProtocol || undefined))
    signal?.addEventListener('abort', abort)
    if (signal?.aborted === true) abort()
  })
}
