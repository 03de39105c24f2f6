import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { unitsPerToken } from '../engine/prices.ts'
import { explain } from './2.1-prices.ts'
import { chargeOf, inCredits, isOutcome, MOST_READS_PER_CHARGE, tokensOf } from './balance.ts'
import { LONG_ANSWER } from './long-answer.ts'
import { UNKNOWN_MODEL } from './7-errors.ts'

/** The default of the document: long enough to be left in the middle. */
const MANY_TOKENS = 256

interface ChargeLook {
  readonly id: string
  readonly tried: string
  readonly requests: number
  readonly chatTokens: number
  ask(context: CheckContext): Promise<Exchange>
  describe?(context: CheckContext, answer: Exchange, units: number): string
}

function nothingOr(units: number): string {
  return units === 0 ? 'nothing was charged' : `${inCredits(units)} were charged`
}

const LOOKS: readonly ChargeLook[] = [
  {
    id: '8/prompt-price',
    tried: 'a chat, by the balance before and after',
    requests: 1,
    chatTokens: 64,
    ask: ({ chat }) => chat(),
    describe({ models }, answer, units) {
      const tokens = tokensOf(answer)
      const words = tokens && explain(unitsPerToken(models.chat) ?? 0, [{ ...tokens, units }])
      return words ?? nothingOr(units)
    },
  },
  {
    id: '8/refused-charge',
    tried: 'a chat that is refused (400, 404)',
    requests: 2,
    chatTokens: 0,
    async ask({ chat }) {
      const first = await chat({ temperature: 2.1 })
      return first.error === undefined && first.status < 500 ? chat({ model: UNKNOWN_MODEL }) : first
    },
  },
  {
    id: '8/left-charge',
    tried: 'a stream that the client left',
    requests: 1,
    chatTokens: 2 * MANY_TOKENS,
    ask: ({ chat }) => chat({ messages: LONG_ANSWER, max_tokens: MANY_TOKENS, stream: true }, { leaveAfterEvents: 1 }),
    // How far the answer had come differs from run to run.
    describe: (_context, _answer, units) => (units === 0 ? nothingOr(units) : 'something was charged'),
  },
]

export const chargeChecks: readonly Check[] = LOOKS.map(({ id, tried, requests, chatTokens, ask, describe }) =>
  defineCheck({
    id,
    requirement: '8/deduction',
    title: `what is charged for ${tried}`,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    declaration: 'balance',
    cost: { requests: requests + MOST_READS_PER_CHARGE, chatTokens },
    alone: true,
    async run(context): Promise<Outcome> {
      const charged = await chargeOf(context, () => ask(context))
      if (isOutcome(charged)) return charged
      const { answer, units } = charged
      return expect.observed(answer, () => `${tried}: ${describe?.(context, answer, units) ?? nothingOr(units)}`)
    },
  }),
)
