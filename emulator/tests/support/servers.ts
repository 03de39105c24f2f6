import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { EmulatorInstance } from '../../instance.ts'
import { createInstance } from '../../instance.ts'
import { createServer } from '../../http/create-server.ts'
import { createEmulator, type InstanceOptions } from '../../create-emulator.ts'
import type { EmulatorHandle } from '../../emulator-handle.ts'
import { startEmulator } from '../../start-emulator.ts'

/** Options of `vi.waitFor`, with a timeout that suffices on busy machines. */
export const WAIT_FOR_OPTIONS = { interval: 1, timeout: 30_000 }

/** An emulator server whose connections a test can inspect. */
export interface TestServer {
  readonly instance: EmulatorInstance
  readonly server: Server
  readonly port: number
  /** Server-side sockets, in the order in which the connections opened. */
  readonly sockets: readonly Socket[]
  /** Returns the number of requests that Node's HTTP server has parsed, instead of the fast path. */
  requestsByNode(): number
  /** Closes the server after the requests in progress have finished. */
  close(): Promise<void>
  /** Closes the server and aborts the requests in progress. */
  [Symbol.asyncDispose](): Promise<void>
}

export async function startTestServer(
  options: InstanceOptions = {},
  requestTimeoutMs?: number,
  fastPath: 'on' | 'off' = 'on',
): Promise<TestServer> {
  const instance = createInstance(options)
  const server = createServer(instance, { fastPath, ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }) })
  const sockets: Socket[] = []
  let byNode = 0
  server.server.on('connection', (socket) => void sockets.push(socket))
  server.server.on('request', () => void (byNode += 1))
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo // The address is a string only for a listener on a pipe.
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

/** An emulator, with the base URL and the `fetch` function for its clients. */
export interface TransportEmulator extends EmulatorHandle {
  /** Base URL of the API, including `/v1`. */
  readonly baseURL: string
  /** `fetch` function for a client: the global one, or that of an in-process emulator. */
  readonly fetch: typeof globalThis.fetch
  close(): Promise<void>
}

/** Emulators with both transports, for tests that run with each of them. */
export const TRANSPORTS: readonly (readonly [
  name: string,
  reach: (options?: InstanceOptions) => Promise<TransportEmulator>,
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

export async function collectItems<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}
