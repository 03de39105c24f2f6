import { sha256 } from 'k6/crypto'
import { SharedArray } from 'k6/data'
import exec from 'k6/execution'
import { plan, ready, setUp, warmUp, type Plan, type Turn } from 'k6/x/touchstone'
import type { Options } from 'k6/options'
import { buildOptions, countStartingVus } from './build-options.ts'
import type { LoadSettings, PromptFile } from './load-settings.ts'
import { parseHeaders, parseSettings } from './parse-settings.ts'
import { addWarmUp, planArrivals } from './plan-arrivals.ts'
import { type FilePrompt, orderPrompts, parsePrompts } from './prompt-file.ts'

export interface LoadScenario {
  readonly scenario: string
  readonly settings: LoadSettings
  readonly options: Options
  /** Planned arrivals, or null for a closed loop. */
  readonly plan: Plan | null
  /** Requests of the prompts file. Empty without a file. */
  readonly prompts: readonly FilePrompt[]
}

export interface RequestTask {
  /** Index that is unique in the run, across all processes. */
  readonly index: number
  /** Token counts of the request in the trace, or null without a trace. */
  readonly promptTokens: number | null
  readonly outputTokens: number | null
  /** Whether the measurement excludes the request. */
  readonly isWarmUp: boolean
  /** The planned arrival of the request; absent in a closed loop. */
  readonly turn?: Turn
}

/**
 * Reads the settings and plans the arrivals. Call it only in k6's init context.
 * @param adjust overrides settings with values that the scenario requires
 */
export function prepareScenario(
  scenario: string,
  adjust: (settings: LoadSettings) => LoadSettings = (settings) => settings,
): LoadScenario {
  const given = resultOrProblem(() => adjust(parseSettings(__ENV)))
  if (typeof given === 'string') return abortRun(given)
  const prompts = readPromptFile(given)
  const settings =
    given.prompts === undefined ? given : { ...given, prompts: describePromptFile(given.prompts, prompts) }
  const { warmUpS = 0 } = settings
  setUp({ ...settings.extension, vus: countStartingVus(settings), warmUpMs: 1000 * warmUpS })
  if (settings.arrivals === 'closed')
    return { scenario, settings, options: buildOptions(settings, null), plan: null, prompts }
  let lastAtMs = 0
  let problem: string | undefined
  // The extension calls this function once per process, when k6 reads the options and before it creates VUs.
  const arrivals = plan(() => {
    const planned = resultOrProblem(() => addWarmUp(planArrivals(settings, readTraceFile(settings)), settings))
    if (typeof planned === 'string') problem = planned
    else lastAtMs = planned.atMs.at(-1) ?? 0
    return typeof planned === 'string' ? { atMs: [] } : planned
  })
  if (problem !== undefined) abortRun(problem)
  const options = buildOptions(settings, { count: arrivals.count, lastAtMs })
  return { scenario, settings, options, plan: arrivals, prompts }
}

/** Reads the prompts file once per process. All VUs share its content. */
function readPromptFile({ prompts: file, seed }: LoadSettings): readonly FilePrompt[] {
  if (file === undefined) return []
  let problem: string | undefined
  const prompts = new SharedArray('prompts', () => {
    const parsed = resultOrProblem(() => orderPrompts(parsePrompts(openFile(file.path)), seed))
    if (typeof parsed === 'string') problem = parsed
    return typeof parsed === 'string' ? [] : parsed
  })
  return problem === undefined ? prompts : abortRun(`The prompts file ${file.path} is invalid: ${problem}`)
}

/** Completes the description of a prompts file, by which the segments of a run are compared. */
function describePromptFile({ path }: PromptFile, { length }: readonly FilePrompt[]): PromptFile {
  const [digest] = new SharedArray('digest of the prompts', () => [sha256(openFile(path), 'hex')])
  return { path, requests: length, ...(digest === undefined ? {} : { sha256: digest }) }
}

function readTraceFile({ arrivals, tracePath }: LoadSettings): string | undefined {
  return arrivals === 'trace' && tracePath !== undefined ? openFile(tracePath) : undefined
}

function openFile(path: string): string {
  try {
    return open(path)
  } catch {
    throw new Error(`The file ${path} cannot be read: name a file of JSON lines by its absolute path.`)
  }
}

/** Whether this VU has already checked that k6 started the run before the agreed start time. */
let isStartChecked = false

/** Whether this VU has sent all its warm-up requests of a closed loop. */
let isWarm = false

/**
 * Index of the first warm-up request of a closed loop, which is higher than the index of any other request.
 */
const FIRST_WARM_UP_INDEX = 1_000_000_000

/** Runs an iteration: sends the next request. In the warm-up of a closed loop, first sends requests until its end. */
export function runIteration(load: LoadScenario, send: (task: RequestTask) => void): void {
  for (let task = takeNextTask(load); task !== null; task = takeNextTask(load)) {
    send(task)
    if (!task.isWarmUp) return
  }
}

/**
 * Waits until the next planned request is due. Returns null after the last one. In a closed loop, only the first call
 * of a VU waits, until all VUs are running. Ends the run if k6 started it after the agreed start time, because all
 * overdue requests would be sent at once.
 */
export function takeNextTask({ plan: arrivals, settings }: LoadScenario): RequestTask | null {
  if (!isStartChecked) checkAgreedStart(settings)
  isStartChecked = true
  if (arrivals === null) {
    ready()
    const further = isWarm || settings.warmUpS === undefined ? null : warmUp()
    isWarm = further === null
    const index = further === null ? exec.scenario.iterationInTest : FIRST_WARM_UP_INDEX + further
    return { index, promptTokens: null, outputTokens: null, isWarmUp: !isWarm }
  }
  const turn = arrivals.next()
  if (turn === null) return null
  const { index, promptTokens, outputTokens, isWarmUp } = turn
  return { index, promptTokens, outputTokens, isWarmUp, turn }
}

function checkAgreedStart({ extension: { startAtUnixMs } }: LoadSettings): void {
  const { startTime } = exec.scenario
  if (startAtUnixMs === undefined || startTime <= startAtUnixMs) return
  const start = new Date(startAtUnixMs).toISOString()
  const lateS = Math.ceil((startTime - startAtUnixMs) / 1000)
  abortRun(`The start ${start} passed ${lateS} s before this run was ready: choose a later time.`)
}

/**
 * Reads an API key from the environment. Returns undefined without `TOUCHSTONE_KEY`, because a service may have no keys.
 * Ends the run with an error message if one of the other keys is missing.
 */
export function readKey(
  name: 'TOUCHSTONE_KEY' | 'TOUCHSTONE_KEY_LIMITED' | 'TOUCHSTONE_KEY_SMALL',
): string | undefined {
  const key = __ENV[name]
  if (key !== undefined && key !== '') return key
  return name === 'TOUCHSTONE_KEY' ? undefined : abortRun(`${name} must be set to an API key of the service.`)
}

/** Reads the user's additional headers from the environment. Ends the run with an error message if they are invalid. */
export function readHeaders(): Readonly<Record<string, string>> {
  const headers = resultOrProblem(() => parseHeaders(__ENV['TOUCHSTONE_HEADERS']))
  return typeof headers === 'string' ? abortRun(headers) : headers
}

/** Ends the run before its first request, with an error message of one sentence and no stack trace. */
export function abortRun(sentence: string): never {
  exec.test.abort(sentence)
  throw new Error(sentence) // The compiler requires this statement; `abort` does not return.
}

/** Calls a function. Returns its value, or the message of the error that it throws. */
function resultOrProblem<Value extends object>(make: () => Value): Value | string {
  try {
    return make()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
