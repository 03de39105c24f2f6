/**
 * Checks that the emulator's memory stays flat. An emulator in its own process, with the request log on, serves
 * requests of all kinds. The benchmark reads its resident memory from outside and never forces a garbage collection. It
 * compares medians of several samples, after warm-up and at the end, because single samples vary with uncollected
 * garbage. It first measures an idle emulator and one with 1,000 open streams. Prints JSON, then three lines; `--out
 * FILE` also stores the JSON. Exit code 1 if a bound is broken.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFlags } from './read-flags.ts'
import { holdStreams } from './hold-streams.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { readResidentMb } from './resident-memory.ts'
import type { Statuses } from './send-mix.ts'
import { startEmulatorProcess } from './server-process.ts'
import { calculatePercentile, round, calculateSpread, type Spread } from './statistics.ts'

/**
 * Requests that fill everything of bounded size (ledger, request log, timing record, request counters) and let the heap
 * settle.
 */
const WARM_UP_REQUESTS = 100_000
const MOST_GROWTH_MB = 30
const MOST_IDLE_MB = 80
const MOST_HELD_MB = 40
const HELD_STREAMS = 1000
const HELD_ROUNDS = 5
/** Pause after startup or after opening streams, so that deferred work is done. */
const SETTLING_MS = 1000
const REQUESTS_PER_SAMPLE = 2500
/** Samples per median; together they cover 25,000 requests. */
const SAMPLES_COMPARED = 10

const values = readFlags({ requests: { type: 'string', default: '200000' }, out: { type: 'string' } })
const requests = Number(values.requests)

/** Measures an idle emulator, and the increase for open streams whose next events are far away. */
async function measureHeld(): Promise<{ readonly idleMb: number; readonly heldMb: number }> {
  const held = await startEmulatorProcess(['--latency', 'ttft=10ms,gap=600s', '--answer-tokens', 'fill'])
  await sleep(SETTLING_MS)
  const beforeMb = readResidentMb(held.pid)
  const letGo = await holdStreams(held.url, HELD_STREAMS)
  await sleep(SETTLING_MS)
  const afterMb = readResidentMb(held.pid)
  letGo()
  await held.stop()
  return { idleMb: beforeMb, heldMb: round(afterMb - beforeMb, 1) }
}

const held = []
for (let done = 0; done < HELD_ROUNDS; done += 1) held.push(await measureHeld())
const idleMb = calculateSpread(
  held.map((one) => one.idleMb),
  1,
)
const heldMb = calculateSpread(
  held.map((one) => one.heldMb),
  1,
)

const emulator = await startEmulatorProcess([])
const sender = fork(new URL('./send-mix.ts', import.meta.url), [emulator.url])
sender.once('exit', (code) => {
  if (code === 0) return
  process.kill(emulator.pid)
  process.exit(1) // startServer has printed the reason
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
    const [statuses] = (await once(sender, 'message')) as [Statuses] // the only kind of message that it sends
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
const growthMb = round(lastMb - warmMb, 1)
const isFlat = growthMb < MOST_GROWTH_MB
const figures = {
  idleMb,
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
  `memory: ${isFlat ? 'flat' : 'not flat'}, ${growthMb} MB more after ${requests} requests (allowed: less than ${MOST_GROWTH_MB}), ` +
    `${figures.mostMb} MB at most\n` +
    `memory: ${renderSpread(idleMb)} MB idle, at most ${MOST_IDLE_MB}\n` +
    `memory: ${renderSpread(heldMb)} MB more for ${HELD_STREAMS} open streams, at most ${MOST_HELD_MB}\n`,
)
process.exitCode = isFlat && idleMb.median <= MOST_IDLE_MB && heldMb.median <= MOST_HELD_MB ? 0 : 1

function renderSpread({ median, least, most }: Spread): string {
  return `${median} (${least} to ${most})`
}
