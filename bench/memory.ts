/**
 * Whether the emulator's memory stays flat: a process of its own sends requests of all kinds to an emulator in this one, with
 * the journal on. Resident memory is read after a full collection, since garbage that waits for one is no growth; the most
 * that was seen before any is told too. Prints JSON, then one line. Exit code: 0 flat, 1 not.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { parseArgs } from 'node:util'
import { runInNewContext } from 'node:vm'
import { startEmulator } from '../emulator/start-emulator.ts'
import type { Statuses } from './send-mix.ts'

/** Fills what is bounded by count or bytes: journal, timing record, ordinals. */
const WARM_UP_REQUESTS = 50_000
const MOST_GROWTH_MB = 30
const REQUESTS_PER_SAMPLE = 10_000

const { values } = parseArgs({ options: { requests: { type: 'string', default: '200000' } } })
const requests = Number(values.requests)

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc') // the flag puts it into new contexts only

/** In MB of 10⁶ bytes. */
function toMb(bytes: number): number {
  return Math.round(bytes / 1e5) / 10
}

const emulator = await startEmulator()
const sender = fork(new URL('./send-mix.ts', import.meta.url), [emulator.url])
const byStatus: Record<string, number> = {}
const samplesMb: number[] = []
const liveMb: number[] = []
let mostMb = 0
for (let sent = 0; sent < WARM_UP_REQUESTS + requests; sent += REQUESTS_PER_SAMPLE) {
  sender.send({ first: sent, end: sent + REQUESTS_PER_SAMPLE })
  const [statuses] = (await once(sender, 'message')) as [Statuses] // the one kind of message that it sends
  for (const [status, count] of Object.entries(statuses)) byStatus[status] = (byStatus[status] ?? 0) + count
  mostMb = Math.max(mostMb, toMb(process.memoryUsage.rss()))
  collect()
  const { rss, heapUsed, external } = process.memoryUsage()
  samplesMb.push(toMb(rss))
  liveMb.push(toMb(heapUsed + external))
}
sender.disconnect()
await emulator.close()

const warmMb = samplesMb[WARM_UP_REQUESTS / REQUESTS_PER_SAMPLE - 1] ?? Number.NaN
const growthMb = Math.round(((samplesMb.at(-1) ?? Number.NaN) - warmMb) * 10) / 10
const isFlat = growthMb < MOST_GROWTH_MB
process.stdout.write(
  `${JSON.stringify({ warmUpRequests: WARM_UP_REQUESTS, requests, byStatus, growthMb, mostMb, samplesMb, liveMb })}\n` +
    `memory: ${isFlat ? 'flat' : 'not flat'}, ${growthMb} MB more after ${requests} requests (allowed: less than ${MOST_GROWTH_MB})\n`,
)
process.exitCode = isFlat ? 0 : 1
