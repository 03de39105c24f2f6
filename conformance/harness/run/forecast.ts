import { MODELS } from '../../../contract/facts.ts'
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

/** Adds up what the checks declare, the requests before them, and the search for models at its longest. */
export function forecastRun(plan: Plan): Forecast {
  const checks = plan.planned.map(({ check }) => check)
  const before = beforeChecks(checks)
  const cheapest = priceOf(modelsByPrice()[0])
  return {
    checks: checks.length,
    requests: checks.reduce((sum, check) => sum + check.cost.requests, before.requests),
    credits: creditsOf(checks.reduce((sum, check) => sum + tokensOf(check) * cheapest, before.units)),
  }
}

function tokensOf({ operation, cost }: Check): number {
  const hasText = operation === 'images' || operation === 'speech'
  return (cost.chatTokens ?? 0) + (hasText ? cost.requests * SMALL_REQUEST_TOKENS : 0)
}

/** The list and a small chat; then, for each operation that needs a model, every model, for images twice: with a size. */
function beforeChecks(checks: readonly Check[]): { readonly requests: number; readonly units: number } {
  const needed = operationsNeeded(checks.flatMap((check) => check.needs))
  const rounds =
    (needed.has('images') ? 2 : 0) + (needed.has('transcriptions') ? 1 : 0) + (needed.has('speech') ? 1 : 0)
  const roundUnits = MODELS.reduce((sum, model) => sum + SMALL_REQUEST_TOKENS * priceOf(model.id), 0)
  return {
    requests: 2 + rounds * MODELS.length,
    units: SMALL_REQUEST_TOKENS * priceOf(modelsByPrice()[0]) + rounds * roundUnits,
  }
}

function priceOf(model: string | undefined): number {
  return unitsPerToken(model ?? '') ?? 0
}
