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
import { calculatePercentile, calculateRunStatistics, type RunStatistics } from './statistics.ts'
import type { TimingRequest, TimingResponse } from './timing-client.ts'

const TTFT_MS = 100
const EVENTS = 100

/** Figures of all streams, with their titles and units. */
const FIGURES = {
  firstLateP50Ms: ['first byte late at p50', 'ms'],
  firstLateP99Ms: ['first byte late at p99', 'ms'],
  totalErrorP50Percent: ['total late at p50', '%'],
  totalErrorP99Percent: ['total late at p99', '%'],
} as const

type TimingFigures = Readonly<Record<keyof typeof FIGURES, RunStatistics>>

interface TimingCase {
  readonly streams: number
  readonly itlMs: number
  readonly startsWithinMs: number
}

/** Upper bound of the emulator's median of a figure. Applies to every token interval if `itlMs` is absent. */
interface Bound extends Omit<TimingCase, 'itlMs'>, Partial<Pick<TimingCase, 'itlMs'>> {
  readonly figure: keyof TimingFigures
  readonly atMost: number
}

const BOUNDS: readonly Bound[] = [
  { streams: 100, itlMs: 10, startsWithinMs: 1000, figure: 'totalErrorP50Percent', atMost: 0.15 },
  { streams: 100, itlMs: 10, startsWithinMs: 0, figure: 'totalErrorP50Percent', atMost: 0.15 },
  { streams: 1000, itlMs: 20, startsWithinMs: 1000, figure: 'totalErrorP50Percent', atMost: 0.5 },
  { streams: 1000, itlMs: 20, startsWithinMs: 0, figure: 'totalErrorP50Percent', atMost: 0.5 },
  { streams: 1000, startsWithinMs: 1000, figure: 'firstLateP50Ms', atMost: 2 },
  { streams: 1000, startsWithinMs: 1000, figure: 'firstLateP99Ms', atMost: 10 },
  { streams: 1000, startsWithinMs: 0, figure: 'firstLateP50Ms', atMost: 15 },
  { streams: 1000, startsWithinMs: 0, figure: 'firstLateP99Ms', atMost: 50 },
]

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

/** Compares the emulator's medians with the bounds of a case. A case may have no bound. */
function checkBounds({ emulator, bare, ...one }: Measured) {
  const isOfCase = ({ streams, startsWithinMs, itlMs = one.itlMs }: Bound) =>
    streams === one.streams && startsWithinMs === one.startsWithinMs && itlMs === one.itlMs
  return BOUNDS.filter(isOfCase).map((bound) => {
    const [actual, ofBare] = [emulator[bound.figure].median, bare[bound.figure].median]
    return { ...bound, itlMs: one.itlMs, emulator: actual, bare: ofBare, isKept: actual <= bound.atMost }
  })
}

function describeCase({ streams, startsWithinMs, itlMs }: TimingCase): string {
  const start = startsWithinMs === 0 ? 'simultaneously' : `within ${startsWithinMs} ms`
  return `${streams} streams ${start}, itl ${itlMs} ms`
}

function describe({ emulator, bare, ...one }: Measured): string {
  const reported = ({
    totalErrorP50Percent: { median, min: least, max: most },
    firstLateP50Ms,
    firstLateP99Ms,
  }: TimingFigures) =>
    `total p50 ${median} % late (${least} to ${most}), first p50 ${firstLateP50Ms.median} ms, p99 ${firstLateP99Ms.median} ms`
  return `${describeCase(one)}: ${reported(emulator)}; bare: ${reported(bare)}`
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

const bounds = cases.flatMap(checkBounds)
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
for (const bound of bounds) {
  const [what, unit] = FIGURES[bound.figure]
  process.stdout.write(
    `timing: ${bound.isKept ? 'met' : 'MISSED'}: ${describeCase(bound)}: ${what} ${bound.emulator} ${unit}, limit ${bound.atMost} (bare server: ${bound.bare})\n`,
  )
}
if (bounds.some(({ isKept }) => !isKept)) process.exitCode = 1
