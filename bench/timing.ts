/**
 * Measures the punctuality of streams from outside the server. A client in a separate process alternates between the
 * emulator and a bare node:http server that writes the same events at absolute deadlines. Prints JSON, then one line
 * per bound; `--out FILE` also stores the JSON. Exit code 1 if a bound is exceeded. Defaults: `--streams
 * 1,100,500,1000,2000 --itls 10,20 --starts 0,1000 --rounds 5`.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFlags } from './read-flags.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { startBareStreamServer, startEmulatorProcess, type ServerProcess } from './server-process.ts'
import { calculatePercentile, calculateRunStatistics } from './statistics.ts'
import {
  checkBounds,
  describeStart,
  describeBoundResult,
  type TimingCase,
  type TimingFigures,
} from './timing-bounds.ts'
import type { TimingRequest, TimingResponse } from './timing-client.ts'

const TTFT_MS = 100
const EVENTS = 100

const values = readFlags({
  streams: { type: 'string', default: '1,100,500,1000,2000' },
  itls: { type: 'string', default: '10,20' },
  starts: { type: 'string', default: '0,1000' },
  rounds: { type: 'string', default: '5' },
  out: { type: 'string' },
})
const numbers = (text: string) => text.split(',').map(Number)
const [streamCounts, itlsMs, spreadsMs] = [numbers(values.streams), numbers(values.itls), numbers(values.starts)]
const rounds = Number(values.rounds)

async function see(client: ChildProcess, order: TimingRequest): Promise<TimingResponse> {
  const reply = once(client, 'message')
  client.send(order)
  const [seen] = (await reply) as [TimingResponse] // The cast is safe: the client process sends only messages of this type.
  return seen
}

function sumUp(runs: readonly TimingResponse[], plannedMs: number): TimingFigures {
  const over = (figure: (seen: TimingResponse) => number, digits: number) =>
    calculateRunStatistics(runs.map(figure), digits)
  const late = ({ firstMs }: TimingResponse, share: number) => calculatePercentile(firstMs, share) - TTFT_MS
  const error = ({ totalMs }: TimingResponse, share: number) =>
    (calculatePercentile(totalMs, share) / plannedMs - 1) * 100
  return {
    firstLateP50Ms: over((seen) => late(seen, 0.5), 2),
    firstLateP99Ms: over((seen) => late(seen, 0.99), 2),
    totalErrorP50Percent: over((seen) => error(seen, 0.5), 3),
    totalErrorP99Percent: over((seen) => error(seen, 0.99), 3),
  }
}

type Servers = Readonly<Record<'emulator' | 'bare', ServerProcess>>

async function measure({ streams, startsWithinMs, itlMs }: TimingCase, servers: Servers, client: ChildProcess) {
  const seen = { emulator: [] as TimingResponse[], bare: [] as TimingResponse[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const name of ['emulator', 'bare'] as const) {
      seen[name].push(await see(client, { url: servers[name].url, streams, startsWithinMs, events: EVENTS }))
    }
  }
  const plannedMs = TTFT_MS + (EVENTS - 1) * itlMs
  const figures = { emulator: sumUp(seen.emulator, plannedMs), bare: sumUp(seen.bare, plannedMs) }
  return { streams, startsWithinMs, itlMs, plannedMs, ...figures }
}

type Measured = Awaited<ReturnType<typeof measure>>

function describe({ streams, startsWithinMs, itlMs, emulator, bare }: Measured): string {
  const reported = ({
    totalErrorP50Percent: { median, min: least, max: most },
    firstLateP50Ms,
    firstLateP99Ms,
  }: TimingFigures) =>
    `total p50 ${median} % late (${least} to ${most}), first p50 ${firstLateP50Ms.median} ms, p99 ${firstLateP99Ms.median} ms`
  return `${streams} streams ${describeStart(startsWithinMs)}, itl ${itlMs} ms: ${reported(emulator)}; bare: ${reported(bare)}`
}

const client = fork(new URL('./timing-client.ts', import.meta.url))
client.once('exit', (code) => {
  if (code !== 0) process.exit(1) // The child process has already printed the reason.
})
const count = itlsMs.length * spreadsMs.length * streamCounts.length
process.stderr.write(`timing: ${count} case(s) of ${rounds} rounds\n`)
const cases = []
for (const itlMs of itlsMs) {
  const flags = ['--latency', `ttft=${TTFT_MS}ms,itl=${itlMs}ms`, '--answer-tokens', 'fill']
  const servers = {
    emulator: await startEmulatorProcess(flags),
    bare: await startBareStreamServer(TTFT_MS, itlMs, EVENTS),
  }
  const warmUp = { streams: 100, startsWithinMs: 0, events: EVENTS }
  for (const { url } of Object.values(servers)) await see(client, { ...warmUp, url })
  for (const startsWithinMs of spreadsMs) {
    for (const streams of streamCounts) {
      const measured = await measure({ streams, startsWithinMs, itlMs }, servers, client)
      cases.push(measured)
      process.stderr.write(`timing: ${cases.length} of ${count}: ${describe(measured)}\n`)
    }
  }
  for (const server of Object.values(servers)) await server.stop()
}
client.disconnect()

const bounds = checkBounds(cases)
const document = {
  bench: 'timing',
  machine: describeMachine(),
  ttftMs: TTFT_MS,
  events: EVENTS,
  rounds,
  cases,
  bounds,
}
printDocument(document, values.out)
for (const evaluated of bounds) process.stdout.write(describeBoundResult(evaluated))
if (bounds.some(({ isKept }) => !isKept)) process.exitCode = 1
