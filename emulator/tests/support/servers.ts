import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { EmulatorInstance } from '../../core/pipeline.ts'
import { createInstance } from '../../instance.ts'
import type { InstanceOptions } from '../../options/emulator-options.ts'
import { createServer } from '../../http/create-server.ts'
import { createEmulator, type WorldOptions } from '../../create-emulator.ts'
import type { Handle } from '../../emulator-handle.ts'
import { startEmulator } from '../../start-emulator.ts'

/** For what a busy machine may take long to do. */
export const WAIT_OPTIONS = { interval: 1, timeout: 30_000 }

/** An emulator whose side of its connections can be looked at. */
export interface TestServer {
  readonly instance: EmulatorInstance
  readonly server: Server
  readonly port: number
  /** Its end of each connection, in the order in which they were taken. */
  readonly sockets: readonly Socket[]
  /** How many requests Node's HTTP server read. */
  requestsByNode(): number
  /** Waits for answers under way, however long. */
  close(): Promise<void>
  /** Breaks them off. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts one on a free port. */
export async function startTestServer(options: InstanceOptions = {}, arrivalLimitMs?: number): Promise<TestServer> {
  const instance = createInstance(options)
  const server = createServer(instance, '127.0.0.1', arrivalLimitMs)
  const sockets: Socket[] = []
  let byNode = 0
  server.server.on('connection', (socket) => void sockets.push(socket))
  server.server.on('request', () => void (byNode += 1))
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo // a string only for a listener on a pipe
  return {
    instance,
    server: server.server,
    port,
    sockets,
    requestsByNode: () => byNode,
    close: async () => void (await server.close()),
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections()
      await server.close()
    },
  }
}

/** An emulator as a client sees it. */
export interface ReachableEmulator extends Handle {
  /** Base address with `/v1`. */
  readonly baseURL: string
  /** What the client calls: the global `fetch` where there is a socket. */
  readonly fetch: typeof globalThis.fetch
  close(): Promise<void>
}

/** The two ways to an emulator, for tests that hold for both. */
export const TRANSPORTS: readonly (readonly [
  name: string,
  reach: (options?: WorldOptions) => Promise<ReachableEmulator>,
])[] = [
  [
    'through a socket',
    async (options) => {
      const emulator = await startEmulator(options)
      return { ...emulator, baseURL: `${emulator.url}/v1`, fetch: globalThis.fetch }
    },
  ],
  ['in process', async (options) => ({ ...createEmulator(options), baseURL: 'http://emulator.test/v1' })],
]

/** All items of a stream, in order. */
export async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}
