import type { AddressInfo } from 'node:net'
import { createInstance, type EmulatorInstance } from './instance.ts'
import { type ClientOptions, createHandle, type EmulatorHandle } from './emulator-handle.ts'
import { createServer } from './http/create-server.ts'
import { isVirtualClock, type Clock } from './state/clock.ts'
import type { EmulatorOptions } from './options/emulator-options.ts'
import { IN_PROCESS_OPTION_TABLE, OPTION_TABLE } from './options/option-table.ts'
import { resolveOptions } from './options/resolve-options.ts'

export {
  BEHAVIOUR_OPTIONS,
  parseBehaviourOption,
  type BehaviourOptions,
} from './options/unspecified-behaviour/behaviour-options.ts'
export type { FaultRule } from './scripting/faults/fault-rule.ts'
export { InvalidOptionError } from './options/invalid-option-error.ts'
export type { EmulatorOptions } from './options/emulator-options.ts'
export { OPTION_TABLE } from './options/option-table.ts'
export type { Fixture } from './scripting/fixtures/fixture.ts'
export type { ClientOptions, NewAccount, RequestLogEntry } from './emulator-handle.ts'
export { describeSyntaxError, parseJsonText } from '../common/parse-json.ts'
export { readOptions } from './options/read-options.ts'
export { createVirtualClock, type VirtualClock } from './state/clock.ts'
export type { LatencyProfile } from './state/latency.ts'

/**
 * Default address to listen on. Also replaces `localhost`. If `localhost` has two addresses, Fastify would start a
 * second server, which behaves differently and for which closing would not wait.
 */
const LOOPBACK = OPTION_TABLE.host.default

/** Drain limit while a virtual clock is stopped. Requests that wait for the clock would never finish. */
const STOPPED_CLOCK_DRAIN_LIMIT_MS = 100

/** A running emulator with an HTTP server. */
export interface Emulator extends EmulatorHandle {
  /** Base URL without `/v1`, for example `http://127.0.0.1:41873`. */
  readonly url: string
  readonly port: number
  /**
   * Returns the options that connect an SDK such as `openai` or `@ai-sdk/openai-compatible` to this emulator.
   * @param key API key; default: the key of the funded standard account
   */
  clientOptions(key?: string): ClientOptions
  /**
   * Stops accepting connections and waits for the responses in progress. Aborts and settles responses that are
   * unfinished after `drainLimitMs`, or that wait for a stopped virtual clock.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts an emulator in this process.
 * @throws InvalidOptionError if an option is invalid
 * @throws Error with code EADDRINUSE if the port is in use, or EACCES if the process may not use it
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const {
    host = LOOPBACK,
    port = OPTION_TABLE.port.default,
    fastPath = OPTION_TABLE.fastPath.default,
    drainLimitMs = IN_PROCESS_OPTION_TABLE.drainLimitMs.default,
    ...others
  } = resolveOptions(options)
  const instance = createInstance(others)
  const server = createServer(instance, { host, fastPath })
  await server.listen({ host: host === 'localhost' ? LOOPBACK : host, port })
  // The address is a string only if the server listens on a pipe.
  const address = server.server.address() as AddressInfo
  const close = async () => {
    instance.faults.abortResponses()
    const limitMs = isStopped(instance.clock) ? Math.min(drainLimitMs, STOPPED_CLOCK_DRAIN_LIMIT_MS) : drainLimitMs
    const drainTimer = setTimeout(() => {
      instance.slots?.stop()
      server.server.closeAllConnections()
    }, limitMs)
    await server.close()
    clearTimeout(drainTimer)
    await waitUntilSettled(instance)
    instance.scheduler.stop()
    await instance.proxy?.flush()
  }
  const handle = createHandle(instance)
  const url = `http://${formatUrlHost(host)}:${address.port}`
  return {
    ...handle,
    url,
    port: address.port,
    clientOptions: (key = handle.keys.funded) => ({ baseURL: `${url}/v1`, apiKey: key }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Waits until all aborted requests are settled, at most 100 turns of the event loop. */
async function waitUntilSettled({ load }: EmulatorInstance): Promise<void> {
  for (let turn = 0; turn < 100 && load.inFlight > 0; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function isStopped(clock: Clock): boolean {
  return isVirtualClock(clock) && !clock.isRunning()
}

/** Returns the host for URLs that clients on this machine use. */
function formatUrlHost(host: string): string {
  if (host === '0.0.0.0') return LOOPBACK
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
