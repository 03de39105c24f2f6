/**
 * Measures the true error of the latencies of a load run, and whether the reported error bound contains it. The server
 * records when the kernel received each request, and the times before and after each write of a response. A write on
 * loopback puts its bytes directly into the client's socket. The record therefore gives the true latencies, which
 * include the server's delay and exclude k6's. All requests count, including the first of each client. Prints JSON,
 * then one line per case. Exit code 1 if an error bound does not contain the true error, or if the true error of TTFT
 * with 100 streams exceeds {@link BOUND_MS}.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { summarizeSamples } from '../load/metrics/figure.ts'
import type { LoadFigure } from '../reports/load-document.ts'
import { readFlags } from './read-flags.ts'
import { openLoadTools, runK6, type LoadTools } from './load-tools.ts'
import { describeMachine } from './machine.ts'
import { calculatePercentile, roundTo } from './statistics.ts'

/** Maximum true error of TTFT with 100 streams and no other load. */
const BOUND_MS = { p50: 0.2, p99: 1 }

const values = readFlags({
  streams: { type: 'string', default: '1,16,100,500' },
  arrivals: { type: 'string', default: 'closed,planned' },
  runs: { type: 'string', default: '3' },
  turns: { type: 'string', default: '3' },
  tokens: { type: 'string', default: '20' },
  /** Number of processes that keep a core busy during the measurement. */
  busy: { type: 'string', default: '0' },
})

/** Lower and upper bound of a time or a duration, in milliseconds. */
type Between = readonly [number, number]

/** The server's record of one response. */
interface Written {
  readonly arrivedMs: Between
  readonly writesMs: readonly Between[]
}

type Samples = Parameters<typeof summarizeSamples>[0]

interface Result {
  readonly operations: { readonly 'chat-stream': { readonly histograms: Readonly<Record<string, Samples>> } }
}

const METRICS = ['ttftMs', 'itlMs', 'e2eMs'] as const
const STATISTICS = { p50: 0.5, p90: 0.9, p99: 0.99 } as const

/** A statistic of one run: its measured value, its true value and the reported error bound. */
interface Comparison {
  readonly metric: (typeof METRICS)[number]
  readonly statistic: keyof typeof STATISTICS
  readonly measuredMs: number
  readonly statedMs: number
  /** Bounds between which the true value lies. */
  readonly trueMs: Between
  /** Whether the reported error bound contains the true value. `open`: the server's record is too inexact to decide. */
  readonly outcome: 'contained' | 'outside' | 'open'
}

interface Case {
  readonly streams: number
  readonly arrivals: string
  readonly comparisons: readonly Comparison[]
}

async function measure(tools: LoadTools, streams: number, arrivals: string): Promise<Comparison[]> {
  const path = join(tools.directory, `result-${streams}-${arrivals}.json`)
  // The server and k6 together sustain about 5000 events per second on two cores without delay.
  const itlMs = Math.max(20, streams / 5)
  const firstMs = Math.max(50, streams / 5)
  const streamS = (1.5 * firstMs + itlMs * Number(values.tokens)) / 1000
  const requests = Math.max(streams * Number(values.turns), 20)
  await runK6(tools.k6, './load-touchstone.ts', {
    URL: `${tools.url}/paced?events=${values.tokens}&firstMs=${firstMs}&itlMs=${itlMs}`,
    VUS: String(streams),
    ITERATIONS: String(requests),
    RESULT: path,
    ...(arrivals === 'planned' ? { RATE: String((0.8 * streams) / streamS) } : {}),
  })
  // The cast is safe: the server started above serializes this type.
  const written = (await (await fetch(`${tools.url}/record`)).json()) as Written[]
  // The cast is safe: the extension serializes this type.
  const { histograms } = (JSON.parse(readFileSync(path, 'utf8')) as Result).operations['chat-stream']
  const recordedSamples = { ttftMs: written.map(ttftOf), itlMs: written.flatMap(itlsOf), e2eMs: written.map(e2eOf) }
  return METRICS.flatMap((metric) => {
    const samples = histograms[metric]
    if (samples === undefined || samples.n !== recordedSamples[metric].length)
      throw new Error(
        `${metric} has ${samples?.n ?? 0} samples, and the server recorded ${recordedSamples[metric].length}`,
      )
    return compare(metric, summarizeSamples(samples, null), recordedSamples[metric])
  })
}

