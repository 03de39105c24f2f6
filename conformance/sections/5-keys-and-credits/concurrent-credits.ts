import { PARAMETER_DEFAULTS, UNITS_PER_CREDIT } from '../../../contract/facts.ts'
import {
  type CheckContext,
  type CheckCost,
  type CostBasis,
  defineCheck,
  SMALL_CHAT_TOKENS,
} from '../../engine/check.ts'
import { findDeclaredValue } from '../../differences/declared-differences.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { isOutcome, type Outcome } from '../../findings/outcome.ts'
import type { ModelCatalog } from '../../engine/model-catalog.ts'
import { MAX_READS_PER_CHARGE, measurePlainChat, readTokens, readAccountUnits } from '../shared/balance.ts'
import { buildLongCompletion } from '../shared/long-completion.ts'

/** Default number of parallel chats. They reveal a service that reads the balance and updates it later. */
const CHATS = 16
/** Total cost of the chats as a multiple of the balance. The margin covers responses that are shorter than expected. */
const COST_PER_BALANCE = 4
/** Maximum cost of one chat as a multiple of the balance. The target must serve at least one chat, including its prompt. */
const MAX_CHAT_PER_BALANCE = 0.6
const MIN_TOKENS = 16
const MAX_TOKENS = PARAMETER_DEFAULTS.max_tokens

/** Model and `max_tokens` of parallel chats that together cost more than the balance. */
export interface SpendingPlan {
  readonly model: string
  readonly tokens: number
}

/** Plans parallel chats that together cost more than a balance, or undefined if that takes too many tokens. */
export function planSpending(credits: number, catalog: ModelCatalog, chats = CHATS): SpendingPlan | undefined {
  const unitsPerChat = credits * UNITS_PER_CREDIT * Math.min(COST_PER_BALANCE / chats, MAX_CHAT_PER_BALANCE)
  return catalog
    .chatModels()
    .flatMap((model) => {
      const price = catalog.unitsPerToken(model)
      return price ? [{ model, tokens: Math.max(MIN_TOKENS, Math.ceil(unitsPerChat / price)) }] : []
    })
    .find(({ tokens }) => tokens <= MAX_TOKENS)
}

/** What the target shows about the charges of its chats. */
interface KnownCharges {
  /** Price of a prompt token, as a multiple of that of a completion token. The prompt may be free (section 8). */
  readonly promptRatio?: number | undefined
  /** Balance of the account after the chats, in units. */
  readonly leftUnits?: number | undefined
  /** Status beyond the balance. Default: 402. */
  readonly rejection?: number | undefined
}

async function spend(context: CheckContext): Promise<Outcome> {
  const { chat, nonce, declared, differences, catalog } = context
  const credits = declared.smallBalance ?? 0
  const chats = declared.smallChats ?? CHATS
  const spending = planSpending(credits, catalog, chats)
  if (spending === undefined) {
    return expect.markNotTestable({ code: 'balance-too-large', params: { credits, requests: chats } })
  }
  const { model, tokens } = spending
  const send = (): Promise<Exchange> =>
    chat({ model, messages: buildLongCompletion(nonce()), max_tokens: tokens }, { key: 'small' })
  const responses = await Promise.all(Array.from({ length: chats }, send))
  const known =
    declared.balance === undefined
      ? {}
      : { leftUnits: await readAccountUnits(context, 'small'), promptRatio: await measurePromptRatio(context) }
  return expectWithinBalance(responses, catalog.unitsPerToken(model) ?? 0, credits, {
    ...known,
    rejection: findDeclaredValue(differences, 'missingCredits'),
  })
}

/** Measures the price of prompts by the charge of a plain chat, which other checks also measure. */
async function measurePromptRatio(context: CheckContext): Promise<number | undefined> {
  const price = context.catalog.unitsPerToken(context.models.chat)
  const charged = await measurePlainChat(context, context.models.chat)
  const tokens = isOutcome(charged) ? undefined : readTokens(charged.response)
  if (isOutcome(charged) || tokens === undefined || tokens.prompt === 0 || !price) return undefined
  return Math.max(0, (charged.units / price - tokens.completion) / tokens.prompt)
}

const WITHIN_BALANCE: Expectation = { rule: 'within-balance' }

/**
 * Expects the successful parallel chats to cost no more than the balance, in credits. If the price of prompts is unknown,
 * the chats pass only if they are within the balance even with charged prompts, and fail only if they exceed it without.
 */
export function expectWithinBalance(
  responses: readonly Exchange[],
  unitsPerToken: number,
  balance: number,
  { promptRatio, leftUnits, rejection = 402 }: KnownCharges = {},
): Outcome {
  const other = responses.find((response) => !expect.isServed(response) && response.status !== rejection)
  if (other !== undefined) return expect.checkResponse(other, WITHIN_BALANCE)
  const served = responses.filter(expect.isServed)
  const known = served.map(readTokens).filter((tokens) => tokens !== undefined)
  const costWithPrompts = (ratio: number): number =>
    known.reduce((sum, { prompt, completion }) => sum + (completion + ratio * prompt) * unitsPerToken, 0)
  const units = costWithPrompts(promptRatio ?? 0)
  const left = leftUnits === undefined ? {} : { left: toCredits(leftUnits) }
  const params = { served: served.length, requests: responses.length, credits: toCredits(units), balance, ...left }
  const maxUnits = balance * UNITS_PER_CREDIT + MAX_ROUNDING_UNITS
  if (units > maxUnits || (leftUnits !== undefined && leftUnits < 0)) {
    const outcome = expect.fail(WITHIN_BALANCE, { code: 'balance-exceeded', params })
    return { ...outcome, parallel: responses.length, ...(served[0] === undefined ? {} : { exchange: served[0] }) }
  }
  if (known.length < served.length) return expect.markNoEvidence('usage')
  if (served.length === 0) return expect.markNotTestable({ code: 'balance-used-up', params: { credits: balance } })
  if (served.length === responses.length) return expect.markNotTestable({ code: 'balance-not-used-up', params })
  if (leftUnits === undefined && costWithPrompts(promptRatio ?? 1) > maxUnits) {
    return expect.markNoEvidence('prompt-price')
  }
  // The number of successful chats depends on their order of arrival, and would differ between two runs.
  return expect.pass(WITHIN_BALANCE, { kind: 'within-balance' })
}

/** Tolerance for prices of prompts that are no whole number of units. */
const MAX_ROUNDING_UNITS = 0.05

function toCredits(units: number): number {
  return Number((units / UNITS_PER_CREDIT).toFixed(6))
}

function costWith({ declarations: { smallBalance = 0, smallChats: chats = CHATS }, catalog }: CostBasis): CheckCost {
  const spending = planSpending(smallBalance, catalog, chats)
  if (spending === undefined) return { requests: 0 }
  const tokensByModel = { [spending.model]: chats * (spending.tokens + PROMPT_TOKENS) }
  return { ...COST, requests: COST.requests - CHATS + chats, tokensByModel }
}

const PROMPT_TOKENS = 112

/** The chats, one read of the balance afterwards, and a measured chat. */
const COST: CheckCost = { requests: CHATS + 2 + MAX_READS_PER_CHARGE, chatTokens: SMALL_CHAT_TOKENS }

export const concurrentSpendingCheck = defineCheck({
  id: '5/concurrent-spending',
  requirement: '5/concurrent-spending',
  title: 'serves no more parallel chats than the balance covers',
  operation: 'chat',
  needs: ['funded', 'chatModel', 'small'],
  declaration: 'smallBalance',
  cost: COST,
  costWith,
  alone: true,
  run: spend,
})
