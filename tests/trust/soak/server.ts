/**
 * Child process that runs the emulator of the soak test. It responds to each {@link SoakQuery} with measurements that
 * only the process itself can make. After `close`, only the message channel keeps the process running.
 */
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { readOptions, startEmulator } from '../../../emulator/start-emulator.ts'
import { FAULT_RULES } from './fault-rules.ts'

/**
 * A message of the parent process. `memory` requests the memory use. `collected` resets the emulator, and requests the
 * memory use after a full garbage collection. `close` closes the emulator.
 */
export type SoakQuery = 'memory' | 'collected' | 'close'

/** The first message to the parent process, sent when the emulator is ready. */
export interface SoakReady {
  readonly url: string
  readonly keys: Readonly<Record<'funded' | 'noCredits' | 'small' | 'limited', string>>
}

export interface SoakState {
  readonly rssMb: number
  readonly heapUsedMb: number
  /**
   * Types of the active resources (`process.getActiveResourcesInfo()`), except for those that existed before the
   * emulator started.
   */
  readonly resources: readonly string[]
  /** Unhandled rejections, uncaught exceptions and Node.js warnings, as text. */
  readonly unhandled: readonly string[]
}

// A message listener counts as an active resource, so it must be added before the initial resources are listed.
process.on('message', (query: SoakQuery) => void respond(query).then((state) => process.send?.(state)))
const before = process.getActiveResourcesInfo()
const unhandled: string[] = []
process.on('unhandledRejection', (reason) => unhandled.push(`rejection: ${String(reason)}`))
process.on('uncaughtException', (error) => unhandled.push(`exception: ${error.stack ?? String(error)}`))
process.on('warning', (warning) => unhandled.push(`warning: ${warning.message}`))

setFlagsFromString('--heap-growing-percent=100') // The emulator command sets the same flag.
const emulator = await startEmulator({
  faults: FAULT_RULES,
  limitedRate: { requestsPerMinute: 1 }, // Even on a slow machine, clients exceed this limit.
  ...readOptions([['latency', 'ttft=5ms..40ms,itl=1ms..4ms,total=5ms..40ms']]),
})

process.send?.({ url: emulator.url, keys: emulator.keys } satisfies SoakReady)

async function respond(query: SoakQuery): Promise<SoakState> {
  if (query === 'close') {
    await emulator.close()
    await setTimeout(100) // Node.js releases closed handles during the next turns of the event loop.
  }
  if (query === 'collected') {
    emulator.reset()
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.()
      await setTimeout(50)
    }
  }
  const { rss, heapUsed } = process.memoryUsage()
  const resources = process.getActiveResourcesInfo()
  for (const kind of before) if (resources.includes(kind)) resources.splice(resources.indexOf(kind), 1)
  return { rssMb: rss / 1e6, heapUsedMb: heapUsed / 1e6, resources, unhandled }
}
