import { PARAMETER_DEFAULTS, UNITS_PER_CREDIT } from '../../../contract/facts.ts'
import { type CheckContext, type CheckCost, type CostBasis, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { ModelCatalog } from '../../engine/model-catalog.ts'
import { readTokens } from '../shared/balance.ts'
import { buildLongCompletion } from '../shared/long-completion.ts'

/**
 * Number of parallel chats. A service that reads the balance and updates it later lets parallel chats spend the same
 * credits several times.
 */
const CHATS = 16
/** Total cost of the chats as a multiple of the balance. The margin covers responses that are shorter than expected. */
const COST_PER_BALANCE = 4
const MIN_TOKENS = 16
const MAX_TOKENS = PARAMETER_DEFAULTS.max_tokens

/** Model and `max_tokens` of sixteen parallel chats that cost far more than the balance. */
export interface SpendingPlan {
  readonly model: string
  readonly tokens: number
}

/**
 * Plans parallel chats that together cost more than a balance in credits. Returns undefined if each chat would need
 * more than `MAX_TOKENS`, or if no model has a known price.
 */
export function planSpending(credits: number, catalog: ModelCatalog): SpendingPlan | undefined {
  const targetUnits = credits * UNITS_PER_CREDIT * COST_PER_BALANCE
  return catalog
    .chatModels()
    .flatMap((model) => {
      const price = catalog.unitsPerToken(model)
      return price ? [{ model, tokens: Math.max(MIN_TOKENS, Math.ceil(targetUnits / (CHATS * price))) }] : []
    })
    .find(({ tokens }) => tokens <= MAX_TOKENS)
}

/**
 * Returns the minimum cost of a response in units, or undefined if the response reports no usage. Counts only
 * completion tokens, because the prompt may be free (section 8).
 */
function minUnits(response: Exchange, unitsPerToken: number): number | undefined {
  const tokens = readTokens(response)
  return tokens === undefined ? undefined : tokens.completion * unitsPerToken
}

async function spend({ chat, nonce, declared, catalog }: CheckContext): Promise<Outcome> {
  const credits = declared.smallBalance ?? 0
  const spending = planSpending(credits, catalog)
  if (spending === undefined) {
    return expect.markNotTestable({ code: 'balance-too-large', params: { credits, requests: CHATS } })
  }
  const { model, tokens } = spending
  const send = (): Promise<Exchange> =>
    chat({ model, messages: buildLongCompletion(nonce()), max_tokens: tokens }, { key: 'small' })
  const responses = await Promise.all(Array.from({ length: CHATS }, send))
  return expectWithinBalance(responses, catalog.unitsPerToken(model) ?? 0, credits)
}

const WITHIN_BALANCE: Expectation = { rule: 'within-balance' }

/** Expects the successful parallel chats to cost no more than the balance, in credits. */
export function expectWithinBalance(responses: readonly Exchange[], unitsPerToken: number, balance: number): Outcome {
  const other = responses.find((response) => !expect.isServed(response) && response.status !== 402)
  if (other !== undefined) return expect.checkResponse(other, WITHIN_BALANCE)
  const served = responses.filter(expect.isServed)
  const costs = served.map((response) => minUnits(response, unitsPerToken))
  const known = costs.filter((units) => units !== undefined)
  const units = known.reduce((total, cost) => total + cost, 0)
  const credits = Number((units / UNITS_PER_CREDIT).toFixed(6))
  const params = { served: served.length, requests: responses.length, credits, balance }
  if (units > balance * UNITS_PER_CREDIT) {
    return { ...expect.fail(WITHIN_BALANCE, { code: 'balance-exceeded', params }), parallel: responses.length }
  }
  if (known.length < costs.length) return expect.markNoEvidence('usage')
  if (served.length === 0) return expect.markNotTestable({ code: 'balance-used-up', params: { credits: balance } })
  if (served.length === responses.length) return expect.markNotTestable({ code: 'balance-not-used-up', params })
  // The observation omits the number of successful chats. It depends on their order of arrival, and would differ
  // between the reports of two runs.
  return expect.pass(WITHIN_BALANCE, { kind: 'within-balance' })
}

function costWith({ declarations: { smallBalance = 0 }, catalog }: CostBasis): CheckCost {
  const spending = planSpending(smallBalance, catalog)
  if (spending === undefined) return { requests: 0 }
  return { requests: CHATS, tokensByModel: { [spending.model]: CHATS * (spending.tokens + PROMPT_TOKENS) } }
}

const PROMPT_TOKENS = 112

export const concurrentSpendingCheck = defineCheck({
  id: '5/concurrent-spending',
  requirement: '5/concurrent-spending',
  title: `serves no more of ${CHATS} parallel chats than the balance covers`,
  operation: 'chat',
  needs: ['funded', 'chatModel', 'small'],
  declaration: 'smallBalance',
  cost: { requests: CHATS },
  costWith,
  alone: true,
  run: spend,
})
