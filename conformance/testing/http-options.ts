import type { HttpOptions } from '../http/http-options.ts'
import { MAX_BODY_BYTES, MAX_HEADER_BYTES } from '../http/memory-limits.ts'
import { ResponseMemory } from '../http/response-memory.ts'

/** Creates HTTP options for a test. The default timeout is so long that no test waits for it. */
export function createHttpOptions(url: string, changes: Partial<HttpOptions> = {}): HttpOptions {
  return {
    baseUrl: url,
    timeoutMs: 20_000,
    maxBodyBytes: MAX_BODY_BYTES,
    maxHeaderBytes: MAX_HEADER_BYTES,
    memory: new ResponseMemory().createHolder(),
    insecure: false,
    signal: new AbortController().signal,
    nowMs: () => performance.now(),
    ...changes,
  }
}
