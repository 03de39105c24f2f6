/**
 * Checks that the emulator's memory does not grow. First measures an idle emulator and an emulator with 1,000 open
 * streams. Then an emulator in a separate process, with the request log enabled, serves requests of all kinds. The
 * benchmark reads its resident memory from outside and never forces a garbage collection. It compares medians of
 * several samples, after warm-up and at the end, because uncollected garbage makes single samples vary. Prints JSON,
 * then three lines; `--out FILE` also stores the JSON. Exit code 1 if a bound is exceeded.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFlags } from './read-flags.ts'
import { holdStreams } from './hold-streams.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { readResidentMb } from './resident-memory.ts'
import type { StatusCounts } from './send-mix.ts'
import { buildPackage, startEmulatorProcess, startPackagedEmulator } from './server-process.ts'
import { calculatePercentile, roundTo, calculateRunStatistics, type RunStatistics } from './statistics.ts'

/**
 * Number of requests before the measurement. These requests fill every record of bounded size (ledger, request log,
 * timing record, request counters), until the heap size is stable.
 */
const WARM_UP_REQUESTS = 100_000
const MAX_GROWTH_MB = 30
const MAX_IDLE_MB = 76
/** Includes 6 MB for the optimizing compiler, which runs only under load. */
const MAX_STREAMS_MB = 50
const HELD_STREAMS = 1000
const HELD_ROUNDS = 5
/**
 * Milliseconds from startup, or from the opening of streams, to a memory sample. Deferred work finishes in this time.
 */
const SETTLING_MS = 1000
const REQUESTS_PER_SAMPLE = 2500
/** Number of samples from which each compared median is calculated. They cover 25,000 requests. */
const SAMPLES_COMPARED = 10

const values = readFlags({ requests: { type: 'string', default: '200000' }, out: { type: 'string' } })
const requests = Number(values.requests)

/**
 * Measures an idle emulator that runs from the package, then the additional memory of open streams that wait for their
 * next event.
 */
async function measureHeld(): Promise<{ readonly idleMb: number; readonly heldMb: number }> {
  const held = await startPackagedEmulator(['--latency', 'ttft=10ms,itl=600s', '--answer-tokens', 'fill'])
  await sleep(SETTLING_MS)
  const beforeMb = readResidentMb(held.pid)
  const closeStreams = await holdStreams(held.url, HELD_STREAMS)
  await sleep(SETTLING_MS)
  const afterMb = readResidentMb(held.pid)
  closeStreams()
  await held.stop()
  return { idleMb: beforeMb, heldMb: roundTo(afterMb - beforeMb, 1) }
}

/** Measures an idle emulator that runs from the TypeScript sources. */
async function measureSources(): Promise<number> {
  const idle = await startEmulatorProcess([])
  await sleep(SETTLING_MS)
  const idleMb = readResidentMb(idle.pid)
  await idle.stop()
  return idleMb
}

buildPackage()
const held = []
const fromSources = []
for (let done = 0; done < HELD_ROUNDS; done += 1) {
  held.push(await measureHeld())
  fromSources.push(await measureSources())
}
const sourcesIdleMb = calculateRunStatistics(fromSources, 1)
const idleMb = calculateRunStatistics(
  held.map((one) => one.idleMb),
  1,
)
const heldMb = calculateRunStatistics(
  held.map((one) => one.heldMb),
  1,
)

const emulator = await startPackagedEmulator([])
const sender = fork(new URL('./send-mix.ts', import.meta.url), [emulator.url])
sender.once('exit', (code) => {
  if (code === 0) return
  process.kill(emulator.pid)
  process.exit(1) // The child process has already printed the reason.
})
const byStatus: Record<string, number> = {}

/**
 * Sends requests in equal batches.
 * @returns the resident memory after each batch
 */
async function sample(first: number, count: number): Promise<number[]> {
  const samplesMb: number[] = []
  for (let sent = first; sent < first + count; sent += REQUESTS_PER_SAMPLE) {
    sender.send({ first: sent, end: Math.min(sent + REQUESTS_PER_SAMPLE, first + count) })
    // The cast is safe: the process sends only messages of this type.
    const [statuses] = (await once(sender, 'message')) as [StatusCounts]
    for (const [status, times] of Object.entries(statuses)) byStatus[status] = (byStatus[status] ?? 0) + times
    samplesMb.push(readResidentMb(emulator.pid))
    if (sent % 25_000 === 0) process.stderr.write(`memory: ${samplesMb.at(-1)} MB after ${sent} requests\n`)
  }
  return samplesMb
}

const warmUpMb = await sample(0, WARM_UP_REQUESTS)
const samplesMb = await sample(WARM_UP_REQUESTS, requests)
sender.disconnect()
await emulator.stop()

const warmMb = calculatePercentile(samplesMb.slice(0, SAMPLES_COMPARED), 0.5)
const lastMb = calculatePercentile(samplesMb.slice(-SAMPLES_COMPARED), 0.5)
const growthMb = roundTo(lastMb - warmMb, 1)
const isFlat = growthMb < MAX_GROWTH_MB
const figures = {
  idleMb,
  sourcesIdleMb,
  heldStreams: HELD_STREAMS,
  heldMb,
  warmMb,
  lastMb,
  growthMb,
  mostMb: Math.max(...warmUpMb, ...samplesMb),
}
const counts = { warmUpRequests: WARM_UP_REQUESTS, requests, requestsPerSample: REQUESTS_PER_SAMPLE, byStatus }
const document = { bench: 'memory', machine: describeMachine(), ...counts, ...figures, warmUpMb, samplesMb }
printDocument(document, values.out)
process.stdout.write(
  `memory: ${isFlat ? 'flat' : 'not flat'}, ${growthMb} MB of growth after ${requests} requests (limit: ${MAX_GROWTH_MB}), ` +
    `peak ${figures.mostMb} MB\n` +
    `memory: ${renderSpread(idleMb)} MB idle (limit: ${MAX_IDLE_MB})\n` +
    `memory: ${renderSpread(heldMb)} MB more for ${HELD_STREAMS} open streams (limit: ${MAX_STREAMS_MB})\n`,
)
process.exitCode = isFlat && idleMb.median <= MAX_IDLE_MB && heldMb.median <= MAX_STREAMS_MB ? 0 : 1

function renderSpread({ median, min: least, max: most }: RunStatistics): string {
  return `${median} (${least} to ${most})`
}
