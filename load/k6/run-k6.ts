import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
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
import type { LoadFinding } from '../findings/finding.ts'
import { HEADERS_VARIABLE, indexHeaders, KEY_OPTIONS, type LoadKeys } from '../options/load-options.ts'
import type { TextMask } from '../../common/secrets/text-mask.ts'
import { createLoadMask } from '../options/load-mask.ts'
import { OWN_GROUP, waitForExit } from './run-program.ts'
import { createTemporaryDirectory } from './temporary-directory.ts'

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
  /** The reason why there are no events, such as a full file system. */
  readonly eventsProblem?: string
  readonly exitCode: number | null
  /** The last message of k6, or the reason why its result cannot be read. */
  readonly message: string
  /** The path of k6, and the system's error code, if the system could not start it. */
  readonly notStarted?: { readonly path: string; readonly problem: string }
}

/** Runs k6 until it exits. If the caller aborts the signal, k6 ends early and still prints its result. */
export async function runK6(run: K6RunOptions): Promise<K6RunResult> {
  const created = run.keepsEvents ? await createTemporaryDirectory('touchstone-load-').catch(messageOf) : undefined
  using directory = typeof created === 'string' ? undefined : created
  const eventsPath = directory === undefined ? undefined : join(directory.path, 'events')
  const extension = {
    ...run.settings.extension,
    progressPath: STDOUT,
    endsWithStdin: true,
    ...(eventsPath === undefined ? {} : { eventsPath }),
  }
  const child = start(run, { ...run.settings, extension, resultPath: STDOUT })
  const printed = collectOutput(child, run)
  const { exitCode, problem } = await waitForExit(child, { signal: run.signal, stopWith: 'SIGINT' })
  const mask = createLoadMask({ keys: Object.values(run.keys), headers: run.headers })
  const read = await readResult(printed().result, eventsPath, mask)
  return {
    result: undefined,
    events: [],
    exitCode,
    message: lastMessage(mask.mask(printed().messages + (problem?.message ?? ''))),
    ...(problem === undefined ? {} : { notStarted: { path: run.k6, problem: problem.code ?? problem.message } }),
    ...(typeof created === 'string' ? { eventsProblem: created } : {}),
    ...read,
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the finding of a run whose events could not be written to its temporary directory. */
export function describeEventsProblem(problem: string): LoadFinding {
  return { code: 'events-not-written', params: { directory: tmpdir(), problem } }
}

/** Setting with which k6 writes to its standard output, which needs no space in a file system. */
const STDOUT = 'stdout'

/** Maximum number of characters that are kept of k6's messages. */
const MAX_MESSAGE_CHARACTERS = 10_000

/**
 * Collects the output of k6. Its standard output contains a line for each second, the result, and messages.
 * @returns a function that returns the line with the result, and the last messages
 */
function collectOutput(
  child: ChildProcess,
  { onProgress }: Pick<K6RunOptions, 'onProgress'>,
): () => { readonly result: string; readonly messages: string } {
  let [result, messages, rest] = ['', '', '']
  const addMessage = (text: string) => (messages = (messages + text).slice(-MAX_MESSAGE_CHARACTERS))
  const readLine = (line: string): void => {
    if (line.startsWith('{"atS":')) {
      const progress = readProgress(line)
      if (progress !== undefined) onProgress?.(progress)
    } else if (/,"sha256":"[\da-f]{64}"\}$/.test(line)) result = line
    else addMessage(`${line}\n`)
  }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(readLine)
  })
  child.stderr?.setEncoding('utf8').on('data', addMessage)
  return () => ({ result, messages: messages + rest.slice(-MAX_MESSAGE_CHARACTERS) })
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
 * Reads the result of k6 and the events file. Masks secrets in the examples of violations, the only text of the target
 * in these files that a document contains.
 */
async function readResult(
  text: string,
  eventsPath: string | undefined,
  mask: TextMask,
): Promise<Partial<Pick<K6RunResult, 'result' | 'events' | 'eventsProblem' | 'message'>>> {
  if (text === '') return {}
  try {
    const result = maskExamples(readExtensionResult(JSON.parse(text)), mask)
    if (result.eventsProblem !== undefined) return { result, eventsProblem: result.eventsProblem }
    if (eventsPath === undefined) return { result }
    const events = (await readFile(eventsPath, 'utf8')).split('\n').filter((line) => line !== '')
    return { result, events: events.map((line) => parseWithSchema(EVENTS_LINE_SCHEMA, JSON.parse(line), 'events')) }
  } catch (error) {
    return { message: messageOf(error) }
  }
}

function maskExamples(result: ExtensionResult, mask: TextMask): ExtensionResult {
  const { violations } = result.validation
  const examples = mask.maskJson(violations.map(({ example }) => example))
  const masked = violations.map((violation, index) => ({ ...violation, example: examples[index] ?? '' }))
  return { ...result, validation: { ...result.validation, violations: masked } }
}

/**
 * Starts k6 with a pipe as standard input. Nothing is written to the pipe. The system closes it if this process is
 * killed, and k6 then stops.
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
    ...OWN_GROUP,
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

/** Returns the last message in the output of k6, without the stack trace that may follow it. */
function lastMessage(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const sentence = lines.findLast((line) => line !== '' && !line.startsWith('at ')) ?? ''
  return (/msg="(.*)"$/.exec(sentence)?.[1] ?? sentence).slice(0, 300)
}
