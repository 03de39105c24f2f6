import type OpenAI from 'openai'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { keyOf, type KeyRole } from '../../requests/api-request.ts'
import { loadSdk, type Sdk } from './load-sdk.ts'
import { fetchThrough } from './sdk-fetch.ts'

/** The host never matters: requests go where the engine sends all requests. */
const BASE_URL = 'http://target.invalid/v1'

/** The result of a call of the SDK, with the response that it was made from. */
export interface SdkResult {
  /** The first exchange of the call; undefined where the SDK sent nothing. */
  readonly response: Exchange | undefined
  /** What the SDK returned; undefined where it threw. */
  readonly value: unknown
  /** What the SDK threw. */
  readonly error: Error | undefined
  readonly sdk: Sdk
}

/** Makes a call with the real client SDK, without retries. */
export async function callSdk(
  context: CheckContext,
  call: (client: OpenAI, sdk: Sdk) => Promise<unknown>,
  key: KeyRole | { readonly invalid: string } = 'funded',
): Promise<SdkResult> {
  const sdk = await loadSdk('sdk')
  const exchanges: Exchange[] = []
  const client = new sdk.OpenAI({
    apiKey: typeof key === 'object' ? key.invalid : keyOf(key, context.keys),
    baseURL: BASE_URL,
    maxRetries: 0,
    logLevel: 'off',
    fetch: fetchThrough(context, key, (exchange) => exchanges.push(exchange)),
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
