import { readFile } from 'node:fs/promises'
import { readEmulatorOptions } from './read-emulator-options.ts'
import {
  type Budget,
  type EmbeddedTarget,
  type LoadOptions,
  LoadUsageError,
  parseBudget,
  parseBudgetFile,
  type ProfileName,
} from '../load/run-load.ts'

/** The flags of `touchstone load` as commander gives them, environment included. */
export interface LoadFlags {
  readonly target?: string
  readonly key?: string
  readonly limitedKey?: string
  readonly smallKey?: string
  readonly scenario: string
  readonly profile: ProfileName
  readonly arrivals?: 'constant' | 'poisson' | 'closed' | 'trace'
  readonly trace?: string
  readonly vus?: number
  readonly rate?: number
  readonly duration?: number
  readonly iterations?: number
  readonly seed: number
  readonly model?: readonly string[]
  readonly maxTokens: number
  readonly promptWords: number
  readonly weights?: Readonly<Record<string, number>>
  readonly limit?: NonNullable<LoadOptions['limit']>
  readonly smallBalance?: string
  readonly budget?: readonly string[]
  readonly budgets?: string
  readonly maxCredits?: string
  readonly yes?: true
  readonly countPrompts?: true
  readonly contentPath?: string
  readonly streamUsage: boolean
  readonly echo?: true
  readonly ca?: string
  readonly insecure?: true
  readonly segment?: NonNullable<LoadOptions['segment']>
  readonly startAt?: number
  readonly calibration: boolean
  readonly k6?: string
  readonly timeoutMs: number
  readonly out: string
  readonly json?: true
  readonly dryRun?: true
}

/** Flags as options of a run. @throws LoadUsageError when a budget, a model or a file cannot be read */
export async function loadOptions(flags: LoadFlags, k6Options: readonly string[]): Promise<LoadOptions> {
  const { target, key, limitedKey, smallKey, duration, model = [], startAt, calibration } = flags
  const { arrivals, trace, vus, rate, iterations, weights, limit, smallBalance, maxCredits, contentPath, segment, k6 } =
    flags
  return {
    scenario: flags.scenario,
    profile: flags.profile,
    // A variable of the environment that is empty says nothing.
    keys: defined({ funded: key || undefined, limited: limitedKey || undefined, small: smallKey || undefined }),
    seed: flags.seed,
    models: modelsOf(model),
    maxTokens: flags.maxTokens,
    promptWords: flags.promptWords,
    budgets: await budgetsOf(flags),
    calibrates: calibration,
    timeoutMs: flags.timeoutMs,
    k6Options,
    ...defined({
      target,
      arrivals,
      trace,
      vus,
      rate,
      iterations,
      weights,
      limit,
      smallBalance,
      maxCredits,
      contentPath,
      segment,
      k6: k6 || undefined,
    }),
    ...defined({ durationS: duration, startAtUnixMs: startAt, countsPrompts: flags.countPrompts }),
    ...defined({ asksForEcho: flags.echo, ca: flags.ca, skipsTlsCheck: flags.insecure }),
    ...(flags.streamUsage ? {} : { asksForUsage: false }),
  }
}

/** Without the members that are undefined. */
function defined<Values extends object>(values: Values): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  // What is left of `Values` when undefined is filtered out, which `fromEntries` cannot know.
  return Object.fromEntries(entries) as { [Name in keyof Values]?: Exclude<Values[Name], undefined> }
}

async function budgetsOf({ budget = [], budgets }: LoadFlags): Promise<Budget[]> {
  const given = budget.map(parseBudget)
  if (budgets === undefined) return given
  const text = await readFile(budgets, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new LoadUsageError(`--budgets ${budgets} cannot be read (${error.code ?? error.message}): name a file.`)
  })
  return [...parseBudgetFile(text), ...given]
}

const MODEL_OPERATIONS = ['chat', 'images', 'transcriptions', 'speech'] as const

/** `images=vendorc-4o`, or a model for everything. */
function modelsOf(given: readonly string[]): LoadOptions['models'] {
  const models: Partial<Record<(typeof MODEL_OPERATIONS)[number], string>> = {}
  for (const text of given) {
    const [name, model] = text.includes('=') ? text.split('=', 2) : [undefined, text]
    const operation = MODEL_OPERATIONS.find((known) => known === name)
    if (model === undefined || model === '' || (name !== undefined && operation === undefined)) {
      throw new LoadUsageError(
        `--model ${text} cannot be read: write MODEL, or one of ${MODEL_OPERATIONS.join(', ')} before it, like images=MODEL.`,
      )
    }
    for (const each of operation === undefined ? MODEL_OPERATIONS : [operation]) models[each] = model
  }
  return models
}

/** What is kept of answers, so that all of a run can be compared: as much as the timing record keeps. */
const JOURNAL = { entries: 50_000, bytes: 128 * 1024 * 1024, digests: 1 }

const WARM_UP_STREAMS = 30

/** Starts an emulator in this process, with settings from the environment. `latency` as its flag takes it. */
export async function startEmbedded(latency?: string): Promise<EmbeddedTarget> {
  // Loaded here only: a run against a deployment that is not calibrated has no use for it.
  const { readOptions, startEmulator } = await import('../emulator/start-emulator.ts')
  const { options } = readEmulatorOptions({}, process.env)
  const read = readOptions([['latency', latency ?? process.env['TOUCHSTONE_EMULATOR_LATENCY'] ?? 'fast']])
  const { url, keys, close } = await startEmulator({
    ...options,
    ...read,
    port: 0,
    host: '127.0.0.1',
    journal: JOURNAL,
  })
  await warmUp(url, keys.funded)
  return {
    url,
    keys: { funded: keys.funded, limited: keys.limited, small: keys.small },
    limit: { requests: 60, windowS: 60, burst: 5, obey: false },
    smallBalance: '1',
    close,
  }
}

/** Some streams at once before anything is measured: the first ones are as slow as a cold program. */
async function warmUp(url: string, key: string): Promise<void> {
  const body = JSON.stringify({
    model: 'vendora-v4-flash',
    messages: [{ role: 'user', content: 'warm' }],
    max_tokens: 8,
    stream: true,
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const one = async () => (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  await Promise.all(Array.from({ length: WARM_UP_STREAMS }, one))
}