function since([from, to]: Between, [low, high]: Between): Between {
  return [low - to, high - from]
}

/** Returns the bounds of the true TTFT. The first write contains the first token. */
function ttftOf({ arrivedMs, writesMs }: Written): Between {
  return since(arrivedMs, writesMs[0] ?? [NaN, NaN])
}

function itlsOf({ writesMs }: Written): Between[] {
  return writesMs.slice(1, -1).map((at, index) => since(writesMs[index] ?? [NaN, NaN], at))
}

function e2eOf({ arrivedMs, writesMs }: Written): Between {
  return since(arrivedMs, writesMs.at(-1) ?? [NaN, NaN])
}

function compare(metric: Comparison['metric'], figure: LoadFigure, recordedSamples: readonly Between[]): Comparison[] {
  if (figure.error === null) throw new Error(`${metric} has no error: the kernel reports no times`)
  const bounds = { p50: figure.error.p50Ms, p90: figure.error.p90Ms ?? NaN, p99: figure.error.p99Ms }
  return (['p50', 'p90', 'p99'] as const).map((statistic) => {
    const share = STATISTICS[statistic]
    const [low, high] = [0, 1].map((end) =>
      calculatePercentile(
        recordedSamples.map((between) => between[end] ?? NaN),
        share,
      ),
    )
    const trueMs: Between = [roundTo(low ?? NaN, 3), roundTo(high ?? NaN, 3)]
    const [measuredMs, statedMs] = [figure[statistic], bounds[statistic]]
    const [from, to] = [measuredMs - statedMs, measuredMs + statedMs]
    const outcome =
      from <= trueMs[0] && trueMs[1] <= to ? 'contained' : trueMs[1] < from || to < trueMs[0] ? 'outside' : 'open'
    return { metric, statistic, measuredMs, statedMs, trueMs, outcome }
  })
}

/** Returns the minimum error of a statistic, in milliseconds: its distance from the bounds of the true value. */
function errorOf({ measuredMs, trueMs }: Comparison): number {
  return Math.max(0, measuredMs - trueMs[1], trueMs[0] - measuredMs)
}

function describe({ streams, arrivals, comparisons }: Case): string {
  const count = (outcome: Comparison['outcome']) => comparisons.filter((one) => one.outcome === outcome).length
  const largest = (metric: string, statistic: string, value: (one: Comparison) => number) =>
    roundTo(
      Math.max(...comparisons.filter((one) => one.metric === metric && one.statistic === statistic).map(value)),
      3,
    )
  const figures = METRICS.flatMap((metric) =>
    (['p50', 'p99'] as const).map(
      (statistic) =>
        `${metric.replace('Ms', '')} ${statistic} ${largest(metric, statistic, errorOf)} (stated ${largest(metric, statistic, ({ statedMs }) => statedMs)})`,
    ),
  )
  return `load-bias: ${streams} streams, ${arrivals}: ${count('contained')} of ${comparisons.length} contained, ${count('outside')} outside, ${count('open')} open; largest error in ms: ${figures.join(', ')}`
}

const busy: ChildProcess[] = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
)
const cases: Case[] = []
try {
  using tools = await openLoadTools()
  for (const streams of values.streams.split(',').map(Number)) {
    for (const arrivals of values.arrivals.split(',')) {
      const comparisons: Comparison[] = []
      for (let run = 0; run < Number(values.runs); run += 1)
        comparisons.push(...(await measure(tools, streams, arrivals)))
      cases.push({ streams, arrivals, comparisons })
      process.stderr.write(`${streams} streams, ${arrivals}\n`)
    }
  }
} finally {
  for (const child of busy) child.kill()
}
console.log(JSON.stringify({ machine: describeMachine(), busy: busy.length, runs: Number(values.runs), cases }))
for (const one of cases) console.log(describe(one))
const exceeds = (one: Comparison) =>
  one.metric === 'ttftMs' &&
  ((one.statistic === 'p50' && errorOf(one) > BOUND_MS.p50) || (one.statistic === 'p99' && errorOf(one) > BOUND_MS.p99))
if (
  cases.some(
    ({ streams, comparisons }) =>
      comparisons.some(({ outcome }) => outcome === 'outside') ||
      (streams === 100 && busy.length === 0 && comparisons.some(exceeds)),
  )
) {
  process.exitCode = 1
}
