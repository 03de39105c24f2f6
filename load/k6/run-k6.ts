import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import type { EventsResult, ExtensionResult, ProgressResult } from '../../scenarios/lib/extension-result.ts'
import { followLines } from './follow-lines.ts'
import { keyRemover } from './redact-keys.ts'

const SCENARIOS = fileURLToPath(new URL('../../scenarios', import.meta.url))
// What this file is compiled to in the package, the scripts are, too.
const SUFFIX = extname(fileURLToPath(import.meta.url))

/** Keys by the variable that hands them to a script: in no argument, and in no file. */
export type Keys = Readonly<
  Partial<Record<'TOUCHSTONE_KEY' | 'TOUCHSTONE_KEY_LIMITED' | 'TOUCHSTONE_KEY_SMALL', string>>
>

/** One run of k6. */
export interface K6Run {
  readonly k6: string
  /** Name of the script without its suffix. */
  readonly scenario: string
  readonly settings: LoadSettings
  readonly keys: Keys
  readonly segment?: { readonly index: number; readonly count: number } | undefined
  /** True: the time of each event is kept, and given in the end. */
  readonly keepsEvents: boolean
  readonly k6Options?: readonly string[]
  /** File of certificates that are trusted, PEM. */
  readonly ca?: string | undefined
  readonly signal: AbortSignal
  onProgress?(progress: ProgressResult): void
}

/** What became of it. */
export interface K6End {
  /** Undefined: k6 ended without telling anything. */
  readonly result: ExtensionResult | undefined
  readonly events: readonly EventsResult[]
  readonly exitCode: number | null
  /** The last line that k6 wrote about itself. */
  readonly lastWords: string
}

/** Runs k6 to its end. An aborted signal asks it once to end early; it then still tells what it has. */
export async function runK6(run: K6Run): Promise<K6End> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-load-'))
  const progressPath = join(directory, 'progress')
  const eventsPath = join(directory, 'events')
  const resultPath = join(directory, 'result')
  try {
    const extension = {
      ...run.settings.extension,
      progressPath,
      ...(run.keepsEvents ? { eventsPath } : {}),
    }
    const child = start(run, { ...run.settings, extension, resultPath })
    // The type of the line is what the extension writes.
    const stop = followLines(progressPath, (line) => run.onProgress?.(JSON.parse(line) as ProgressResult))
    const { exitCode, said } = await waitFor(child, run.signal)
    await stop()
    const text = await readFile(resultPath, 'utf8').catch(() => '')
    const lines = await readFile(eventsPath, 'utf8').catch(() => '')
    const withoutKeys = keyRemover(run.keys)
    const tell = (_name: string, value: unknown) => (typeof value === 'string' ? withoutKeys(value) : value)
    return {
      // Both were written by the extension a moment ago, from these shapes.
      result: text === '' ? undefined : (JSON.parse(text, tell) as ExtensionResult),
      events: lines
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as EventsResult),
      exitCode,
      lastWords: lastSentence(withoutKeys(said)),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A process group of its own: Ctrl-C in a terminal would reach it beside our own signal, and a second one cuts it short. */
function start({ k6, scenario, keys, segment, ca, k6Options = [] }: K6Run, settings: LoadSettings): ChildProcess {
  const args = ['run', '--quiet', '--no-color', '--no-usage-report', '--log-format', 'raw', ...segmentArgs(segment)]
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TOUCHSTONE_'))
  return spawn(k6, [...args, ...k6Options, join(SCENARIOS, `${scenario}${SUFFIX}`)], {
    env: {
      ...Object.fromEntries(own),
      // All that the script imports is in the binary: nothing is to be fetched.
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      // Go reads it on Linux; elsewhere it asks the system.
      ...(ca === undefined ? {} : { SSL_CERT_FILE: ca }),
      ...keys,
      TOUCHSTONE_LOAD: JSON.stringify(settings),
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Equal parts, of which k6 gives this process its VUs. */
function segmentArgs(segment: K6Run['segment']): string[] {
  if (segment === undefined || segment.count === 1) return []
  const { index, count } = segment
  const edge = (at: number) => (at === 0 ? '0' : at === count ? '1' : `${at}/${count}`)
  const edges = Array.from({ length: count + 1 }, (_, at) => edge(at))
  return [`--execution-segment=${edge(index)}:${edge(index + 1)}`, `--execution-segment-sequence=${edges.join(',')}`]
}

async function waitFor(child: ChildProcess, signal: AbortSignal): Promise<{ exitCode: number | null; said: string }> {
  let said = ''
  const listen = (data: Buffer) => (said = (said + data.toString()).slice(-10_000))
  child.stdout?.on('data', listen)
  child.stderr?.on('data', listen)
  const interrupt = () => child.kill('SIGINT')
  const end = () => child.kill('SIGKILL')
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt)
  process.on('exit', end)
  const exitCode = await new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      said += error.message
      resolve(null)
    })
    child.on('close', resolve)
  })
  signal.removeEventListener('abort', interrupt)
  process.off('exit', end)
  return { exitCode, said }
}

/** The last line that says something: places in sources follow what went wrong. */
function lastSentence(said: string): string {
  const lines = said.split('\n').map((line) => line.trim())
  const sentence = lines.findLast((line) => line !== '' && !line.startsWith('at ')) ?? ''
  return (/msg="(.*)"$/.exec(sentence)?.[1] ?? sentence).slice(0, 300)
}
