import { BYTE_LIMIT, HEADER_LIMIT, type HttpOptions } from '../http/http-options.ts'

/** Options for requests of a test. No test waits for the deadline unless it sets a shorter one. */
export function httpOptionsFor(url: string, changes: Partial<HttpOptions> = {}): HttpOptions {
  return {
    baseUrl: url,
    timeoutMs: 20_000,
    byteLimit: BYTE_LIMIT,
    headerLimit: HEADER_LIMIT,
    insecure: false,
    signal: new AbortController().signal,
    nowMs: () => performance.now(),
    ...changes,
  }
}
