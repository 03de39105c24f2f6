/**
 * Measures the true error of the latencies and token rates of a load run, and whether the reported error bound contains
 * it. The server records when the kernel received each request, the times before and after each write of a response, and
 * the tokens that it contained. A write on loopback puts its bytes directly into the client's socket. The record
 * therefore gives the true latencies, which include the server's delay and exclude k6's. All requests count, including
 * the first of each client. Further cases have streams with reasoning, several tokens in a chunk, heartbeats or no text,
 * over HTTP/1.1, TLS and HTTP/2. Prints JSON, then one line per case. Exit code 1 if an error bound does not contain the
 * true error, if a count of streams or tokens is wrong, or if the true error of TTFT with 100 streams exceeds
 * {@link BOUND_MS}.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { summarizeSamples } from '../load/metrics/figure.ts'
import { calculateStreamRates } from '../load/metrics/output-tokens.ts'
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
  /** Contents of the streams of further cases, with 16 streams in a closed loop. */
  shapes: { type: 'string', default: 'text,reasoning,hidden,several,heartbeats,silent' },
  protocols: { type: 'string', default: 'http1,tls,http2' },
  tokens: { type: 'string', default: '20' },
  /** Number of processes that keep a core busy during the measurement. */
  busy: { type: 'string', default: '0' },
})

/** Lower and upper bound of a time or a duration, in milliseconds. */
type Between = readonly [number, number]

/** The server's record of one response. All writes but the last contain one event each. */
interface Written {
  readonly requestId: string
  readonly arrivedMs: Between
  readonly writesMs: readonly Between[]
  readonly events: readonly { readonly kind: 'text' | 'reasoning' | 'none'; readonly tokens: number }[]
  /** Completion tokens that usage reports, with hidden reasoning. */
  readonly completion: number
}

type Samples = Parameters<typeof summarizeSamples>[0]

interface Result {
  readonly operations: {
    readonly 'chat-stream': {
      readonly histograms: Readonly<Record<string, Samples>>
      readonly output: Readonly<Record<string, number>>
    }
  }
}

const METRICS = ['ttftMs', 'textTtftMs', 'itlMs', 'tpotMs', 'e2eMs'] as const
const STATISTICS = { p50: 0.5, p90: 0.9, p99: 0.99 } as const

/** A statistic of one run: its measured value, its true value and the reported error bound. */
interface Comparison {
  /** A latency in milliseconds, or the rate of a stream in tokens per second. */
  readonly metric: (typeof METRICS)[number] | 'tokensPerS'
  readonly statistic: keyof typeof STATISTICS
  readonly measured: number
  /** Bounds between which the reported error places the true value. */
  readonly stated: Between
  /** Bounds between which the true value lies. */
  readonly actual: Between
  /** Whether the reported error bound contains the true value. `open`: the server's record is too inexact to decide. */
  readonly outcome: 'contained' | 'outside' | 'open'
}

interface EventsLine {
  readonly requestId: string | null
  readonly atMs: readonly number[]
  readonly tokens: readonly number[]
  readonly e2eMs: number
  readonly bounds?: { readonly startMs: number; readonly tokenMs: readonly number[]; readonly e2eMs: number }
}

interface Setup {
  readonly streams: number
  readonly arrivals: string
  readonly shape: string
  readonly protocol: keyof LoadTools['urls']
}

interface Case extends Setup {
  readonly comparisons: readonly Comparison[]
  /** Counts of streams and tokens that differ from those of the server. */
  readonly wrongCounts: readonly string[]
  /**
   * Latencies of single responses over HTTP/2, whose requests arrive in several segments. Only requests whose arrival
   * the server knows exactly are compared.
   */
  readonly single: { readonly compared: number; readonly outside: number }
}

