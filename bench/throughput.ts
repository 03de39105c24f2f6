import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Result } from 'autocannon'
import { AIMOCK_NAME, startAimock } from './aimock.ts'
import type { RecordedHttpResponse } from './bare-servers.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { readFlags } from './read-flags.ts'
import { startEmulatorProcess, startServer, type ServerProcess } from './server-process.ts'
import { calculateRunStatistics, type RunStatistics } from './statistics.ts'

const BARE_SERVERS = fileURLToPath(new URL('./bare-servers.ts', import.meta.url))
const AUTOCANNON = fileURLToPath(import.meta.resolve('autocannon'))
const CHAT_PATH = '/v1/chat/completions'
const CHAT_HEADERS = { 'content-type': 'application/json', authorization: 'Bearer sk-svc-touchstone-funded' }
/** Response headers that node:http adds itself. */
const NODE_HEADERS = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

interface ThroughputBenchmark {
  readonly bench: string
  /** Name of what the benchmark counts. */
  readonly unit: string
  /** Body of the request that the load generator repeats. */
  readonly body: object
  /** Splits the body of a response into the pieces that a server writes, of one unit each. */
  split(text: string): string[]
  /** Number of pieces into which aimock splits the text of its response. */
  readonly chunks: number
  /** Kinds of the baseline servers, keyed by their names. */
  readonly baselines: Readonly<Record<string, 'raw' | 'raw-events' | 'fastify'>>
  /** Minimum ratio of the emulator's rate to the rate of another server, keyed by that server's name. */
  readonly bounds: Readonly<Record<string, number>>
}

interface Sample {
  readonly requestsPerS: number
  /**
   * Responses per second of CPU time of the server process, including all threads. Other processes on the machine
   * hardly affect this value.
   */
  readonly requestsPerCpuS: number
}

interface MeasuredServer {
  readonly name: string
  readonly process: ServerProcess
  readonly unitsPerRequest: number
  readonly samples: Sample[]
}

/**
 * Measures the emulator and other servers in turn, for several rounds. Prints JSON, then one line per server. Sets the
 * exit code to 1 if a ratio is below its bound.
 */
export async function compareThroughput(benchmark: ThroughputBenchmark): Promise<void> {
  const { bench, unit, body, bounds } = benchmark
  const values = readFlags({
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '50' },
    out: { type: 'string' },
  })
  const load = { body, connections: Number(values.connections), seconds: Number(values.seconds) }
  const rounds = Number(values.rounds)
  const servers = await startServers(benchmark)
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { process: server, samples } of servers) {
      const sample = await loadOnce(server, load)
      if (round > 0) samples.push(sample)
    }
    process.stderr.write(round === 0 ? 'warmed up\n' : `round ${round} of ${rounds}\n`)
  }
  for (const server of servers) await server.process.stop()
  const figures = servers.map(({ name, unitsPerRequest, samples }) => ({
    name,
    [`${unit}PerRequest`]: unitsPerRequest,
    requestsPerS: summarize(samples, 'requestsPerS'),
    requestsPerCpuS: summarize(samples, 'requestsPerCpuS'),
  }))
  const [ours, ...others] = servers
  if (ours === undefined) throw new Error('no server was started')
  const ratios = others.map((theirs) => ({
    to: theirs.name,
    atLeast: bounds[theirs.name] ?? null,
    perS: calculateRatio(ours, theirs, 'requestsPerS'),
    perCpuS: calculateRatio(ours, theirs, 'requestsPerCpuS'),
  }))
  printDocument({ bench, machine: describeMachine(), ...load, rounds, servers: figures, ratios }, values.out)
  const perS = summarize(ours.samples, 'requestsPerS').median * ours.unitsPerRequest
  process.stdout.write(`${bench}: ${perS} ${unit} per second\n`)
  for (const { to, atLeast, perS: ratio, perCpuS } of ratios) {
    const bound = atLeast === null ? '' : `, at least ${atLeast}`
    process.stdout.write(
      `${bench}: ${formatStatistics(ratio)} of ${to}${bound}; per second of server CPU time: ${formatStatistics(perCpuS)}\n`,
    )
    if (ratio.median < (atLeast ?? 0)) process.exitCode = 1
  }
}

