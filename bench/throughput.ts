import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readFlags } from './read-flags.ts'
import type { RecordedHttpResponse } from './bare-servers.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { calculateRunStatistics, type RunStatistics } from './statistics.ts'

const BARE_SERVERS = fileURLToPath(new URL('./bare-servers.ts', import.meta.url))
export const CHAT_PATH = '/v1/chat/completions'
export const CHAT_HEADERS = { 'content-type': 'application/json', authorization: 'Bearer sk-svc-touchstone-funded' }
/** Response headers that node:http adds itself. */
const NODE_HEADERS = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

/** The request that the load generators repeat, and their options. */
export interface LoadGeneratorOptions {
  readonly body: object
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
}

/** Parses the command-line flags into load options for requests with this body. `out` is the file for the JSON. */
export function readLoadGeneratorOptions(body: object): {
  readonly load: LoadGeneratorOptions
  readonly out: string | undefined
} {
  const values = readFlags({
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '50' },
    out: { type: 'string' },
  })
  const load: LoadGeneratorOptions = {
    body,
    connections: Number(values.connections),
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
  }
  return { load, out: values.out }
}

export interface Throughput {
  readonly responses: number
  readonly seconds: number
}

/** Runs a load generator in a separate process. Rejects if a request failed. */
export type LoadGenerator = (url: string, load: LoadGeneratorOptions) => Promise<Throughput>

export interface ThroughputFigures {
  readonly requestsPerS: RunStatistics
  /**
   * Responses per second of CPU time of the server process, including all threads. Other processes on the machine
   * hardly affect this value.
   */
  readonly requestsPerCpuS: RunStatistics
}

interface Sample {
  readonly requestsPerS: number
  readonly requestsPerCpuS: number
}

/**
 * Sends the request once, and records the response without the headers that node:http adds. `cut` splits the body into
 * the pieces that a server writes.
 */
export async function recordResponse(
  { url }: ServerProcess,
  { body }: LoadGeneratorOptions,
  cut: (text: string) => string[],
) {
  const response = await fetch(url + CHAT_PATH, {
    method: 'POST',
    headers: CHAT_HEADERS,
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${await response.text()}`)
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !NODE_HEADERS.has(name)))
  return { headers, parts: cut(await response.text()) } satisfies RecordedHttpResponse
}

/** Starts a baseline server that sends a recorded response to every request. */
export function startBareResponseServer(
  kind: 'raw' | 'raw-events' | 'fastify',
  respond: RecordedHttpResponse,
): Promise<ServerProcess> {
  return startServer([BARE_SERVERS, kind, JSON.stringify(respond)])
}

/** Samples and summaries, keyed by server name, in the order of measurement. */
export type ThroughputByServer = ReadonlyMap<
  string,
  { readonly samples: readonly Sample[]; readonly figures: ThroughputFigures }
>

/** Measures all servers in turn, for several rounds. The first round is a warm-up and does not count. */
export async function measureAlternately(
  servers: ReadonlyMap<string, ServerProcess>,
  load: LoadGeneratorOptions,
  loadBy: LoadGenerator,
): Promise<ThroughputByServer> {
  const samples = new Map<string, Sample[]>([...servers.keys()].map((name) => [name, []]))
  for (let round = 0; round <= load.rounds; round += 1) {
    for (const [name, server] of servers) {
      const sample = await loadOnce(server, load, loadBy)
      if (round > 0) samples.get(name)?.push(sample)
    }
    process.stderr.write(round === 0 ? 'warmed up\n' : `round ${round} of ${load.rounds}\n`)
  }
  return new Map([...samples].map(([name, list]) => [name, { samples: list, figures: figuresOf(list) }]))
}

function figuresOf(samples: readonly Sample[]): ThroughputFigures {
  return {
    requestsPerS: calculateRunStatistics(
      samples.map((sample) => sample.requestsPerS),
      0,
    ),
    requestsPerCpuS: calculateRunStatistics(
      samples.map((sample) => sample.requestsPerCpuS),
      0,
    ),
  }
}

/** Multiplies each sample of `ours` by `factor`, and divides it by the sample of `theirs` in the same round. */
export function calculateRatio(
  ours: readonly Sample[],
  theirs: readonly Sample[],
  figure: keyof Sample,
  factor = 1,
): RunStatistics {
  return calculateRunStatistics(
    ours.map((sample, round) => (factor * sample[figure]) / (theirs[round]?.[figure] ?? Number.NaN)),
  )
}

async function loadOnce(
  { url, pid }: ServerProcess,
  load: LoadGeneratorOptions,
  loadBy: LoadGenerator,
): Promise<Sample> {
  const before = cpuSecondsOf(pid)
  const { responses: results, seconds } = await loadBy(url, load)
  return { requestsPerS: results / seconds, requestsPerCpuS: results / (cpuSecondsOf(pid) - before) }
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
