import { getUnitsPerToken } from '../../scenarios/lib/credits.ts'
import type { TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import { getWarmUpStage } from '../../scenarios/lib/plan-arrivals.ts'
import type { ScenarioProperties } from '../../scenarios/lib/scenarios.ts'
import { InvalidOptionError, type OptionName } from '../options/invalid-option-error.ts'
import { KEY_OPTIONS, type LoadKeys, selectKeys, type LoadOptions, selectModels } from '../options/load-options.ts'
import { parseTarget } from '../target/open-target.ts'

/**
 * Validates options that depend on the scenario or on each other.
 * @throws InvalidOptionError
 */
export function validateOptions(options: LoadOptions, properties: ScenarioProperties): void {
  const { scenario, target, limit, smallBalance, startAtUnixMs, weights } = options
  if (scenario === 'rate-limit' && target !== undefined && limit === undefined) {
    missing('The scenario rate-limit', 'limit', 'Give the rate limit of the limited key, such as 60/60s.')
  }
  if (scenario === 'credit-drain' && target !== undefined && smallBalance === undefined) {
    missing('The scenario credit-drain', 'smallBalance', 'Give the balance of the small account, such as 1.25.')
  }
  if (!options.credits) validateWithoutCredits(options)
  validatePrompts(options, properties)
  validateWarmUp(options, properties)
  validateModels(options)
  const { chat } = selectModels(options)
  if (scenario === 'credit-drain' && chat !== undefined && getUnitsPerToken(chat) === undefined) {
    const problem = `The specification has no price for ${chat}. Use one of its models for credit-drain.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'models', value: chat, problem })
  }
  if (weights !== undefined && properties.order !== 'by weight') {
    const problem = `The scenario ${scenario} has no mix of operations. Weights are for the scenarios mixed and soak.`
    const value = JSON.stringify(weights)
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'weights', value, problem })
  }
  for (const option of ['findOver', 'maxRate', 'maxDurationS', 'resolutionPercent'] as const) {
    if (options[option] === undefined || options.find.length > 0) continue
    const problem = 'Only a search has this option. Give the budget of the search.'
    missing(option, 'find', problem)
  }
  // Reports an invalid target before the build of k6, which takes minutes.
  if (target !== undefined) parseTarget(target)
  validateUpstream(options)
  validateStart(startAtUnixMs)
  validateKeys(selectKeys(options))
}

/** Rejects options that depend on credits. */
function validateWithoutCredits({ scenario, maxCredits }: LoadOptions): void {
  if (maxCredits !== undefined) conflict('maxCredits', 'credits', 'It has no cost to limit.')
  if (scenario === 'credit-drain') {
    conflict('scenario', 'credits', 'The scenario credit-drain spends the credits of an account. Use another scenario.')
  }
}

function validatePrompts(options: LoadOptions, { key, operations }: ScenarioProperties): void {
  const { scenario } = options
  for (const option of ['promptFile', 'body'] as const) {
    if (options[option] === undefined) continue
    // The scenarios that measure an account know the cost of their chats.
    if (key !== 'funded') conflict(option, 'scenario', `The scenario ${scenario} sends chats of its own.`)
    if (!operations.some((operation) => operation.startsWith('chat')))
      conflict(option, 'scenario', `The scenario ${scenario} sends no chats.`)
  }
}

function validateWarmUp({ scenario, upstream, warmUpS }: LoadOptions, { key }: ScenarioProperties): void {
  if (warmUpS === undefined) return
  if (key !== 'funded') {
    conflict('warmUpS', 'scenario', `The scenario ${scenario} measures an account from its first request.`)
  }
  if (upstream !== undefined) {
    conflict(
      'warmUpS',
      'upstream',
      'The comparison with the upstream includes every request. Warm up with an earlier run.',
    )
  }
}

function validateModels({ models }: LoadOptions): void {
  for (const { operation, model } of models) {
    const other = models.find((one) => one.operation === operation && one.model !== model)
    if (other === undefined) continue
    const operations = operation === null ? 'all operations' : `the operation ${operation}`
    const problem = `Both ${model} and ${other.model} are given for ${operations}, and a run uses one model for each operation. Run each model separately.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'models', value: other.model, problem })
  }
}

function validateUpstream({ upstream, target, segment }: LoadOptions): void {
  if (upstream === undefined) return
  if (target === undefined) missing('upstream', 'target', 'Name the gateway in front of the upstream.')
  if (segment !== undefined) {
    conflict(
      'upstream',
      'segment',
      'Added latencies of several segments cannot be merged. Measure the added latency in one process.',
    )
  }
}

function missing(neededBy: string, option: OptionName, problem: string): never {
  throw new InvalidOptionError({ reason: 'missing-option', option, neededBy, problem })
}

/**
 * Validates that the options that determine arrivals do not conflict with each other.
 * @throws InvalidOptionError
 */
