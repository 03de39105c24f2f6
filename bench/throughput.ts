import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readFlags } from './read-flags.ts'
import type { RecordedResponse } from './bare-servers.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { calculateSpread, type Spread } from './statistics.ts'

const BARE_ANSWERS = fileURLToPath(new URL('./bare-servers.ts', import.meta.url))
/** Path and header fields of the repeated request. */
export const CHAT_PATH = '/v1/chat/completions'
export const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer sk-svc-touchstone-funded' }
/** Response header fields that Node adds by itself. */
const OWN_HEADERS = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

/** The repeated request. */
export interface Load {
  readonly body: object
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
}

/** Reads the load options from the command line, for requests with this body; `out` is the file for the JSON. */
export function readLoad(body: object): { readonly load: Load; readonly out: string | undefined } {
  const values = readFlags({
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '50' },
    out: { type: 'string' },
  })
  const load: Load = {
    body,
    connections: Number(values.connections),
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
  }
  return { load, out: values.out }
}

/** Throughput of a server whose responses were all 2xx. */
export interface Throughput {
  readonly answers: number
  readonly seconds: number
}

/** A load generator in its own process. Rejects if a response was not 2xx. */
export type LoadGenerator = (url: string, load: Load) => Promise<Throughput>

/** Figures of one server over all rounds. */
export interface Figures {
  readonly requestsPerS: Spread
  /**
   * Responses per second of the server's own CPU time, all threads included. Other processes on the machine hardly
   * change it.
   */
  readonly requestsPerCpuS: Spread
}

/** Figures of one round. */
interface Sample {
  readonly requestsPerS: number
  readonly requestsPerCpuS: number
}

/** Records the response of a server to the request, without the fields that Node adds; `cut` splits the body. */
export async function readResponse({ url }: ServerProcess, { body }: Load, cut: (text: string) => string[]) {
  const response = await fetch(url + CHAT_PATH, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN_HEADERS.has(name)))
  return { headers, parts: cut(await response.text()) } satisfies RecordedResponse
}

/** A server that sends the same bytes for every request. */
export function startBareResponses(
  kind: 'raw' | 'raw-events' | 'fastify',
  answer: RecordedResponse,
): Promise<ServerProcess> {
  return startServer([BARE_ANSWERS, kind, JSON.stringify(answer)])
}

/** Samples and figures, keyed by server, in the order of the load. */
export type Measured = ReadonlyMap<string, { readonly samples: readonly Sample[]; readonly figures: Figures }>

/** Loads one server after the other, round by round. The first round is a warm-up and does not count. */
export async function measureInTurns(
  servers: ReadonlyMap<string, ServerProcess>,
  load: Load,
  loadBy: LoadGenerator,
): Promise<Measured> {
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

function figuresOf(samples: readonly Sample[]): Figures {
  return {
    requestsPerS: calculateSpread(
      samples.map((sample) => sample.requestsPerS),
      0,
    ),
    requestsPerCpuS: calculateSpread(
      samples.map((sample) => sample.requestsPerCpuS),
      0,
    ),
  }
}

/** Divides each sample by the other server's sample of the same round. */
export function calculateRatio(
  ours: readonly Sample[],
  theirs: readonly Sample[],
  figure: keyof Sample,
  factor = 1,
): Spread {
  return calculateSpread(
    ours.map((sample, round) => (factor * sample[figure]) / (theirs[round]?.[figure] ?? Number.NaN)),
  )
}

async function loadOnce({ url, pid }: ServerProcess, load: Load, loadBy: LoadGenerator): Promise<Sample> {
  const before = cpuSecondsOf(pid)
  const { answers, seconds } = await loadBy(url, load)
  return { requestsPerS: answers / seconds, requestsPerCpuS: answers / (cpuSecondsOf(pid) - before) }
}

/** CPU time of a process so far, user and kernel; NaN on systems without Linux's /proc. */
function cpuSecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100 // ticks of 1/100 s on every Linux that Node supports
  } catch {
    return Number.NaN
  }
}