async function measure(tools: LoadTools, setup: Setup): Promise<Omit<Case, keyof Setup>> {
  const { streams, arrivals, shape, protocol } = setup
  const path = join(tools.directory, `result-${Object.values(setup).join('-')}.json`)
  const eventsPath = join(tools.directory, 'events.jsonl')
  // The server and k6 together sustain about 5000 events per second on two cores without delay.
  const itlMs = Math.max(20, streams / 5)
  const firstMs = Math.max(50, streams / 5)
  const streamS = (1.5 * firstMs + itlMs * Number(values.tokens)) / 1000
  const requests = Math.max(streams * Number(values.turns), 20)
  await runK6(tools.k6, './load-touchstone.ts', {
    URL: `${tools.urls[protocol]}/paced?events=${values.tokens}&firstMs=${firstMs}&itlMs=${itlMs}&shape=${shape}`,
    VUS: String(streams),
    ITERATIONS: String(requests),
    RESULT: path,
    ...(protocol === 'http2' ? { EVENTS: eventsPath } : {}),
    ...(arrivals === 'planned' ? { RATE: String((0.8 * streams) / streamS) } : {}),
  })
  // The cast is safe: the server started above serializes this type.
  const written = (await (await fetch(`${tools.url}/record`)).json()) as Written[]
  // The cast is safe: the extension serializes this type.
  const { histograms, output } = (JSON.parse(readFileSync(path, 'utf8')) as Result).operations['chat-stream']
  const recorded = {
    ttftMs: written.flatMap((one) => sinceArrival(one, findTokens(one)[0])),
    textTtftMs: written.flatMap((one) => sinceArrival(one, findTokens(one, 'text')[0])),
    itlMs: written.flatMap(itlsOf),
    tpotMs: written.flatMap(tpotOf),
    e2eMs: written.flatMap((one) => sinceArrival(one, one.writesMs.length - 1)),
  }
  const comparisons = METRICS.flatMap((metric) => {
    const samples = histograms[metric]
    if ((samples?.n ?? 0) !== recorded[metric].length)
      throw new Error(`${metric} has ${samples?.n ?? 0} samples, and the server recorded ${recorded[metric].length}`)
    if (samples === undefined) return []
    const figure = summarizeSamples(samples, null)
    const compared = compare(metric, figure, recorded[metric])
    return metric === 'tpotMs' ? [...compared, ...compareRates(figure, recorded.tpotMs)] : compared
  })
  const count = (isCounted: (one: Written) => boolean) => written.filter(isCounted).length
  const expected = {
    responses: written.length,
    streams: written.length,
    withUsage: written.length,
    completionTokens: written.reduce((sum, { completion }) => sum + completion, 0),
    withoutToken: count((one) => findTokens(one).length === 0),
    withoutText: count((one) => findTokens(one, 'text').length === 0),
  }
  const wrongCounts = Object.entries(expected).flatMap(([name, number]) =>
    output[name] === number ? [] : [`${name} is ${output[name]} instead of ${number}`],
  )
  const lines = protocol === 'http2' ? readFileSync(eventsPath, 'utf8').trim().split('\n') : []
  // The cast is safe: the extension serializes this type.
  const single = compareResponses(
    lines.map((line) => JSON.parse(line) as EventsLine),
    written,
  )
  return { comparisons, wrongCounts, single }
}

/** The kernel may take two timestamps of a packet, which differ by up to 27 µs. */
const RESOLUTION_MS = 0.03

/** Compares the bounds of TTFT and E2E of single responses with the server's record. */
function compareResponses(lines: readonly EventsLine[], written: readonly Written[]): Case['single'] {
  const byId = new Map(lines.map((line) => [line.requestId, line]))
  const outcomes = written.flatMap((one) => {
    const line = byId.get(one.requestId)
    if (line?.bounds === undefined || one.arrivedMs[0] !== one.arrivedMs[1]) return []
    const { startMs, tokenMs, e2eMs } = line.bounds
    const pairs = [
      [sinceArrival(one, findTokens(one)[0])[0], (tokenMs[0] ?? NaN) - startMs, line.atMs[line.tokens[0] ?? -1]],
      [sinceArrival(one, one.writesMs.length - 1)[0], e2eMs - startMs, line.e2eMs],
    ] as const
    return pairs.flatMap(([actual, low, high]) =>
      actual === undefined || high === undefined
        ? []
        : [low - RESOLUTION_MS <= actual[1] && actual[0] <= high + RESOLUTION_MS],
    )
  })
  return { compared: outcomes.length, outside: outcomes.filter((isWithin) => !isWithin).length }
}

/** Returns the indexes of the events with a token, of any kind or of one. */
function findTokens({ events, writesMs }: Written, wanted?: string): number[] {
  if (writesMs.length !== events.length + 1)
    throw new Error(`the server recorded ${writesMs.length} writes of ${events.length} events`)
  return events.flatMap(({ kind }, index) => (kind === 'none' || (wanted ?? kind) !== kind ? [] : [index]))
}

function since([from, to]: Between, [low, high]: Between): Between {
  return [low - to, high - from]
}

function sinceArrival({ arrivedMs, writesMs }: Written, index: number | undefined): Between[] {
  const at = index === undefined ? undefined : writesMs[index]
  return at === undefined ? [] : [since(arrivedMs, at)]
}

function itlsOf(written: Written): Between[] {
  const at = findTokens(written).map((index): Between => written.writesMs[index] ?? [NaN, NaN])
  return at.slice(1).map((later, index) => since(at[index] ?? [NaN, NaN], later))
}

/** Returns the bounds of the true TPOT: the tokens after the first event with a token, in the time from this event to the last. */
function tpotOf(written: Written): Between[] {
  const found = findTokens(written)
  const [first, last] = [found[0], found.at(-1)]
  if (first === undefined || last === undefined || first === last) return []
  const tokens = written.events.slice(first + 1).reduce((sum, event) => sum + event.tokens, 0)
  const [low, high] = since(written.writesMs[first] ?? [NaN, NaN], written.writesMs[last] ?? [NaN, NaN])
  return [[low / tokens, high / tokens]]
}

