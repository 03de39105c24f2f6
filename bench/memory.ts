/**
 * Whether the emulator's memory stays flat: an emulator in a process of its own, as whoever uses it starts it, with the journal
 * on, answers requests of all kinds. Its resident memory is read from outside as the system tells it, and nothing makes it
 * collect garbage. What is compared are medians of several samples, right after warm-up and at the end: single samples go up and
 * down with the garbage there is at the moment. Before that, what emulators of their own take when nobody calls, and with 1,000
 * streams open. Prints JSON, then three lines; keeps the JSON where `--out` says. Exit code 1 where a bound is broken.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFlags } from './read-flags.ts'
import { holdStreams } from './hold-streams.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { residentMb } from './resident-memory.ts'
import type { Statuses } from './send-mix.ts'
import { startEmulatorProcess } from './server-process.ts'
import { percentile, round, spreadOf, type Spread } from './statistics.ts'

/** Fills what is bounded by count or bytes (ledger, journal, timing record, ordinals) and lets the heap find its size. */
const WARM_UP_REQUESTS = 100_000
const MOST_GROWTH_MB = 30
const MOST_IDLE_MB = 80
const MOST_HELD_MB = 40
const HELD_STREAMS = 1000
const HELD_ROUNDS = 5
/** For what starting or opening leaves to be done. */
const SETTLING_MS = 1000
const REQUESTS_PER_SAMPLE = 2500
/** So many samples make a median: those of 25,000 requests. */
const SAMPLES_COMPARED = 10

const values = readFlags({ requests: { type: 'string', default: '200000' }, out: { type: 'string' } })
const requests = Number(values.requests)

/** What an emulator takes when nobody calls, and how much more with streams open whose next events are far away. */
async function measureHeld(): Promise<{ readonly idleMb: number; readonly heldMb: number }> {
  const held = await startEmulatorProcess(['--latency', 'ttft=10ms,gap=600s', '--answer-tokens', 'fill'])
  await sleep(SETTLING_MS)
  const beforeMb = residentMb(held.pid)
  const letGo = await holdStreams(held.url, HELD_STREAMS)
  await sleep(SETTLING_MS)
  const afterMb = residentMb(held.pid)
  letGo()
  await held.stop()
  return { idleMb: beforeMb, heldMb: round(afterMb - beforeMb, 1) }
}

const held = []
for (let done = 0; done < HELD_ROUNDS; done += 1) held.push(await measureHeld())
const idleMb = spreadOf(
  held.map((one) => one.idleMb),
  1,
)
const heldMb = spreadOf(
  held.map((one) => one.heldMb),
  1,
)

const emulator = await startEmulatorProcess([])
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
    `memory: ${tell(idleMb)} MB idle, at most ${MOST_IDLE_MB}\n` +
    `memory: ${tell(heldMb)} MB more for ${HELD_STREAMS} open streams, at most ${MOST_HELD_MB}\n`,
)
process.exitCode = isFlat && idleMb.median <= MOST_IDLE_MB && heldMb.median <= MOST_HELD_MB ? 0 : 1

function tell({ median, least, most }: Spread): string {
  return `${median} (${least} to ${most})`
}