/** Starts the emulator, and other servers that send the same text. */
async function startServers({ body, split, chunks, baselines }: ThroughputBenchmark): Promise<MeasuredServer[]> {
  const emulator = await startEmulatorProcess(['--answer-tokens', 'fill'])
  const response = await recordResponse(emulator, body, split)
  const servers = new Map([['emulator', emulator]])
  for (const [name, kind] of Object.entries(baselines))
    servers.set(name, await startServer([BARE_SERVERS, kind, JSON.stringify(response)]))
  const content = response.parts.map((part) => /"content":"([^"]*)"/.exec(part)?.[1] ?? '').join('')
  const aimock = await startAimock(content, Math.ceil(content.length / chunks))
  if (aimock !== undefined) servers.set(AIMOCK_NAME, aimock)
  const measured = []
  for (const [name, server] of servers) {
    const { parts } = await recordResponse(server, body, split)
    measured.push({ name, process: server, unitsPerRequest: parts.length, samples: [] })
  }
  return measured
}

/** Sends the request once, and records the response without the headers that node:http adds. */
async function recordResponse({ url }: ServerProcess, body: object, split: ThroughputBenchmark['split']) {
  const response = await fetch(url + CHAT_PATH, { method: 'POST', headers: CHAT_HEADERS, body: JSON.stringify(body) })
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${await response.text()}`)
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !NODE_HEADERS.has(name)))
  return { headers, parts: split(await response.text()) } satisfies RecordedHttpResponse
}

interface Load {
  readonly body: object
  readonly connections: number
  readonly seconds: number
}

/**
 * Generates load with autocannon in a separate process.
 * @throws Error if a response was not 2xx
 */
async function loadOnce({ url, pid }: ServerProcess, { body, connections, seconds }: Load): Promise<Sample> {
  const before = cpuSecondsOf(pid)
  const fields = Object.entries(CHAT_HEADERS).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const numbers = ['-c', String(connections), '-d', String(seconds)]
  const request = ['-m', 'POST', ...fields, '-b', JSON.stringify(body), url + CHAT_PATH]
  const child = spawn(process.execPath, [AUTOCANNON, '--json', ...numbers, ...request], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  await once(child, 'close')
  // The cast is safe: autocannon documents this format of --json.
  const { requests, errors, timeouts, non2xx, duration } = JSON.parse(output) as Result
  if (errors + timeouts + non2xx > 0) throw new Error(`${url}: ${errors} errors, ${timeouts} late, ${non2xx} refused`)
  return { requestsPerS: requests.total / duration, requestsPerCpuS: requests.total / (cpuSecondsOf(pid) - before) }
}

/** Reads the CPU time of a process in seconds (user and kernel) from Linux's /proc. Returns NaN on other systems. */
function cpuSecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100 // Linux reports CPU time in ticks of 1/100 s.
  } catch {
    return Number.NaN
  }
}

function summarize(samples: readonly Sample[], figure: keyof Sample): RunStatistics {
  const values = samples.map((sample) => sample[figure])
  return calculateRunStatistics(values, 0)
}

/** Divides each rate of the emulator, in units, by the rate of another server in the same round. */
function calculateRatio(ours: MeasuredServer, theirs: MeasuredServer, figure: keyof Sample): RunStatistics {
  const factor = ours.unitsPerRequest / theirs.unitsPerRequest
  const ratios = ours.samples.map(
    (sample, round) => (factor * sample[figure]) / (theirs.samples[round]?.[figure] ?? Number.NaN),
  )
  return calculateRunStatistics(ratios)
}

function formatStatistics({ median, min: least, max: most }: RunStatistics): string {
  return `${median} (${least} to ${most})`
}
