import { MODELS, type Operation } from '../../../contract/facts.ts'
import { type LatencyBudget, samplesFor, TIMED_OPERATIONS } from '../../budgets/budget.ts'
import type { Check } from '../check.ts'
import { operationsNeeded } from './missing-need.ts'
import type { Plan } from './plan.ts'
import { creditsOf, modelsByPrice, unitsPerToken } from './prices.ts'

/** What a run sends at most, before anything is sent. */
export interface Forecast {
  readonly checks: number
  readonly requests: number
  /** In credits, as the run itself counts them: what images and audio cost beside their text the document does not show. */
  readonly credits: number
}

/** More than the text of any small request of the suite has, with the 16 tokens of an answer. */
const SMALL_REQUEST_TOKENS = 64

/** What a run measures after its checks. */
export interface Measuring {
  readonly budgets: readonly LatencyBudget[]
  readonly samples?: number
  /** Models declared to serve an operation. */
  readonly models: Readonly<Partial<Record<Operation, string>>>
}

/** Adds up what the checks declare, the requests before them, the search for models at its longest, and the samples after. */
export function forecastRun(plan: Plan, measuring: Measuring = { budgets: [], models: {} }): Forecast {
  const checks = plan.planned.map(({ check }) => check)
  const before = beforeChecks(checks, measuring)
  const after = samplesAfter(measuring)
  const cheapest = priceOf(modelsByPrice()[0])
  return {
    checks: checks.length,
    requests: checks.reduce((sum, check) => sum + check.cost.requests, before.requests + after.requests),
    credits: creditsOf(checks.reduce((sum, check) => sum + tokensOf(check) * cheapest, before.units + after.units)),
  }
}

function tokensOf({ operation, cost }: Check): number {
  const hasText = operation === 'images' || operation === 'speech'
  return (cost.chatTokens ?? 0) + (hasText ? cost.requests * SMALL_REQUEST_TOKENS : 0)
}

/** The list and a small chat; then, for each operation that needs a model, every model, for images twice: with a size. */
function beforeChecks(
  checks: readonly Check[],
  { budgets }: Measuring,
): { readonly requests: number; readonly units: number } {
  const timed = budgets.map(({ operation }) => operation)
  const needed = new Set<string>([...operationsNeeded(checks.flatMap((check) => check.needs)), ...timed])
  const rounds =
    (needed.has('images') ? 2 : 0) + (needed.has('transcriptions') ? 1 : 0) + (needed.has('speech') ? 1 : 0)
  const roundUnits = MODELS.reduce((sum, model) => sum + SMALL_REQUEST_TOKENS * priceOf(model.id), 0)
  return {
    requests: 2 + rounds * MODELS.length,
    units: SMALL_REQUEST_TOKENS * priceOf(modelsByPrice()[0]) + rounds * roundUnits,
  }
}

/** The samples of each operation with a budget, at the price of its model: the dearest where it still has to be found. */
function samplesAfter({ budgets, samples, models }: Measuring): { readonly requests: number; readonly units: number } {
  const byPrice = modelsByPrice()
  const counts = TIMED_OPERATIONS.map((timed) => {
    const operation = timed === 'chat-stream' ? 'chat' : timed
    const isCharged = operation !== 'models' && operation !== 'transcriptions'
    const model = models[operation] ?? byPrice.at(operation === 'chat' ? 0 : -1)
    const requests = samplesFor(budgets, timed, samples)
    return { requests, units: isCharged ? requests * SMALL_REQUEST_TOKENS * priceOf(model) : 0 }
  })
  return {
    requests: counts.reduce((sum, count) => sum + count.requests, 0),
    units: counts.reduce((sum, count) => sum + count.units, 0),
  }
}

function priceOf(model: string | undefined): number {
  return unitsPerToken(model ?? '') ?? 0
}