function compare(metric: Comparison['metric'], figure: LoadFigure, recorded: readonly Between[]): Comparison[] {
  if (figure.error === null) throw new Error(`${metric} has no error: the kernel reports no times`)
  const bounds = { p50: figure.error.p50Ms, p90: figure.error.p90Ms, p99: figure.error.p99Ms }
  return (['p50', 'p90', 'p99'] as const).map((statistic) => {
    const [measured, bound] = [figure[statistic], bounds[statistic]]
    const stated: Between = [measured - bound, measured + bound]
    return judge({ metric, statistic, measured, stated, actual: trueStatistic(recorded, statistic) })
  })
}

/** Compares the rates of streams. The statistic is that of the TPOT: 1 % of the streams are slower than `p99`. */
function compareRates(tpot: LoadFigure, recorded: readonly Between[]): Comparison[] {
  const rates = calculateStreamRates(tpot)
  if (rates === null) return []
  return Object.entries({ p50: rates.p50, p90: rates.p10, p99: rates.p1 } as const).map(([name, rate]) => {
    // The cast restores the key type, which Object.entries widens to string.
    const statistic = name as keyof typeof STATISTICS
    const [low, high] = trueStatistic(recorded, statistic)
    const stated: Between = [rate.low ?? NaN, rate.high ?? NaN]
    return judge({
      metric: 'tokensPerS',
      statistic,
      measured: rate.perSecond,
      stated,
      actual: [1000 / high, 1000 / low],
    })
  })
}

function trueStatistic(recorded: readonly Between[], statistic: keyof typeof STATISTICS): Between {
  const at = (end: 0 | 1) => {
    const value = calculatePercentile(
      recorded.map((between) => between[end]),
      STATISTICS[statistic],
    )
    return roundTo(value, 3)
  }
  return [at(0), at(1)]
}

function judge(compared: Omit<Comparison, 'outcome'>): Comparison {
  const {
    stated: [from, to],
    actual: [low, high],
  } = compared
  const outcome = from <= low && high <= to ? 'contained' : high < from || to < low ? 'outside' : 'open'
  return { ...compared, outcome }
}

/** Returns the minimum error of a statistic: its distance from the bounds of the true value. */
function errorOf({ measured, actual: [low, high] }: Comparison): number {
  return Math.max(0, measured - high, low - measured)
}

function describe({ streams, arrivals, shape, protocol, comparisons, wrongCounts, single }: Case): string {
  const count = (outcome: Comparison['outcome']) => comparisons.filter((one) => one.outcome === outcome).length
  const figures = [...METRICS, 'tokensPerS'].flatMap((metric) =>
    (['p50', 'p99'] as const).flatMap((statistic) => {
      const all = comparisons.filter((one) => one.metric === metric && one.statistic === statistic)
      const largest = (value: (one: Comparison) => number) => roundTo(Math.max(...all.map(value)), 3)
      const error = `${largest(errorOf)} (stated ${largest(({ measured, stated: [low, high] }) => Math.max(measured - low, high - measured))})`
      return all.length === 0 ? [] : [`${metric.replace('Ms', '')} ${statistic} ${error}`]
    }),
  )
  const each = single.compared === 0 ? '' : `; ${single.outside} of ${single.compared} single latencies outside`
  const counts = wrongCounts.length === 0 ? 'counts equal' : wrongCounts.join(', ')
  return `load-bias: ${streams} streams, ${arrivals}, ${shape}, ${protocol}: ${count('contained')} of ${comparisons.length} contained, ${count('outside')} outside, ${count('open')} open${each}; ${counts}; largest error in ms or tokens per second: ${figures.join(', ')}`
}

function listSetups(): Setup[] {
  const list = (value: string) => value.split(',').filter((item) => item !== '')
  const usual = { arrivals: 'closed', shape: 'text', protocol: 'http1' } as const
  return [
    ...list(values.streams).flatMap((streams) =>
      list(values.arrivals).map((arrivals) => ({ ...usual, streams: Number(streams), arrivals })),
    ),
    // The cast is safe: a wrong name has no URL, and k6 fails.
    ...(list(values.protocols) as Setup['protocol'][]).flatMap((protocol) =>
      list(values.shapes).map((shape) => ({ ...usual, streams: 16, shape, protocol })),
    ),
  ]
}

const busy: ChildProcess[] = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
)
const cases: Case[] = []
try {
  using tools = await openLoadTools()
  for (const setup of listSetups()) {
    const measured = []
    for (let run = 0; run < Number(values.runs); run += 1) measured.push(await measure(tools, setup))
    cases.push({
      ...setup,
      comparisons: measured.flatMap(({ comparisons }) => comparisons),
      wrongCounts: measured.flatMap(({ wrongCounts }) => wrongCounts),
      single: {
        compared: measured.reduce((sum, { single }) => sum + single.compared, 0),
        outside: measured.reduce((sum, { single }) => sum + single.outside, 0),
      },
    })
    process.stderr.write(`${Object.values(setup).join(', ')}\n`)
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
    ({ streams, comparisons, wrongCounts, single }) =>
      wrongCounts.length > 0 ||
      single.outside > 0 ||
      comparisons.some(({ outcome }) => outcome === 'outside') ||
      (streams === 100 && busy.length === 0 && comparisons.some(exceeds)),
  )
) {
  process.exitCode = 1
}
