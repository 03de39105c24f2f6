import type { AddressInfo } from 'node:net'
import { createInstance, type EmulatorInstance } from './instance.ts'
import { createHandle, type Handle } from './emulator-handle.ts'
import { createServer } from './http/create-server.ts'
import { keepNextTickFast } from './http/v8-next-tick-workaround.ts'
import { isVirtual, type Clock } from './state/clock.ts'
import type { EmulatorOptions } from './options/emulator-options.ts'
import { IN_PROCESS_OPTION_TABLE, OPTION_TABLE } from './options/option-table.ts'
import { resolveOptions } from './options/resolve-options.ts'

export {
  BEHAVIOUR_OPTIONS as DECISIONS,
  parseBehaviourOption as readDecision,
  type BehaviourOptions as Decisions,
} from './options/unspecified-behaviour/behaviour-options.ts'
export type { FaultRule } from './scripting/faults/fault-rule.ts'
/** `SettingFault` is the name of version 0.1. */
export { InvalidOptionError, InvalidOptionError as SettingFault } from './options/invalid-option-error.ts'
export type { EmulatorOptions } from './options/emulator-options.ts'
export { OPTION_TABLE } from './options/option-table.ts'
export type { Fixture } from './scripting/fixtures/fixture.ts'
export type { NewAccount } from './emulator-handle.ts'
export { readOptions } from './options/read-options.ts'
export type { LatencyProfile } from './state/latency.ts'

/**
 * Also used for `localhost`: if that name has a second address, Fastify starts a second server for it, which behaves
 * differently and is not awaited by close.
 */
const LOOPBACK = OPTION_TABLE.host.default

/** Requests that wait for a stopped clock would never end. Other requests get this much time, in milliseconds. */
const STOPPED_CLOCK_DRAIN_LIMIT_MS = 100

/** A running emulator with an HTTP server. */
export interface Emulator extends Handle {
  /** Base address without `/v1`, for example `http://127.0.0.1:41873`. */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting connections and resolves when the responses in progress are sent. Responses that are not finished
   * after `drainLimitMs`, or that wait for a stopped virtual clock, are aborted and settled.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts an emulator in this process.
 * @throws InvalidOptionError; an error with code EADDRINUSE when the port is taken, EACCES when it is not allowed
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const {
    host = LOOPBACK,
    port = OPTION_TABLE.port.default,
    fastPath = OPTION_TABLE.fastPath.default,
    drainLimitMs = IN_PROCESS_OPTION_TABLE.drainLimitMs.default,
    ...others
  } = resolveOptions(options)
  keepNextTickFast()
  const instance = createInstance(others)
  const server = createServer(instance, { host, fastPath })
  await server.listen({ host: host === 'localhost' ? LOOPBACK : host, port })
  const address = server.server.address() as AddressInfo // a string only for a listener on a pipe
  const close = async () => {
    instance.faults.abortResponses()
    const limitMs = isStopped(instance.clock) ? Math.min(drainLimitMs, STOPPED_CLOCK_DRAIN_LIMIT_MS) : drainLimitMs
    const breakOff = setTimeout(() => server.server.closeAllConnections(), limitMs)
    await server.close()
    clearTimeout(breakOff)
    await waitUntilSettled(instance)
    instance.scheduler.stop()
    await instance.proxy?.flush()
  }
  return {
    ...createHandle(instance),
    url: `http://${urlHost(host)}:${address.port}`,
    port: address.port,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Waits until aborted requests are settled. */
async function waitUntilSettled({ load }: EmulatorInstance): Promise<void> {
  for (let turn = 0; turn < 100 && load.inFlight > 0; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function isStopped(clock: Clock): boolean {
  return isVirtual(clock) && !clock.isRunning()
}

/** Returns the host as a client on this machine writes it in a URL. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return LOOPBACK
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
