import { createInstance } from './instance.ts'
import { type ClientOptions, createHandle, type EmulatorHandle } from './emulator-handle.ts'
import type { InstanceOptions } from './options/emulator-options.ts'
import { resolveOptions } from './options/resolve-options.ts'
import { createFetchError, FetchResponseWriter } from './http/fetch-response-writer.ts'
import { handleInProcessRequest } from './http/in-process-fetch.ts'

export type { InstanceOptions } from './options/emulator-options.ts'
export type { ClientOptions, EmulatorHandle, NewAccount, RequestLogEntry } from './emulator-handle.ts'

/** An emulator that handles requests in the same process, without a socket. */
export interface InProcessEmulator extends EmulatorHandle {
  /**
   * Replacement for the global `fetch`, for example for the `fetch` option of an SDK. Handles requests to any host
   * without network access. Rejects like the global `fetch`: with the reason of an aborted signal, or with a TypeError
   * if the connection closes.
   */
  readonly fetch: typeof globalThis.fetch
  /**
   * Returns the options that connect an SDK such as `openai` or `@ai-sdk/openai-compatible` to this emulator.
   * @param key API key; default: the key of the funded standard account
   */
  clientOptions(key?: string): ClientOptions
  /** Aborts the requests in progress. Later calls of `fetch` reject. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates an in-process emulator, which handles requests through its `fetch` method. Does not load Fastify.
 * @throws InvalidOptionError if an option is invalid
 */
export function createEmulator(options: InstanceOptions = {}): InProcessEmulator {
  const instance = createInstance(resolveOptions(options))
  const active = new Set<FetchResponseWriter>()
  let isClosed = false

  const call: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    if (isClosed) throw createFetchError(new Error('this emulator is closed'))
    const writer = new FetchResponseWriter(request)
    active.add(writer)
    writer.onClose(() => active.delete(writer))
    handleInProcessRequest(request, writer, instance).catch((error: unknown) => writer.fail(error))
    return writer.response
  }
  const close = async () => {
    isClosed = true
    instance.slots?.stop()
    for (const writer of active) writer.abort()
    instance.scheduler.stop()
    await instance.proxy?.flush()
  }
  const handle = createHandle(instance)
  return {
    ...handle,
    fetch: call,
    clientOptions: (key = handle.keys.funded) => ({ baseURL: 'http://emulator.test/v1', apiKey: key, fetch: call }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