export function validateArrivals({ arrivals, trace, rate, iterations, durationS }: LoadOptions): void {
  const isPlanned = (arrivals !== undefined && arrivals !== 'closed') || rate !== undefined || trace !== undefined
  if (arrivals === 'trace' && trace === undefined) {
    missing('The arrivals "trace"', 'trace', 'Give a file of JSON lines.')
  }
  if (trace !== undefined && arrivals !== undefined && arrivals !== 'trace') {
    conflict('trace', 'arrivals', `A trace requires the arrivals "trace", not "${arrivals}".`)
  }
  if (trace !== undefined && rate !== undefined) {
    conflict('rate', 'trace', 'Both determine when requests are sent. Use one of them.')
  }
  if (arrivals === 'closed' && rate !== undefined) {
    conflict('rate', 'arrivals', 'In a closed loop, each client sends its next request after the previous response.')
  }
  if (iterations !== undefined && isPlanned) {
    const other = trace !== undefined ? 'trace' : rate === undefined ? 'arrivals' : 'rate'
    conflict('iterations', other, 'Only a closed loop ends after a number of iterations.')
  }
  if (iterations !== undefined && durationS !== undefined) {
    conflict('iterations', 'durationS', 'Both determine when a closed loop ends. Use one of them.')
  }
}

function conflict(option: OptionName, other: OptionName, problem: string): never {
  throw new InvalidOptionError({ reason: 'conflicting-options', option, other, problem })
}

function validateKeys(keys: LoadKeys): void {
  for (const role of ['funded', 'limited', 'small'] as const) {
    const key = keys[role]
    const problem = key === undefined ? undefined : findKeyProblem(key)
    if (problem === undefined) continue
    // The error omits the value, which may be an API key.
    throw new InvalidOptionError({ reason: 'invalid-value', option: KEY_OPTIONS[role].option, value: '', problem })
  }
}

/** Describes why a key is invalid, without its value. Returns undefined for a valid key. */
function findKeyProblem(key: string): string | undefined {
  if (key.trim() === '') return 'It is empty. If it comes from a variable, the variable is not set.'
  if (/^["'].*["']$/s.test(key)) return 'It contains the quotes around the key. Remove them.'
  if (/^bearer\s/i.test(key)) return 'It starts with "Bearer". Set only the key; touchstone adds "Bearer" itself.'
  if (/^[\x21-\x7e]+$/.test(key)) return undefined
  return 'It contains a space or a character that a header cannot contain. Set only the key.'
}

/**
 * Validates that a start time is in the future. The run validates it again before its first request, because building
 * k6 takes time.
 * @throws InvalidOptionError
 */
export function validateStart(startAtUnixMs: number | undefined): void {
  if (startAtUnixMs === undefined || startAtUnixMs >= Date.now()) return
  const lateS = Math.ceil((Date.now() - startAtUnixMs) / 1000)
  const value = new Date(startAtUnixMs).toISOString()
  const problem = `${value} passed ${lateS} s before this run was ready: choose a later time.`
  throw new InvalidOptionError({ reason: 'invalid-value', option: 'startAtUnixMs', value, problem })
}

/** Maximum number of planned requests, because the plan is kept in memory and the cost estimate reads each prompt. */
export const MAX_REQUESTS = 2_000_000

/** Maximum number of VUs, because each VU uses at least a megabyte from the start. */
const MAX_VUS = 10_000

/**
 * Validates the number of requests and VUs of a plan.
 * @throws InvalidOptionError
 */
export function validateSize(settings: TrafficSettings, segments: number): void {
  const { arrivals, stages, iterations, vus } = settings
  if (vus > MAX_VUS) {
    const problem = `One process can run at most ${MAX_VUS} clients, not ${vus}: split the load into segments.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'vus', value: String(vus), problem })
  }
  // k6 assigns whole VUs to segments, and a segment without a VU would send nothing.
  const clients = Math.min(vus, iterations ?? vus)
  if (clients < segments) {
    const name = clients === 1 ? 'client' : 'clients'
    const problem = `${clients} ${name} cannot be split into ${segments} segments: raise the number of clients, and of iterations, to ${segments} at least.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'segment', value: String(segments), problem })
  }
  const warmUp = getWarmUpStage(settings, { atMs: [] })
  const planned = [warmUp, ...stages].reduce((sum, { durationS, from, to }) => sum + (durationS * (from + to)) / 2, 0)
  const count = arrivals === 'closed' ? (iterations ?? 0) : planned
  if (count <= MAX_REQUESTS) return
  const problem = `The run would send ${Math.round(count)} requests, and a run can plan at most ${MAX_REQUESTS}: make it shorter, or use a closed loop with a duration.`
  const option = arrivals === 'closed' ? 'iterations' : 'rate'
  throw new InvalidOptionError({ reason: 'invalid-value', option, value: String(Math.round(count)), problem })
}
