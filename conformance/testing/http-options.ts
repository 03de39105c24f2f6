import { MAX_BODY_BYTES, MAX_HEADER_BYTES, type HttpOptions } from '../http/http-options.ts'

/** Creates HTTP options for a test. The default timeout is so long that no test waits for it. */
export function createHttpOptions(url: string, changes: Partial<HttpOptions> = {}): HttpOptions {
  return {
    baseUrl: url,
    timeoutMs: 20_000,
    maxBodyBytes: MAX_BODY_BYTES,
    maxHeaderBytes: MAX_HEADER_BYTES,
    insecure: false,
    signal: new AbortController().signal,
    nowMs: () => performance.now(),
    ...changes,
  }
}
