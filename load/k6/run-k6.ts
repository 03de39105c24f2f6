import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { RequestHeader, RunSegment } from '../../scenarios/lib/option-values.ts'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import {
  EVENTS_LINE_SCHEMA,
  type EventsResult,
  type ExtensionResult,
  PROGRESS_SCHEMA,
  type ProgressResult,
  parseWithSchema,
  readExtensionResult,
} from '../../scenarios/lib/extension-result.ts'
import type { TextMask } from '../../common/secrets/text-mask.ts'
import { createLoadMask } from '../options/load-mask.ts'
import { HEADERS_VARIABLE, indexHeaders, KEY_OPTIONS, type LoadKeys } from '../options/load-options.ts'

const SCENARIOS = fileURLToPath(new URL('../../scenarios', import.meta.url))
// Suffix of the scripts, equal to that of this file. The package contains compiled versions of the scripts and of this
// file.
const SUFFIX = extname(fileURLToPath(import.meta.url))

export interface K6RunOptions {
  readonly k6: string
  /** Name of the script without its suffix. */
  readonly scenario: string
  readonly settings: LoadSettings
  readonly keys: LoadKeys
  readonly headers?: readonly RequestHeader[]
  readonly segment?: RunSegment | undefined
  /** Whether k6 records the time of each event, for the comparison with the target's record. */
  readonly keepsEvents: boolean
  readonly k6Options?: readonly string[]
  /** Path of a PEM file with trusted certificates. */
  readonly ca?: string | undefined
  readonly signal: AbortSignal
  onProgress?(progress: ProgressResult): void
}

export interface K6RunResult {
  /** Result of the run, or undefined if k6 wrote no valid result. */
  readonly result: ExtensionResult | undefined
  readonly events: readonly EventsResult[]
  readonly exitCode: number | null
  /** The last message of k6, or the reason why its result cannot be read. */
  readonly message: string
  /** The path of k6, and the system's error code, if the system could not start it. */
  readonly notStarted?: { readonly path: string; readonly problem: string }
}

