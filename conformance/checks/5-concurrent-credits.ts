import { DEFAULTS, UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { type Check, type CheckContext, type Cost, defineCheck, type Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { modelsByPrice, unitsPerToken } from '../engine/prices.ts'
import type { Declarations } from '../targets/declarations.ts'
import { inCredits, tokensOf } from './balance.ts'
import { LONG_ANSWER } from './long-answer.ts'

/** At once: a balance that is read before it is written is then spent several times over. */
const CHATS = 16
/** The chats together may cost so many times the balance: more than a short answer or two can make up for. */
const TIMES_THE_BALANCE = 4
const LEAST_TOKENS = 16
const MOST_TOKENS = DEFAULTS.max_tokens

/** A chat of which sixteen cost far more than the balance: the cheapest model that can do so, and its max_tokens. */
export interface Spending {
  readonly model: string
  readonly tokens: number
}

/** Chooses the chats for a balance in credits; undefined where it is too large for sixteen small chats. */
export function planSpending(credits: number): Spending | undefined {
  const aim = credits * UNITS_PER_CREDIT * TIMES_THE_BALANCE
  return modelsByPrice()
    .map((model) => ({ model, tokens: Math.max(LEAST_TOKENS, Math.ceil(aim / (CHATS * (unitsPerToken(model) ?? 1)))) }))
    .find(({ tokens }) => tokens <= MOST_TOKENS)
}

/** The least that an answer can have cost, in units: its prompt may be free (section 8). Undefined without usage. */
function leastUnits(answer: Exchange, model: string): number | undefined {
  const tokens = tokensOf(answer)
  return tokens === undefined ? undefined : tokens.completion * (unitsPerToken(model) ?? 0)
}

async function spend({ chat, declared, keys }: CheckContext): Promise<Outcome> {
  const credits = declared.smallBalance ?? 0
  const spending = planSpending(credits)
  if (spending === undefined) {
    return expect.notTestable(`${credits} credits are too many for ${CHATS} small chats: declare an account with fewer`)
  }
  const { model, tokens } = spending
  const fields = { model, messages: LONG_ANSWER, max_tokens: tokens }
  const answers = await Promise.all(Array.from({ length: CHATS }, () => chat(fields, { key: keys.small })))
  return judgeSpending(answers, model, credits)
}

/** Says whether answers to chats at once cost no more than the account had. */
export function judgeSpending(answers: readonly Exchange[], model: string, credits: number): Outcome {
  const expected = ['2xx within the balance', '402 beyond it']
  const other = answers.find((answer) => !expect.served(answer) && answer.status !== 402)
  if (other !== undefined) return expect.holds(other, expected, () => undefined)
  const served = answers.filter(expect.served)
  const costs = served.map((answer) => leastUnits(answer, model))
  const known = costs.filter((units) => units !== undefined)
  const sum = known.reduce((total, units) => total + units, 0)
  const seen = `${served.length} of ${answers.length} chats at once were served, for at least ${inCredits(sum)} of ${credits}`
  if (sum > credits * UNITS_PER_CREDIT) return expect.failed(expected, seen)
  if (known.length < costs.length) return expect.notTestable('an answer tells no usage: what it cost is not known')
  if (served.length === 0) return expect.notTestable(`the small key has no credits left: give it ${credits} again`)
  if (served.length === answers.length) return expect.notTestable(`${seen}: the answers were too short to use them up`)
  // How many depends on the order of arrival: without their number two runs give the same report.
  return expect.passed(expected, 'some were served within the balance, the others answered 402')
}

/** What the chats cost at most follows from the balance that is declared. */
function costWith({ smallBalance = 0 }: Declarations): Cost {
  const spending = planSpending(smallBalance)
  if (spending === undefined) return { requests: 0 }
  return { requests: CHATS, tokensByModel: { [spending.model]: CHATS * (spending.tokens + PROMPT_TOKENS) } }
}

/** More than the prompt of a long answer has. */
const PROMPT_TOKENS = 112

export const concurrentSpending = defineCheck({
  id: '5/concurrent-spending',
  requirement: '5/concurrent-spending',
  title: `${CHATS} chats at once are not served beyond the balance`,
  operation: 'chat',
  needs: ['key', 'chatModel', 'smallKey'],
  declaration: 'smallBalance',
  cost: { requests: CHATS },
  costWith,
  alone: true,
  run: spend,
})

export const concurrentCreditChecks: readonly Check[] = [concurrentSpending]
