import type OpenAI from 'openai'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { type KeyChoice, selectKey, type KeyRole } from '../../requests/api-request.ts'
import { loadSdk, type OpenAiSdk } from './load-sdk.ts'

/** Base URL for the SDK. Its host is unused, because the engine sends all requests to the target. */
const BASE_URL = 'http://target.invalid/v1'

export interface SdkResult {
  /** First exchange of the call. Undefined if the SDK sent no request. */
  readonly response: Exchange | undefined
  /** Value that the SDK returned. Undefined if it threw an exception. */
  readonly value: unknown
  readonly error: Error | undefined
  readonly sdk: OpenAiSdk
}

export async function callSdk(
  context: CheckContext,
  call: (client: OpenAI, sdk: OpenAiSdk) => Promise<unknown>,
  key: KeyRole | { readonly invalid: string } = 'funded',
): Promise<SdkResult> {
  const sdk = await loadSdk('sdk')
  const exchanges: Exchange[] = []
  const client = new sdk.OpenAI({
    apiKey: typeof key === 'object' ? key.invalid : selectKey(key, context.keys),
    baseURL: BASE_URL,
    maxRetries: 0,
    logLevel: 'off',
    fetch: createRecordingFetch(context, key, (exchange) => exchanges.push(exchange)),
  })
  try {
    const value = await call(client, sdk)
    return { response: exchanges[0], value, error: undefined, sdk }
  } catch (error) {
    return {
      response: exchanges[0],
      value: undefined,
      error: error instanceof Error ? error : new Error(String(error)),
      sdk,
    }
  }
}

/** Header fields of the connection. They do not describe the body that the SDK receives. */
const CONNECTION_HEADERS = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive'])

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([204, 205, 304])

/**
 * Creates a `fetch` for a client SDK. It sends requests through the engine, which applies its limits and deadlines and
 * records evidence.
 * @param key the key that the SDK uses
 * @param keep receives each exchange, for comparison with the result of the SDK
 */
export function createRecordingFetch(
  { send }: CheckContext,
  key: KeyChoice,
  keep: (exchange: Exchange) => void,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { protocol, pathname, search } = new URL(request.url)
    // The SDK first fetches an empty data URL to identify the `fetch` implementation.
    if (protocol === 'data:') return fetch(request)
    const body = new Uint8Array(await request.arrayBuffer())
    const exchange = await send({
      method: request.method,
      path: pathname + search,
      key,
      headers: Object.fromEntries(request.headers),
      ...(request.method === 'GET' ? {} : { body }),
    })
    keep(exchange)
    return responseOf(exchange)
  }
}

/** Creates the response that `fetch` returns, or throws a TypeError, as fetch does. */
function responseOf({ status, headers, body, error }: Exchange): Response {
  if (status < 200 || status > 599) throw new TypeError(error?.message ?? `status ${status}`)
  const fields = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name))
  const stream = WITHOUT_BODY.has(status) ? null : streamOf(body, error?.message)
  return new Response(stream, { status, headers: fields })
}

/** Creates a stream of the body in one chunk. The stream of a truncated body ends with an error, as with fetch. */
function streamOf(body: Uint8Array, problem: string | undefined): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(body)
      if (problem === undefined) controller.close()
      else controller.error(new TypeError(`terminated: ${problem}`))
    },
  })
}
