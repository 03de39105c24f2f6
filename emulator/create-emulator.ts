import { createInstance } from './instance.ts'
import { createHandle, type Handle } from './emulator-handle.ts'
import type { InstanceOptions } from './options/emulator-options.ts'
import { resolveOptions } from './options/resolve-options.ts'
import { createFetchError, FetchResponseWriter } from './http/fetch-response-writer.ts'
import { handleFetch } from './http/in-process-fetch.ts'

/** `WorldOptions` is the name of version 0.1. */
export type { InstanceOptions, InstanceOptions as WorldOptions } from './options/emulator-options.ts'
export type { Handle, NewAccount } from './emulator-handle.ts'

/** An emulator in this process, without a socket. */
export interface InProcessEmulator extends Handle {
  /**
   * Replacement for the global `fetch`, to be passed to a client. It handles requests to any host without network
   * access, and rejects like `fetch`: with the reason of the signal, or with a TypeError if the connection is closed.
   */
  readonly fetch: typeof globalThis.fetch
  /** Aborts the requests in progress and rejects later calls. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates an emulator that is called like a function. It loads no server.
 * @throws InvalidOptionError
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
    handleFetch(request, writer, instance).catch((error: unknown) => writer.fail(error))
    return writer.response
  }
  const close = async () => {
    isClosed = true
    for (const writer of active) writer.abort()
    instance.scheduler.stop()
    await instance.proxy?.flush()
  }
  return { ...createHandle(instance), fetch: call, close, [Symbol.asyncDispose]: close }
}
