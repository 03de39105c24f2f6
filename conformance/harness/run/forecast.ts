import { MODELS } from '../../../contract/facts.ts'
import { operationsNeeded } from './missing-need.ts'
import type { Plan } from './plan.ts'
import { creditsOf, modelsByPrice, unitsPerToken } from './prices.ts'

/** What a run sends at most, before anything is sent. */
export interface Forecast {
  readonly checks: number
  readonly requests: number
  /** In credits: chat by the price of the cheapest model. What images and audio cost the document does not show. */
  readonly chatCredits: number
}

/** The models and a small chat, before the checks. */
const PREFLIGHT = { requests: 2, chatTokens: 128 }

/** Adds up what checks declare, the preflight, and the search for models at its longest. */
export function forecastRun(plan: Plan): Forecast {
  const costs = plan.planned.map(({ check }) => check.cost)
  const needs = plan.planned.flatMap(({ check }) => check.needs)
  const searched = [...operationsNeeded(needs)].filter((operation) => operation !== 'chat' && operation !== 'models')
  // Images may be asked for a second time, with a size.
  const searches = searched.reduce((sum, operation) => sum + MODELS.length * (operation === 'images' ? 2 : 1), 0)
  const requests = costs.reduce((sum, cost) => sum + cost.requests, PREFLIGHT.requests + searches)
  const tokens = costs.reduce((sum, cost) => sum + (cost.chatTokens ?? 0), PREFLIGHT.chatTokens)
  return {
    checks: plan.planned.length,
    requests,
    chatCredits: creditsOf(tokens * (unitsPerToken(modelsByPrice()[0] ?? '') ?? 0)),
  }
}
