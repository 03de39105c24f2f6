import { readFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { resolve as resolvePath } from 'node:path'
import { parseCredits } from '../../scenarios/lib/credits.ts'
import type { PromptFile, TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import { DEFAULT_MODELS, pickSettings } from '../../scenarios/lib/option-values.ts'
import { type Arrivals, planArrivals } from '../../scenarios/lib/plan-arrivals.ts'
import { resolveProfile } from '../../scenarios/lib/profiles.ts'
import { type FilePrompt, findStreamProblem, parsePrompts } from '../../scenarios/lib/prompt-file.ts'
import { parseTrace } from '../../scenarios/lib/parse-trace.ts'
import { type CostEstimate, estimateCost } from '../credits/cost-estimate.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { type LoadOptions, selectModels } from '../options/load-options.ts'
import { type Budget, DEFAULT_BUDGET, OPERATIONS_WITH_USAGE, TOKEN_METRICS } from '../verdict/budget.ts'
import { buildWatchedBudgets } from '../verdict/evaluate-progress.ts'
import { buildThresholds, buildRequestLimits } from '../verdict/k6-thresholds.ts'
import { parseBudget } from '../verdict/parse-budget.ts'
import type { LoadPlan } from './load-plan.ts'
import { validateArrivals, validateOptions, validateSize } from './validate-options.ts'
import { countRequests, type PlannedLoad } from './planned-requests.ts'
import { type ScenarioProperties, SCENARIOS } from '../../scenarios/lib/scenarios.ts'

/**
 * Plans a run without sending requests.
 * @throws InvalidOptionError
 */
export async function planLoad(options: LoadOptions): Promise<LoadPlan> {
  const scenario = Object.hasOwn(SCENARIOS, options.scenario) ? SCENARIOS[options.scenario] : undefined
  if (scenario === undefined) {
    const known = Object.keys(SCENARIOS)
    throw new InvalidOptionError({ reason: 'unknown-value', option: 'scenario', value: options.scenario, known })
  }
  const budgets = options.budgets.length === 0 ? [DEFAULT_BUDGET] : options.budgets.map(parseBudget)
  validateBudgets(budgets, scenario, options)
  validateOptions(options, scenario)
  validateArrivals(options)
  const hasStreams = scenario.operations.includes('chat-stream')
  if (hasStreams) validateStreamBody(options)
  const trace = options.trace === undefined ? undefined : await readTraceFile(options.trace)
  const file = options.promptFile === undefined ? undefined : await readPromptFile(options.promptFile, hasStreams)
  const settings = {
    ...settingsOf(options, budgets, trace),
    ...(file === undefined ? {} : { prompts: file.description }),
  }
  validateSize(settings, options.segment?.count ?? 1)
  const arrivals = trace ?? planArrivals(settings, undefined)
  const load = { settings, arrivals, prompts: file?.lines ?? [] }
  return { options, scenario, budgets, ...load, estimate: estimateOf(options, load) }
}

function estimateOf({ scenario, smallBalance, credits }: LoadOptions, load: PlannedLoad): CostEstimate {
  const volume = countRequests(scenario, load)
  if (!credits) return { ...volume, units: null, note: 'The target has no credits.' }
  if (scenario !== 'credit-drain') return estimateCost(volume)
  const units = parseCredits(smallBalance ?? '') ?? null
  return { ...volume, units, note: 'The run spends the whole balance of the small account.' }
}

async function readTraceFile(path: string): Promise<Arrivals> {
  const text = await readText('trace', path)
  try {
    return parseTrace(text)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new InvalidOptionError({ reason: 'invalid-file', option: 'trace', path, problem })
  }
}

async function readPromptFile(
  path: string,
  hasStreams: boolean,
): Promise<{ lines: FilePrompt[][]; description: PromptFile }> {
  const text = await readText('promptFile', path)
  try {
    const lines = parsePrompts(text, hasStreams)
    const sha256 = createHash('sha256').update(text).digest('hex')
    return { lines, description: { path: resolvePath(path), requests: lines.flat().length, sha256 } }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new InvalidOptionError({ reason: 'invalid-file', option: 'promptFile', path, problem })
  }
}

async function readText(option: 'trace' | 'promptFile', path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem = error.code ?? error.message
    throw new InvalidOptionError({ reason: 'unreadable-file', option, path, problem })
  })
}

