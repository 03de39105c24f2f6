import type { AddressInfo } from 'node:net'
import { createWorld, type WorldOptions } from './create-world.ts'
import { handleOf, type Handle } from './handle.ts'
import { createServer } from './http/create-server.ts'

export { DECISIONS, readDecision, type Decisions } from './decisions/decisions.ts'
export type { FaultRule } from './faults/rule.ts'
export { SettingFault } from './setting-fault.ts'
export type { Fixture } from './fixtures/fixture.ts'
export type { NewAccount } from './handle.ts'
export { OPTION_READERS, readOptions } from './read-options.ts'
export type { LatencyProfile } from './timing/latency.ts'

/** Everything is optional. */
export interface EmulatorOptions extends WorldOptions {
  /** Default: 127.0.0.1, so that nobody else can reach it. */
  readonly host?: string
  /** Default: 0, any free port. */
  readonly port?: number
}

/** A running emulator. */
export interface Emulator extends Handle {
  /** Base address without `/v1`, e.g. `http://127.0.0.1:41873`. */
  readonly url: string
  readonly port: number
  /** Stops taking connections and resolves when the answers under way are sent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts an emulator in this process.
 * @throws an error with code EADDRINUSE when the port is taken, EACCES when it is not allowed
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { host = '127.0.0.1', port = 0, ...others } = options
  const world = createWorld(others)
  const server = createServer(world, host)
  await server.listen({ host, port })
  const address = server.server.address() as AddressInfo // a string only for a listener on a pipe
  const close = async () => {
    world.faults.letGo()
    await server.close()
    world.scheduler.stop()
    await world.recorder?.flush()
  }
  return {
    ...handleOf(world),
    url: `http://${urlHost(host)}:${address.port}`,
    port: address.port,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The host as a client on this machine would write it in a URL. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
