import { readFile } from 'node:fs/promises'
import { resolve as resolvePath } from 'node:path'
import { CHEAPEST_MODEL, unitsFromCredits } from '../../scenarios/lib/credits.ts'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import { type Arrivals, planArrivals } from '../../scenarios/lib/plan-arrivals.ts'
import { resolveProfile } from '../../scenarios/lib/profiles.ts'
import { readTrace } from '../../scenarios/lib/read-trace.ts'
import { type Budget, DEFAULT_BUDGET, TOKEN_METRICS } from '../verdict/budget.ts'
import { k6Thresholds } from '../verdict/k6-thresholds.ts'
import { requestLimits } from '../verdict/request-limits.ts'
import type { LoadOptions } from '../options/load-options.ts'
import { type Forecast, forecast } from '../credits/cost-estimate.ts'
import { LoadUsageError } from '../options/invalid-option-error.ts'
import { checkNeeds, checkSize } from './check-options.ts'
import { planVolume } from './planned-requests.ts'
import { type ScenarioFacts, SCENARIOS } from './scenarios.ts'

/** A run that is settled but for the address of its target. */
export interface ResolvedLoad {
  readonly options: LoadOptions
  readonly facts: ScenarioFacts
  readonly budgets: readonly Budget[]
  /** What the script is told; `target` is filled in when it is known. */
  readonly settings: LoadSettings
  /** Empty for a closed loop. */
  readonly arrivals: Arrivals
  readonly forecast: Forecast
}

/** Settles what a run does. @throws LoadUsageError where something that was asked for cannot be */
export async function resolveLoad(options: LoadOptions): Promise<ResolvedLoad> {
  const facts = Object.hasOwn(SCENARIOS, options.scenario) ? SCENARIOS[options.scenario] : undefined
  if (facts === undefined) {
    throw new LoadUsageError(
      `There is no scenario "${options.scenario}": there are ${Object.keys(SCENARIOS).join(', ')}.`,
    )
  }
  const budgets = options.budgets.length === 0 ? [DEFAULT_BUDGET] : options.budgets
  checkBudgets(budgets, facts, options.scenario)
  checkNeeds(options)
  const trace = options.trace === undefined ? undefined : await readTraceFile(options.trace)
  const settings = settingsOf(options, budgets, trace)
  checkSize(settings, options.segment?.count ?? 1)
  const arrivals = trace ?? planArrivals(settings, undefined)
  return { options, facts, budgets, settings, arrivals, forecast: forecastOf(options, settings, arrivals) }
}

function forecastOf({ scenario, smallBalance }: LoadOptions, settings: LoadSettings, arrivals: Arrivals): Forecast {
  const volume = planVolume(scenario, settings, arrivals)
  if (scenario !== 'credit-drain') return forecast(volume)
  const units = unitsFromCredits(smallBalance ?? '') ?? null
  return { ...volume, prompts: 'bounded', units, note: 'It spends all that the small account has.' }
}