function validateStreamBody({ body = {} }: LoadOptions): void {
  const problem = findStreamProblem(body)
  if (problem === undefined) return
  const value = JSON.stringify(body)
  throw new InvalidOptionError({ reason: 'invalid-value', option: 'body', value, problem: `It ${problem}` })
}

function validateBudgets(
  budgets: readonly Budget[],
  { operations }: ScenarioProperties,
  { scenario, upstream }: LoadOptions,
): void {
  const added = budgets.find(({ kind }) => kind === 'added')
  if (added !== undefined && upstream === undefined) {
    const problem = `The budget on ${added.metric} limits the latency that a gateway adds. Give the address of the upstream.`
    throw new InvalidOptionError({ reason: 'missing-option', option: 'upstream', neededBy: added.metric, problem })
  }
  for (const { operation, ...budget } of budgets) {
    if (operation !== null && !operations.includes(operation)) {
      const problem = `A budget limits ${operation}, which the scenario ${scenario} does not send: it sends ${operations.join(', ')}.`
      throw new InvalidOptionError({ reason: 'invalid-value', option: 'budgets', value: operation, problem })
    }
    if (isOfTokens(budget) && !operations.includes('chat-stream')) {
      const problem = `A budget limits ${budget.metric}, and the scenario ${scenario} has no streams: use chat-stream or mixed.`
      throw new InvalidOptionError({ reason: 'invalid-value', option: 'budgets', value: budget.metric, problem })
    }
    if (budget.metric === 'tokens.rate' && !OPERATIONS_WITH_USAGE.some((name) => operations.includes(name))) {
      const problem = `A budget limits tokens.rate, and the scenario ${scenario} has no output tokens: use ${OPERATIONS_WITH_USAGE.join(', ')} or mixed.`
      throw new InvalidOptionError({ reason: 'invalid-value', option: 'budgets', value: budget.metric, problem })
    }
  }
}

function isOfTokens(budget: Omit<Budget, 'operation'> & Pick<Budget, 'metric' | 'kind'>): boolean {
  return (
    TOKEN_METRICS.some((metric) => metric === budget.metric) ||
    budget.metric === 'added.ttft' ||
    budget.metric === 'added.itl'
  )
}

function settingsOf(options: LoadOptions, budgets: readonly Budget[], trace: Arrivals | undefined): TrafficSettings {
  const arrivals = trace === undefined ? options.arrivals : 'trace'
  const profile = resolveProfile(options.profile, { ...options, arrivals })
  const maxUnits = maxUnitsOf(options)
  const { startAtUnixMs } = options
  return {
    ...profile,
    ...pickSettings(options),
    // A trace determines the duration and has no rate.
    ...(trace === undefined ? {} : { stages: [{ durationS: durationOf(trace), from: 0, to: 0 }] }),
    ...(options.trace === undefined ? {} : { tracePath: resolvePath(options.trace) }),
    models: { ...DEFAULT_MODELS, ...selectModels(options) },
    thresholds: buildThresholds(budgets),
    extension: {
      limits: buildRequestLimits(budgets),
      budgets: buildWatchedBudgets(budgets),
      ...(startAtUnixMs === undefined ? {} : { startAtUnixMs }),
      ...(maxUnits === undefined ? {} : { maxUnits }),
    },
  }
}

/** Returns the spend limit of one segment in units. It is an equal share, because segments do not communicate. */
function maxUnitsOf({ maxCredits, segment }: LoadOptions): number | undefined {
  const units = parseCredits(maxCredits ?? '')
  return units === undefined ? undefined : Math.floor(units / (segment?.count ?? 1))
}

function durationOf({ atMs }: Arrivals): number {
  return Math.max(1, (atMs.at(-1) ?? 0) / 1000)
}
