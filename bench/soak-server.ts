/**
 * The emulator of a soak, in a process of its own that tells of itself what can be told only from inside. Asked by messages
 * `{ ask }`, it answers each with one. After `close` nothing keeps it up but the channel of these messages.
 */
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { readOptions, startEmulator } from '../emulator/start-emulator.ts'
import { FAULT_RULES } from './soak/fault-rules.ts'

/** `memory` reads what there is; `collected` reads it after all that can be let go has been; `close` closes the emulator. */
export interface SoakQuestion {
  readonly ask: 'memory' | 'collected' | 'close'
}

/** What it says when it is ready. */
export interface SoakReady {
  readonly url: string
  readonly keys: Readonly<Record<'funded' | 'empty' | 'small' | 'limited', string>>
}

/** What it answers. */
export interface SoakState {
  readonly rssBytes: number
  readonly heapUsedBytes: number
  /** Seconds of processor time since it began. */
  readonly cpuS: number
  /** What keeps the process up, by kind as Node tells it, but for what was there before the emulator. */
  readonly resources: readonly string[]
  /** Rejections that nobody handled, exceptions that nobody caught, and Node's warnings. */
  readonly unhandled: readonly string[]
}

// First, as the channel counts among what keeps a process up once somebody listens.
process.on('message', ({ ask }: SoakQuestion) => void answer(ask).then((state) => process.send?.(state)))
const before = process.getActiveResourcesInfo()
const unhandled: string[] = []
process.on('unhandledRejection', (reason) => unhandled.push(`rejection: ${String(reason)}`))
process.on('uncaughtException', (error) => unhandled.push(`exception: ${error.stack ?? String(error)}`))
process.on('warning', (warning) => unhandled.push(`warning: ${warning.message}`))

setFlagsFromString('--heap-growing-percent=100') // as the command does
const emulator = await startEmulator({
  faults: FAULT_RULES,
  ...readOptions([['latency', 'ttft=5ms..40ms,gap=1ms..4ms,total=5ms..40ms']]),
})

process.send?.({ url: emulator.url, keys: emulator.keys } satisfies SoakReady)

async function answer(ask: SoakQuestion['ask']): Promise<SoakState> {
  if (ask === 'close') {
    await emulator.close()
    await setTimeout(100) // what was closed is let go of in the turns of the event loop that follow
  }
  if (ask === 'collected') {
    emulator.reset()
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.()
      await setTimeout(50)
    }
  }
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const resources = process.getActiveResourcesInfo()
  for (const kind of before) if (resources.includes(kind)) resources.splice(resources.indexOf(kind), 1)
  return { rssBytes: rss, heapUsedBytes: heapUsed, cpuS: (user + system) / 1e6, resources, unhandled }
}
