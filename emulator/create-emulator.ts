import { createWorld, type WorldOptions } from './instance.ts'
import { createHandle, type Handle } from './emulator-handle.ts'
import { resolveOptions } from './options/take-options.ts'
import { failedFetch, FetchSink } from './http/fetch-response-writer.ts'
import { serveFetch } from './http/in-process-fetch.ts'

export type { WorldOptions } from './instance.ts'
export type { Handle, NewAccount } from './emulator-handle.ts'

/** An emulator without a socket. */
export interface InProcessEmulator extends Handle {
  /**
   * Takes the place of the global `fetch`: hand it to a client. It answers for every host, reaches no network, and rejects
   * as `fetch` does: with the reason of the signal, or a TypeError when the connection is broken off.
   */
  readonly fetch: typeof globalThis.fetch
  /** Breaks off the answers under way and refuses all further calls. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates an emulator that is called like a function. It loads no server.
 * @throws SettingFault with one sentence when an option cannot be
 */
export function createEmulator(options: WorldOptions = {}): InProcessEmulator {
  const world = createWorld(resolveOptions(options))
  const underWay = new Set<FetchSink>()
  let isClosed = false

  const call: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    if (isClosed) throw failedFetch(new Error('this emulator is closed'))
    const sink = new FetchSink(request)
    underWay.add(sink)
    sink.onClose(() => underWay.delete(sink))
    serveFetch(request, sink, world).catch((error: unknown) => sink.fail(error))
    return sink.response
  }
  const close = async () => {
    isClosed = true
    for (const sink of underWay) sink.abort()
    world.scheduler.stop()
    await world.recorder?.flush()
  }
  return { ...createHandle(world), fetch: call, close, [Symbol.asyncDispose]: close }
}
