import type { Operation } from '../../contract/facts.ts'
import { type LatencyBudget, countRequiredSamples } from '../latency/budget.ts'
import { TIMED_OPERATIONS } from '../latency/latency-samples.ts'
import { type AnyCheck, isSummaryCheck } from './check.ts'
import { CHAT_FORMS, REQUEST_FORMS, SEARCHED_OPERATIONS } from '../requests/request-forms.ts'
import type { Plan } from './plan.ts'
import { listOperationsRequiringModel } from './run-check.ts'
import { type ModelCatalog, SPECIFIED_MODELS } from './model-catalog.ts'
import { convertToCredits, getUnitsPerToken } from '../traffic/prices.ts'

/** Maximum number of requests and cost of a run, calculated before the first request. */
export interface CostEstimate {
  readonly checks: number
  readonly requests: number
  /**
   * Upper bound of the cost in credits, counted in the same way as during the run. Requests for images and audio cost
   * only their text, because the specification states no other price. Chat has the price of the cheapest model. An
   * operation whose model is unknown has the price of the most expensive model.
   */
  readonly credits: number
  /** Upper bound of the cost in credits if the cheapest model serves every operation. */
  readonly creditsAtCheapest: number
  /** Declared models without a known price. Their requests count as free, so the run may cost more than `credits`. */
  readonly unpricedModels: readonly string[]
}

/** Maximum tokens of a small request of the suite, including the 16 tokens of its response. */
const SMALL_REQUEST_TOKENS = 64

/** Number of further control requests that the engine sends before the first stream and the first invalid key. */
const FURTHER_CONTROLS = 2

/** Options that determine the latency samples of a run. */
export interface LatencyMeasurement {
  readonly budgets: readonly LatencyBudget[]
  readonly samples?: number | undefined
  readonly models: Readonly<Partial<Record<Operation, string>>>
  /** Models of the target. Default: the models of the specification. */
  readonly catalog?: ModelCatalog
}

/** Returns the model whose price applies to an operation. */
type SelectModel = (operation: Operation) => string

/** Adds up the maximum costs of preflight, the longest possible model discovery, checks, and latency samples. */
export function estimateCost(plan: Plan, measuring: LatencyMeasurement = { budgets: [], models: {} }): CostEstimate {
  const checks = plan.planned.map(({ check }) => check)
  const before = beforeChecks(checks, measuring)
  const after = samplesAfter(measuring)
  const { catalog = SPECIFIED_MODELS } = measuring
  const priceOf = (model: string): number => catalog.unitsPerToken(model) ?? 0
  const cheapest = catalog.models.at(0)?.id ?? ''
  const mostExpensive = catalog.models.at(-1)?.id ?? ''
  const creditsAt = (charged: SelectModel): number => {
    const declared: SelectModel = (operation) =>
      measuring.models[operation] ?? catalog.declaredFor(operation) ?? charged(operation)
    return convertToCredits(
      checks.reduce((sum, check) => sum + calculateMaxCheckUnits(check, declared, priceOf), before.units + after.units),
    )
  }
  const requests = checks.reduce((sum, check) => sum + check.cost.requests, before.requests + after.requests)
  return {
    checks: checks.length,
    requests,
    credits: creditsAt((operation) => (operation === 'chat' ? cheapest : mostExpensive)),
    creditsAtCheapest: creditsAt(() => cheapest),
    unpricedModels: catalog.models.flatMap(({ id, unitsPerToken }) => (unitsPerToken === undefined ? [id] : [])),
  }
}

/** Returns the maximum cost of a check in units. `charged` returns the model that serves each operation. */
export function calculateMaxCheckUnits(
  { operation, cost }: AnyCheck,
  charged: SelectModel,
  priceOf: (model: string) => number = specifiedPrice,
): number {
  const hasText = operation === 'images' || operation === 'speech'
  const textTokens = hasText ? cost.requests * SMALL_REQUEST_TOKENS : 0
  const named = Object.entries(cost.tokensByModel ?? {}).map(([model, tokens]) => tokens * priceOf(model))
  const own = textTokens * priceOf(charged(operation)) + (cost.chatTokens ?? 0) * priceOf(charged('chat'))
  return named.reduce((sum, units) => sum + units, own)
}

/**
 * Returns the maximum cost of the requests before the checks: the list of models, a small chat in each form, model
 * discovery, and further control requests.
 * For each operation without a declared model, discovery may send each form of request to every model.
 */
function beforeChecks(
  checks: readonly AnyCheck[],
  { budgets, models, catalog = SPECIFIED_MODELS }: LatencyMeasurement,
): { readonly requests: number; readonly units: number } {
  const timed = budgets.map(({ operation }) => operation)
  const needed = listOperationsRequiringModel(checks.flatMap((check) => check.needs))
  const own = checks.flatMap((check) => (isSummaryCheck(check) ? [] : [check.operation]))
  const operations = new Set<string>([...needed, ...own, ...timed])
  const searched = SEARCHED_OPERATIONS.filter(
    (operation) =>
      operations.has(operation) && models[operation] === undefined && catalog.declaredFor(operation) === undefined,
  )
  const tried = searched.flatMap((operation) => REQUEST_FORMS[operation].flatMap(() => catalog.candidates(operation)))
  // If the target lists only other models, discovery also sends chats to find the chat model.
  const chats = catalog.origin === 'declared' || models.chat !== undefined ? 0 : catalog.candidates('chat').length
  const chat = catalog.candidates('chat')[0] ?? ''
  const units = [chat, chat, ...CHAT_FORMS.map(() => chat), ...tried].map((model) => catalog.unitsPerToken(model) ?? 0)
  return {
    requests: 2 + CHAT_FORMS.length + FURTHER_CONTROLS + chats + tried.length,
    units: SMALL_REQUEST_TOKENS * units.reduce((sum, price) => sum + price, 0),
  }
}

/** Returns the cost of the latency samples. An unknown model has the lowest price for chat, else the highest. */
function samplesAfter({ budgets, samples, models, catalog = SPECIFIED_MODELS }: LatencyMeasurement): {
  readonly requests: number
  readonly units: number
} {
  const counts = TIMED_OPERATIONS.map((timed) => {
    const operation = timed === 'chat-stream' ? 'chat' : timed
    const isCharged = operation !== 'models' && operation !== 'transcriptions'
    const known = models[operation] ?? catalog.declaredFor(operation)
    const model = known ?? catalog.models.at(operation === 'chat' ? 0 : -1)?.id ?? ''
    const requests = countRequiredSamples(budgets, timed, samples)
    return { requests, units: isCharged ? requests * SMALL_REQUEST_TOKENS * (catalog.unitsPerToken(model) ?? 0) : 0 }
  })
  return {
    requests: counts.reduce((sum, count) => sum + count.requests, 0),
    units: counts.reduce((sum, count) => sum + count.units, 0),
  }
}

function specifiedPrice(model: string): number {
  return getUnitsPerToken(model) ?? 0
}