/** Runs k6 until it exits. If the caller aborts the signal, k6 ends early and still writes its result. */
export async function runK6(run: K6RunOptions): Promise<K6RunResult> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-load-'))
  const progressPath = join(directory, 'progress')
  const eventsPath = join(directory, 'events')
  const resultPath = join(directory, 'result')
  try {
    const extension = {
      ...run.settings.extension,
      progressPath,
      endsWithStdin: true,
      ...(run.keepsEvents ? { eventsPath } : {}),
    }
    const child = start(run, { ...run.settings, extension, resultPath })
    const stop = followLines(progressPath, (line) => {
      const progress = readProgress(line)
      if (progress !== undefined) run.onProgress?.(progress)
    })
    const { exitCode, output, startProblem } = await waitForExit(child, run.signal)
    await stop()
    const mask = createLoadMask({ keys: Object.values(run.keys), headers: run.headers })
    const read = await readFiles(resultPath, eventsPath, mask)
    return {
      result: undefined,
      events: [],
      exitCode,
      message: lastMessage(mask.mask(output)),
      ...(startProblem === undefined ? {} : { notStarted: { path: run.k6, problem: startProblem } }),
      ...read,
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/**
 * Parses a progress line. Returns undefined for a line in the format of a different version. Reading the final result
 * reports the difference.
 */
function readProgress(line: string): ProgressResult | undefined {
  try {
    return parseWithSchema(PROGRESS_SCHEMA, JSON.parse(line), 'progress')
  } catch {
    return undefined
  }
}

/**
 * Reads the files that k6 wrote. Masks secrets in the examples of violations, the only text of the target in these files
 * that a document contains.
 */
async function readFiles(
  resultPath: string,
  eventsPath: string,
  mask: TextMask,
): Promise<Partial<Pick<K6RunResult, 'result' | 'events' | 'message'>>> {
  const text = await readFile(resultPath, 'utf8').catch(() => '')
  const lines = await readFile(eventsPath, 'utf8').catch(() => '')
  if (text === '') return {}
  try {
    const events = lines.split('\n').filter((line) => line !== '')
    return {
      result: maskExamples(readExtensionResult(JSON.parse(text)), mask),
      events: events.map((line) => parseWithSchema(EVENTS_LINE_SCHEMA, JSON.parse(line), 'events')),
    }
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}

function maskExamples(result: ExtensionResult, mask: TextMask): ExtensionResult {
  const { violations } = result.oracle
  const examples = mask.maskJson(violations.map(({ example }) => example))
  const masked = violations.map((violation, index) => ({ ...violation, example: examples[index] ?? '' }))
  return { ...result, oracle: { ...result.oracle, violations: masked } }
}

/**
 * Starts k6 with a pipe as standard input. Nothing is written to the pipe. The system closes it if this process is
 * killed, and k6 then stops. k6 has its own process group. Otherwise, the terminal would send Ctrl-C to k6 directly, and
 * a second signal would end k6 without a result.
 */
function start(
  { k6, scenario, keys, headers = [], segment, ca, k6Options = [] }: K6RunOptions,
  settings: LoadSettings,
): ChildProcess {
  const args = ['run', '--quiet', '--no-color', '--no-usage-report', '--log-format', 'raw', ...segmentArgs(segment)]
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TOUCHSTONE_'))
  return spawn(k6, [...args, ...k6Options, join(SCENARIOS, `${scenario}${SUFFIX}`)], {
    env: {
      ...Object.fromEntries(own),
      // Prevents k6 from downloading extensions. The binary contains all modules that the script imports.
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      // Go reads trusted CA certificates from this file on Linux; on other systems it uses the system's trust store.
      ...(ca === undefined ? {} : { SSL_CERT_FILE: ca }),
      ...keyVariables(keys),
      [HEADERS_VARIABLE]: JSON.stringify(indexHeaders(headers)),
      TOUCHSTONE_LOAD: JSON.stringify(settings),
    },
    detached: true,
    // On Windows, a detached process would open a console window.
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Returns environment variables that contain the keys. Keys are never passed in arguments or files. */
function keyVariables(keys: LoadKeys): Record<string, string> {
  return Object.fromEntries(
    (['funded', 'limited', 'small'] as const).flatMap((role) => {
      const key = keys[role]
      return key === undefined ? [] : [[KEY_OPTIONS[role].env, key]]
    }),
  )
}

/** Builds the k6 arguments for a segment. k6 divides the VUs equally among all segments. */
function segmentArgs(segment: K6RunOptions['segment']): string[] {
  if (segment === undefined || segment.count === 1) return []
  const { index, count } = segment
  const edge = (at: number) => (at === 0 ? '0' : at === count ? '1' : `${at}/${count}`)
  const edges = Array.from({ length: count + 1 }, (_, at) => edge(at))
  return [`--execution-segment=${edge(index)}:${edge(index + 1)}`, `--execution-segment-sequence=${edges.join(',')}`]
}

async function waitForExit(
  child: ChildProcess,
  signal: AbortSignal,
): Promise<{ exitCode: number | null; output: string; startProblem?: string }> {
  let output = ''
  let startProblem: string | undefined
  const listen = (data: Buffer) => (output = (output + data.toString()).slice(-10_000))
  child.stdout?.on('data', listen)
  child.stderr?.on('data', listen)
  const interrupt = () => child.kill('SIGINT')
  const end = () => child.kill('SIGKILL')
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt)
  process.on('exit', end)
  const exitCode = await new Promise<number | null>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      output += error.message
      if (child.pid === undefined) startProblem = error.code ?? error.message
      resolve(null)
    })
    child.on('close', resolve)
  })
  signal.removeEventListener('abort', interrupt)
  process.off('exit', end)
  return { exitCode, output, ...(startProblem === undefined ? {} : { startProblem }) }
}

/** Returns the last message in the output of k6, without the stack trace that may follow it. */
function lastMessage(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const sentence = lines.findLast((line) => line !== '' && !line.startsWith('at ')) ?? ''
  return (/msg="(.*)"$/.exec(sentence)?.[1] ?? sentence).slice(0, 300)
}

const POLL_MS = 200

/**
 * Calls `onLine` for each line that is appended to a file, which may not exist yet.
 * @returns a function that reads the remaining lines and stops watching the file
 */
export function followLines(path: string, onLine: (line: string) => void): () => Promise<void> {
  const ending = new AbortController()
  let offset = 0
  let rest = ''
  const readToEnd = async (): Promise<void> => {
    const file = await open(path).catch(() => undefined)
    if (file === undefined) return
    try {
      const { size } = await file.stat()
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - offset), position: offset })
      offset += bytesRead
      const lines = (rest + buffer.subarray(0, bytesRead).toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    } finally {
      await file.close()
    }
  }
  const following = (async () => {
    while (!ending.signal.aborted) {
      await readToEnd()
      await wait(POLL_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
    await readToEnd()
  })()
  return () => {
    ending.abort()
    return following
  }
}
