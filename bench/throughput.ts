import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Result } from 'autocannon'
import type { BareAnswer } from './bare-answers.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { spreadOf, type Spread } from './statistics.ts'

const AUTOCANNON = fileURLToPath(import.meta.resolve('autocannon'))
const BARE_ANSWERS = fileURLToPath(new URL('./bare-answers.ts', import.meta.url))
const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer sk-svc-touchstone-funded' }
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
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '4' },
      connections: { type: 'string', default: '50' },
      out: { type: 'string' },
    },
  })
  const load: Load = {
    body,
    connections: Number(values.connections),
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
  }
  return { load, out: values.out }
}

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
  const response = await fetch(`${url}/v1/chat/completions`, {
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
export async function measureInTurns(servers: ReadonlyMap<string, ServerProcess>, load: Load): Promise<Measured> {
  const samples = new Map<string, Sample[]>([...servers.keys()].map((name) => [name, []]))
  for (let round = 0; round <= load.rounds; round += 1) {
    for (const [name, server] of servers) {
      const sample = await loadOnce(server, load)
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

/** Autocannon, in a process of its own, for some seconds. */
async function loadOnce({ url, pid }: ServerProcess, { body, connections, seconds }: Load): Promise<Sample> {
  const before = cpuSecondsOf(pid)
  const fields = Object.entries(HEADERS).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const numbers = ['-c', String(connections), '-d', String(seconds)]
  const request = ['-m', 'POST', ...fields, '-b', JSON.stringify(body), `${url}/v1/chat/completions`]
  const child = spawn(process.execPath, [AUTOCANNON, '--json', ...numbers, ...request], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  child.stdout.on('data', (data: Buffer) => (said += data.toString()))
  await once(child, 'close')
  const { requests, errors, timeouts, non2xx, duration } = JSON.parse(said) as Result // as --json says
  if (errors + timeouts + non2xx > 0) throw new Error(`${url}: ${errors} errors, ${timeouts} late, ${non2xx} refused`)
  const cpuS = cpuSecondsOf(pid) - before
  return { requestsPerS: requests.total / duration, requestsPerCpuS: requests.total / cpuS }
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
