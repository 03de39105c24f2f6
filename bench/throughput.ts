import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readFlags } from './read-flags.ts'
import type { BareAnswer } from './bare-answers.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { spreadOf, type Spread } from './statistics.ts'

const BARE_ANSWERS = fileURLToPath(new URL('./bare-answers.ts', import.meta.url))
/** Of the request that is sent again and again: where to, and its header fields. */
export const CHAT_PATH = '/v1/chat/completions'
export const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer sk-svc-touchstone-funded' }
/** Of header fields, those that Node gives each answer of itself. */
const OWN_HEADERS = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

/** What is sent again and again. */
export interface Load {
  readonly body: object
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
}

/** The load that the command line asks for, of requests with this body; `out` is the file for the JSON. */
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

/** What a server gave under load, all of it answers with 2xx. */
export interface Answered {
  readonly answers: number
  readonly seconds: number
}

/** A program that loads a server for some seconds, in a process of its own; rejects where anything else came. */
export type LoadGenerator = (url: string, load: Load) => Promise<Answered>

/** What one server came to, over the rounds. */
export interface Figures {
  readonly requestsPerS: Spread
  /** By the CPU time that the server itself used, in all its threads: what others do on the machine hardly matters to it. */
  readonly requestsPerCpuS: Spread
}

/** What one round gave. */
interface Sample {
  readonly requestsPerS: number
  readonly requestsPerCpuS: number
}

/** What a server answers to the request of a load, without what Node adds; `cut` parts the body. */
export async function seeAnswer({ url }: ServerProcess, { body }: Load, cut: (text: string) => string[]) {
  const response = await fetch(url + CHAT_PATH, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN_HEADERS.has(name)))
  return { headers, parts: cut(await response.text()) } satisfies BareAnswer
}

/** A server that gives the same bytes to everybody: see bare-answers.ts. */
export function startBareAnswers(kind: 'raw' | 'raw-events' | 'fastify', answer: BareAnswer): Promise<ServerProcess> {
  return startServer([BARE_ANSWERS, kind, JSON.stringify(answer)])
}

/** Samples and figures by name of the server, in the order in which they were loaded. */
export type Measured = ReadonlyMap<string, { readonly samples: readonly Sample[]; readonly figures: Figures }>

/** Loads one server after the other, round by round, after a round for warming up that does not count. */
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
    requestsPerS: spreadOf(
      samples.map((sample) => sample.requestsPerS),
      0,
    ),
    requestsPerCpuS: spreadOf(
      samples.map((sample) => sample.requestsPerCpuS),
      0,
    ),
  }
}

/** Each sample of one by that of the other of the same round. */
export function ratioOf(ours: readonly Sample[], theirs: readonly Sample[], figure: keyof Sample, factor = 1): Spread {
  return spreadOf(ours.map((sample, round) => (factor * sample[figure]) / (theirs[round]?.[figure] ?? Number.NaN)))
}

async function loadOnce({ url, pid }: ServerProcess, load: Load, loadBy: LoadGenerator): Promise<Sample> {
  const before = cpuSecondsOf(pid)
  const { answers, seconds } = await loadBy(url, load)
  return { requestsPerS: answers / seconds, requestsPerCpuS: answers / (cpuSecondsOf(pid) - before) }
}

/** CPU time of a process so far, user and kernel; NaN where the system does not tell it as Linux does. */
function cpuSecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100 // ticks of a hundredth, on every Linux that Node runs on
  } catch {
    return Number.NaN
  }
}
