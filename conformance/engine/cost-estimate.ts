import type { Operation } from '../../contract/facts.ts'
import { type LatencyBudget, countNeededSamples } from '../latency/budget.ts'
import { TIMED_OPERATIONS } from '../latency/latency-samples.ts'
import { type AnyCheck, isSummaryCheck } from './check.ts'
import { REQUEST_FORMS, SEARCHED_OPERATIONS } from '../requests/request-forms.ts'
import { estimateUsualRequests } from './expected-duration.ts'
import type { Plan } from './plan.ts'
import { listNeededOperations } from './run-check.ts'
import { type ModelCatalog, SPECIFIED_MODELS } from './model-catalog.ts'
import { toCredits, getUnitsPerToken } from './prices.ts'

/** Upper bound of the requests and cost of a run, calculated before any request is sent. */
export interface CostEstimate {
  readonly checks: number
  readonly requests: number
  /**
   * Credits, calculated as during the run. For images and audio, only text has a price, because the specification gives
   * no other. Chat is priced at the cheapest model, and an operation without a known model at the most expensive one.
   */
  readonly credits: number
  /** In credits, assuming that the cheapest model serves every operation. */
  readonly creditsAtCheapest: number
  /** Requests that a target usually gets: checks share control requests, and the first models tried are served. */
  readonly usualRequests: number
  /** Upper bound of the credits for the usual requests, assuming that the cheapest model serves every operation. */
  readonly usualCredits: number
  /** Declared models without a known price. Their requests count as free, so the credits are no upper bound. */
  readonly unpricedModels: readonly string[]
}

/** Upper bound of the tokens of any small request of the suite, including the 16 tokens of its response. */
const SMALL_REQUEST_TOKENS = 64

/** Requests before the checks if the first model tried serves each operation: the list, and one for each other operation. */
const USUAL_REQUESTS_BEFORE = 5

/** Latency samples that a run takes after its checks. */
export interface Measurement {
  readonly budgets: readonly LatencyBudget[]
  readonly samples?: number
  /** Models declared to serve an operation. */
  readonly models: Readonly<Partial<Record<Operation, string>>>
  /** Models of the target. Default: the models of the specification. */
  readonly catalog?: ModelCatalog
}

/** The model whose price applies to an operation. */
type Charged = (operation: Operation) => string

/**
 * Adds up the declared costs of the checks, the requests before them, the longest possible search for models, and the
 * latency samples.
 */
export function estimateCost(plan: Plan, measuring: Measurement = { budgets: [], models: {} }): CostEstimate {
  const checks = plan.planned.map(({ check }) => check)
  const before = beforeChecks(checks, measuring)
  const after = samplesAfter(measuring)
  const { catalog = SPECIFIED_MODELS } = measuring
  const priceOf = (model: string): number => catalog.unitsPerToken(model) ?? 0
  const cheapest = catalog.models.at(0)?.id ?? ''
  const dearest = catalog.models.at(-1)?.id ?? ''
  const creditsAt = (charged: Charged): number => {
    const declared: Charged = (operation) =>
      measuring.models[operation] ?? catalog.declaredFor(operation) ?? charged(operation)
    return toCredits(
      checks.reduce((sum, check) => sum + calculateMaxCheckUnits(check, declared, priceOf), before.units + after.units),
    )
  }
  const requests = checks.reduce((sum, check) => sum + check.cost.requests, before.requests + after.requests)
  const ownRequests = estimateUsualRequests(checks.filter((check) => !isSummaryCheck(check)))
  const usualRequests = Math.min(ownRequests + USUAL_REQUESTS_BEFORE + after.requests, requests)
  const creditsAtCheapest = creditsAt(() => cheapest)
  return {
    checks: checks.length,
    requests,
    credits: creditsAt((operation) => (operation === 'chat' ? cheapest : dearest)),
    creditsAtCheapest,
    usualRequests,
    usualCredits: round((creditsAtCheapest * usualRequests) / requests),
    unpricedModels: catalog.models.flatMap(({ id, unitsPerToken }) => (unitsPerToken === undefined ? [id] : [])),
  }
}

/** Returns the maximum cost of a check in units, with each operation priced at this model. */
export function calculateMaxCheckUnits(
  { operation, cost }: AnyCheck,
  charged: Charged,
  priceOf: (model: string) => number = specifiedPrice,
): number {
  const hasText = operation === 'images' || operation === 'speech'
  const textTokens = hasText ? cost.requests * SMALL_REQUEST_TOKENS : 0
  const named = Object.entries(cost.tokensByModel ?? {}).map(([model, tokens]) => tokens * priceOf(model))
  const own = textTokens * priceOf(charged(operation)) + (cost.chatTokens ?? 0) * priceOf(charged('chat'))
  return named.reduce((sum, units) => sum + units, own)
}

/**
 * Returns the cost of the requests before the checks: the list of models, a small chat, and every model in every form
 * for each operation without a declared model.
 */
function beforeChecks(
  checks: readonly AnyCheck[],
  { budgets, models, catalog = SPECIFIED_MODELS }: Measurement,
): { readonly requests: number; readonly units: number } {
  const timed = budgets.map(({ operation }) => operation)
  const needed = listNeededOperations(checks.flatMap((check) => check.needs))
  const own = checks.flatMap((check) => (isSummaryCheck(check) ? [] : [check.operation]))
  const wanted = new Set<string>([...needed, ...own, ...timed])
  const searched = SEARCHED_OPERATIONS.filter(
    (operation) =>
      wanted.has(operation) && models[operation] === undefined && catalog.declaredFor(operation) === undefined,
  )
  const tried = searched.flatMap((operation) => REQUEST_FORMS[operation].flatMap(() => catalog.candidates(operation)))
  // If the target lists other models, the search also tries them for chat.
  const chats = catalog.origin === 'declared' || models.chat !== undefined ? 0 : catalog.candidates('chat').length
  const units = [catalog.candidates('chat')[0] ?? '', ...tried].map((model) => catalog.unitsPerToken(model) ?? 0)
  return {
    requests: 2 + chats + tried.length,
    units: SMALL_REQUEST_TOKENS * units.reduce((sum, price) => sum + price, 0),
  }
}

/**
 * Returns the cost of the latency samples of each operation with a budget, at the price of its model. Uses the most
 * expensive model if none is known yet.
 */
function samplesAfter({ budgets, samples, models, catalog = SPECIFIED_MODELS }: Measurement): {
  readonly requests: number
  readonly units: number
} {
  const counts = TIMED_OPERATIONS.map((timed) => {
    const operation = timed === 'chat-stream' ? 'chat' : timed
    const isCharged = operation !== 'models' && operation !== 'transcriptions'
    const known = models[operation] ?? catalog.declaredFor(operation)
    const model = known ?? catalog.models.at(operation === 'chat' ? 0 : -1)?.id ?? ''
    const requests = countNeededSamples(budgets, timed, samples)
    return { requests, units: isCharged ? requests * SMALL_REQUEST_TOKENS * (catalog.unitsPerToken(model) ?? 0) : 0 }
  })
  return {
    requests: counts.reduce((sum, count) => sum + count.requests, 0),
    units: counts.reduce((sum, count) => sum + count.units, 0),
  }
}

/** Rounds to one decimal. */
function round(credits: number): number {
  return Math.round(credits * 10) / 10
}

function specifiedPrice(model: string): number {
  return getUnitsPerToken(model) ?? 0
}
