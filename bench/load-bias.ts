/**
 * Measures the error of the k6 extension's timestamps. Compares each event of each stream with the time that the server
 * recorded. k6 starts its clock before it sends the request. The server starts its clock after it has read the request.
 * The error therefore includes the network path. The first stream of each connection is excluded, because it includes
 * connecting. Prints JSON, then one line per case. Exit code 1 if a bound is exceeded at 100 streams.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFlags } from './read-flags.ts'
import { openLoadTools, runK6, type LoadTools } from './load-tools.ts'
import { describeMachine } from './machine.ts'
import { calculatePercentile, roundTo } from './statistics.ts'

const BOUND_MS = { p50: 0.2, p99: 1 }

const values = readFlags({
  streams: { type: 'string', default: '1,16,100' },
  turns: { type: 'string', default: '10' },
  'gap-ms': { type: 'string', default: '20' },
})

/**
 * The times of a stream's events, in milliseconds since the start of its request, as recorded by k6 or by the server.
 */
interface Times {
  readonly requestId: string
  readonly atMs: readonly number[]
}

interface Difference {
  readonly n: number
  readonly meanMs: number
  /** Median of the absolute differences. */
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Case {
  readonly streams: number
  readonly ttft: Difference
  readonly gap: Difference
}

async function measure(tools: LoadTools, streams: number): Promise<Case> {
  const events = join(tools.directory, `events-${streams}`)
  await runK6(tools.k6, './load-touchstone.ts', {
    URL: `${tools.url}/paced?events=100&firstMs=50&gapMs=${values['gap-ms']}`,
    VUS: String(streams),
    ITERATIONS: String(streams * Number(values.turns)),
    EVENTS: events,
  })
  // The cast is safe: the server started above serializes this type.
  const written = (await (await fetch(`${tools.url}/record`)).json()) as Times[]
  // The first request of each virtual user opens the connection; the server does not record that time.
  const order = written.toSorted((a, b) => Number(a.requestId) - Number(b.requestId))
  const opening = new Set(order.slice(0, streams).map(({ requestId }) => requestId))
  const truth = new Map(written.map(({ requestId, atMs }) => [requestId, atMs]))
  const [ttft, gap]: [number[], number[]] = [[], []]
  for (const line of readFileSync(events, 'utf8').trim().split('\n')) {
    const { requestId, atMs } = JSON.parse(line) as Times // The cast is safe: the extension serializes this type.
    if (opening.has(requestId)) continue
    const trueMs = truth.get(requestId)
    if (trueMs === undefined || trueMs.length !== atMs.length) throw new Error(`the server has no such stream: ${line}`)
    compare(atMs, trueMs, ttft, gap)
  }
  return { streams, ttft: sumUp(ttft), gap: sumUp(gap) }
}

/**
 * Adds the errors of one stream to the two lists. The first event has no text, so the second event is the first token.
 */
function compare(atMs: readonly number[], trueMs: readonly number[], ttft: number[], gap: number[]): void {
  const late = atMs.map((value, index) => value - (trueMs[index] ?? Number.NaN))
  ttft.push(late[1] ?? Number.NaN)
  for (let index = 2; index <= 100; index += 1) gap.push((late[index] ?? Number.NaN) - (late[index - 1] ?? Number.NaN))
}

function sumUp(differences: readonly number[]): Difference {
  const sizes = differences.map(Math.abs)
  return {
    n: differences.length,
    meanMs: roundTo(differences.reduce((sum, value) => sum + value, 0) / differences.length, 3),
    p50Ms: roundTo(calculatePercentile(sizes, 0.5), 3),
    p99Ms: roundTo(calculatePercentile(sizes, 0.99), 3),
  }
}

using tools = await openLoadTools()
const cases: Case[] = []
for (const streams of values.streams.split(',').map(Number)) {
  process.stderr.write(`${streams} streams\n`)
  cases.push(await measure(tools, streams))
}
console.log(JSON.stringify({ machine: describeMachine(), gapMs: Number(values['gap-ms']), cases }))
for (const { streams, ttft, gap } of cases) {
  const tell = ({ p50Ms, p99Ms, n }: Difference) => `${p50Ms} ms at the median, ${p99Ms} ms at p99 of ${n} samples`
  console.log(`load-bias: ${streams} streams: TTFT error ${tell(ttft)}; inter-token latency error ${tell(gap)}`)
}
const isWithin = ({ p50Ms, p99Ms }: Difference) => p50Ms <= BOUND_MS.p50 && p99Ms <= BOUND_MS.p99
if (cases.some(({ streams, ttft, gap }) => streams === 100 && !(isWithin(ttft) && isWithin(gap)))) process.exitCode = 1