async function readTraceFile(path: string): Promise<Arrivals> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new LoadUsageError(
      `--trace ${path} cannot be read (${error.code ?? error.message}): name a file of JSON lines.`,
    )
  })
  try {
    return readTrace(text)
  } catch (error) {
    throw new LoadUsageError(`--trace ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function checkBudgets(budgets: readonly Budget[], { operations }: ScenarioFacts, scenario: string): void {
  for (const budget of budgets) {
    if (budget.operation !== null && !operations.includes(budget.operation)) {
      throw new LoadUsageError(
        `A budget is on ${budget.operation}, and the scenario ${scenario} sends none: it sends ${operations.join(', ')}.`,
      )
    }
    if (budget.kind === 'latency' && TOKEN_METRICS.includes(budget.metric) && !operations.includes('chat-stream')) {
      throw new LoadUsageError(
        `A budget is on ${budget.metric}, and the scenario ${scenario} streams nothing: chat-stream and mixed do.`,
      )
    }
  }
}

function settingsOf(options: LoadOptions, budgets: readonly Budget[], trace: Arrivals | undefined): LoadSettings {
  const arrivals = arrivalsOf(options)
  const profile = resolveProfile(options.profile, { ...options, arrivals })
  const gapTrend = budgets.some((budget) => budget.kind === 'latency' && budget.metric === 'gap')
  const maxUnits = maxUnitsOf(options)
  const model = (operation: keyof LoadSettings['models']) => options.models[operation] ?? CHEAPEST_MODEL
  const { contentPath, weights, limit, smallBalance, startAtUnixMs, asksForUsage, asksForEcho, skipsTlsCheck } = options
  return {
    target: '',
    ...profile,
    // A trace has its own length, and no rate.
    ...(trace === undefined ? {} : { stages: [{ durationS: lengthOf(trace), from: 0, to: 0 }] }),
    seed: options.seed,
    models: {
      chat: model('chat'),
      images: model('images'),
      transcriptions: model('transcriptions'),
      speech: model('speech'),
    },
    maxTokens: options.maxTokens,
    promptWords: options.promptWords,
    ...(contentPath === undefined ? {} : { contentPath }),
    ...(asksForUsage === undefined ? {} : { asksForUsage }),
    ...(asksForEcho === undefined ? {} : { asksForEcho }),
    ...(skipsTlsCheck === undefined ? {} : { skipsTlsCheck }),
    ...(options.trace === undefined ? {} : { tracePath: resolvePath(options.trace) }),
    ...(weights === undefined ? {} : { weights }),
    ...(limit === undefined ? {} : { limit }),
    ...(smallBalance === undefined ? {} : { smallBalance }),
    timeoutMs: options.timeoutMs,
    thresholds: k6Thresholds(budgets),
    extension: {
      limits: requestLimits(budgets),
      ...(gapTrend ? { gapTrend } : {}),
      ...(startAtUnixMs === undefined ? {} : { startAtUnixMs }),
      ...(maxUnits === undefined ? {} : { maxUnits }),
    },
  }
}

/** Of several processes each keeps to its share, as none of them knows what the others spend. */
function maxUnitsOf({ maxCredits, segment }: LoadOptions): number | undefined {
  const most = unitsFromCredits(maxCredits ?? '')
  return most === undefined ? undefined : Math.floor(most / (segment?.count ?? 1))
}

/** Undefined: the profile decides. */
function arrivalsOf({
  arrivals,
  trace,
  rate,
  iterations,
  durationS,
}: LoadOptions): LoadSettings['arrivals'] | undefined {
  const isPlanned = (arrivals !== undefined && arrivals !== 'closed') || rate !== undefined || trace !== undefined
  if (arrivals === 'trace' && trace === undefined) throw new LoadUsageError('--arrivals trace needs --trace FILE.')
  if (trace !== undefined && arrivals !== undefined && arrivals !== 'trace') {
    throw new LoadUsageError(`--trace FILE goes with --arrivals trace, not with ${arrivals}.`)
  }
  if (trace !== undefined && rate !== undefined) {
    throw new LoadUsageError('--rate and --trace both say when requests go out: give one.')
  }
  if (arrivals === 'closed' && rate !== undefined) {
    throw new LoadUsageError(
      '--rate goes with planned arrivals: a closed loop sends as fast as it is answered, by --vus.',
    )
  }
  if (iterations !== undefined && isPlanned) {
    throw new LoadUsageError(
      '--iterations goes with a closed loop: planned requests are counted by --rate and --duration, or by a trace.',
    )
  }
  if (iterations !== undefined && durationS !== undefined) {
    throw new LoadUsageError('--iterations and --duration both say when a closed loop ends: give one.')
  }
  return trace === undefined ? arrivals : 'trace'
}

function lengthOf({ atMs }: Arrivals): number {
  return Math.max(1, (atMs.at(-1) ?? 0) / 1000)
}
