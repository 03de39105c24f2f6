/**
 * Whether the emulator's memory stays flat: an emulator in a process of its own, as whoever uses it starts it, with the journal
 * on, answers requests of all kinds. Its resident memory is read from outside as the system tells it, and nothing makes it
 * collect garbage. What is compared are medians of several samples, right after warm-up and at the end: single samples go up and
 * down with the garbage there is at the moment. Prints JSON, then one line; keeps the JSON where `--out` says.
 * Exit code: 0 flat, 1 not.
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import type { Statuses } from './send-mix.ts'
import { startEmulatorProcess } from './server-process.ts'
import { percentile, round } from './statistics.ts'

/** Fills what is bounded by count or bytes (ledger, journal, timing record, ordinals) and lets the heap find its size. */
const WARM_UP_REQUESTS = 100_000
const MOST_GROWTH_MB = 30
const REQUESTS_PER_SAMPLE = 2500
/** So many samples make a median: those of 25,000 requests. */
const SAMPLES_COMPARED = 10

const { values } = parseArgs({ options: { requests: { type: 'string', default: '200000' }, out: { type: 'string' } } })
const requests = Number(values.requests)

/** Resident memory of a process in MB of 10⁶ bytes. */
function residentMb(pid: number): number {
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
  return round((kibibytes * 1024) / 1e6, 1)
}

const emulator = await startEmulatorProcess([])
const idleMb = residentMb(emulator.pid)
const sender = fork(new URL('./send-mix.ts', import.meta.url), [emulator.url])
sender.once('exit', (code) => {
  if (code === 0) return
  process.kill(emulator.pid)
  process.exit(1) // it has said why
})
const byStatus: Record<string, number> = {}

/** Sends so many requests. @returns what was resident after each part of them */
async function sample(first: number, count: number): Promise<number[]> {
  const samplesMb: number[] = []
  for (let sent = first; sent < first + count; sent += REQUESTS_PER_SAMPLE) {
    sender.send({ first: sent, end: Math.min(sent + REQUESTS_PER_SAMPLE, first + count) })
    const [statuses] = (await once(sender, 'message')) as [Statuses] // the one kind of message that it sends
    for (const [status, times] of Object.entries(statuses)) byStatus[status] = (byStatus[status] ?? 0) + times
    samplesMb.push(residentMb(emulator.pid))
    if (sent % 25_000 === 0) process.stderr.write(`memory: ${samplesMb.at(-1)} MB after ${sent} requests\n`)
  }
  return samplesMb
}

const warmUpMb = await sample(0, WARM_UP_REQUESTS)
const samplesMb = await sample(WARM_UP_REQUESTS, requests)
sender.disconnect()
await emulator.stop()

const warmMb = percentile(samplesMb.slice(0, SAMPLES_COMPARED), 0.5)
const lastMb = percentile(samplesMb.slice(-SAMPLES_COMPARED), 0.5)
const growthMb = round(lastMb - warmMb, 1)
const isFlat = growthMb < MOST_GROWTH_MB
const figures = { idleMb, warmMb, lastMb, growthMb, mostMb: Math.max(...warmUpMb, ...samplesMb) }
const counts = { warmUpRequests: WARM_UP_REQUESTS, requests, requestsPerSample: REQUESTS_PER_SAMPLE, byStatus }
const document = { bench: 'memory', machine: describeMachine(), ...counts, ...figures, warmUpMb, samplesMb }
printDocument(document, values.out)
process.stdout.write(
  `memory: ${isFlat ? 'flat' : 'not flat'}, ${growthMb} MB more after ${requests} requests (allowed: less than ${MOST_GROWTH_MB}), ` +
    `${idleMb} MB idle, ${figures.mostMb} MB at most\n`,
)
process.exitCode = isFlat ? 0 : 1
