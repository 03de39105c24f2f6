import { createEmulator, type WorldOptions } from '../../create-emulator.ts'
import type { Handle } from '../../emulator-handle.ts'
import { startEmulator } from '../../start-emulator.ts'

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
