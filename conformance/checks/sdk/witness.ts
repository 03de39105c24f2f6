import type OpenAI from 'openai'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { loadSdk, type Sdk } from './load-sdk.ts'
import { fetchThrough } from './sdk-fetch.ts'

/** The host never matters: requests go where the harness sends all requests. */
const BASE_URL = 'http://target.invalid/v1'

/** What the SDK made of a call, beside what came over the wire. */
export interface Testimony {
  /** The first exchange of the call; undefined where the SDK sent nothing. */
  readonly wire: Exchange | undefined
  /** What the SDK gave; undefined where it threw. */
  readonly value: unknown
  /** What the SDK threw. */
  readonly error: Error | undefined
  readonly sdk: Sdk
}

/** Lets the real client SDK make a call, without retries, and takes down what it saw. */
export async function witness(
  context: CheckContext,
  act: (client: OpenAI, sdk: Sdk) => Promise<unknown>,
  key: string = context.keys.funded,
): Promise<Testimony> {
  const sdk = await loadSdk('sdk')
  const exchanges: Exchange[] = []
  const client = new sdk.OpenAI({
    apiKey: key,
    baseURL: BASE_URL,
    maxRetries: 0,
    logLevel: 'off',
    fetch: fetchThrough(context, (exchange) => exchanges.push(exchange)),
  })
  try {
    const value = await act(client, sdk)
    return { wire: exchanges[0], value, error: undefined, sdk }
  } catch (error) {
    return {
      wire: exchanges[0],
      value: undefined,
      error: error instanceof Error ? error : new Error(String(error)),
      sdk,
    }
  }
}
