import { MODELS } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Outcome } from '../engine/check.ts'
import * as expect from '../outcomes/expect.ts'
import { unitsPerToken } from '../engine/prices.ts'
import { SMALL_CHAT_TOKENS } from './operation.ts'
import { chargeOf, inCredits, isOutcome, MOST_READS_PER_CHARGE, tokensOf } from './balance.ts'

/** Much longer than the usual prompt, so that prompt and completion tokens can be told apart by what two chats cost. */
const LONGER_PROMPT = 'Say hello to all of us, one by one, and to the rest of the world as well. '.repeat(3)
/** More than the usual 16, for the same reason. */
const MORE_TOKENS = 64
const LONGER_CHAT_TOKENS = LONGER_PROMPT.length + 16 + MORE_TOKENS

const LONGER_CHAT = { messages: [{ role: 'user', content: LONGER_PROMPT }], max_tokens: MORE_TOKENS }

/** What a chat used and cost; the charge in units of 0.0001 credit. */
export interface Bill {
  readonly prompt: number
  readonly completion: number
  readonly units: number
}

/** How a charge follows from the table, in words; undefined where it does not. */
type Reading = (price: number, bills: readonly Bill[]) => string | undefined

/**
 * The document leaves open whether prompt and completion tokens are priced the same: one kind at the price of the table
 * is enough, as long as the other has one price, too, that explains each bill.
 */
const READINGS: readonly Reading[] = [
  (price, bills) =>
    bills.every(({ prompt, completion, units }) => isSame(units, price * (prompt + completion)))
      ? 'prompt and completion at the price of the table'
      : undefined,
  (price, bills) =>
    bills.every(({ completion, units }) => isSame(units, price * completion))
      ? 'the completion at the price of the table, the prompt free'
      : undefined,
  (price, bills) => otherPrice(price, bills, 'completion', 'prompt'),
  (price, bills) => otherPrice(price, bills, 'prompt', 'completion'),
]

/** Needs two bills: a single one can always be explained. */
function otherPrice(
  price: number,
  bills: readonly Bill[],
  byTable: 'prompt' | 'completion',
  other: 'prompt' | 'completion',
): string | undefined {
  const [first, second] = bills
  if (first === undefined || second === undefined || first[other] === 0) return undefined
  const own = (first.units - price * first[byTable]) / first[other]
  const isOne = own >= 0 && bills.every((bill) => isSame(bill.units, price * bill[byTable] + own * bill[other]))
  return isOne ? `the ${byTable} at the price of the table, the ${other} at ${inCredits(own)} a token` : undefined
}

function isSame(units: number, expected: number): boolean {
  return Math.abs(units - expected) < 0.05
}

/** How bills follow from the price in units per token, in words; undefined where they contradict the table. */
export function explain(price: number, bills: readonly Bill[]): string | undefined {
  return READINGS.map((reading) => reading(price, bills)).find((words) => words !== undefined)
}

async function billFor(context: CheckContext, fields: Readonly<Record<string, unknown>>): Promise<Bill | Outcome> {
  const charged = await chargeOf(context, () => context.chat(fields))
  if (isOutcome(charged)) return charged
  const { answer, units } = charged
  const outcome = expect.holds(answer, 'usage', () => undefined)
  if (outcome.verdict !== 'pass') return outcome
  const tokens = tokensOf(answer)
  return tokens === undefined
    ? expect.notTestable('the answer tells no usage that a charge could be held against: see 2.3/usage')
    : { ...tokens, units }
}

function described({ prompt, completion, units }: Bill): string {
  return `${inCredits(units)} for ${prompt} prompt and ${completion} completion tokens`
}

/** A bill that does not fit alone may be disturbed, or have two prices: a second one decides. */
async function judgePrice(context: CheckContext, model: string): Promise<Outcome> {
  const price = unitsPerToken(model) ?? 0
  const expected = `${inCredits(price)} a token`
  const bill = await billFor(context, { model })
  if ('verdict' in bill) return bill
  const simple = explain(price, [bill])
  if (simple !== undefined) return expect.passed(expected, `${described(bill)}: ${simple}`)
  const second = await billFor(context, { ...LONGER_CHAT, model })
  if ('verdict' in second) return second
  const words = explain(price, [second]) ?? explain(price, [bill, second])
  const seen = `${described(bill)}, ${described(second)}`
  return words === undefined ? expect.failed(expected, `charged ${seen}`) : expect.passed(expected, `${seen}: ${words}`)
}

export const priceChecks: readonly Check[] = MODELS.map(({ id }) =>
  defineCheck({
    id: `2.1/price-${id}`,
    requirement: `2.1/price-${id}`,
    title: `a chat with ${id} is charged by the table`,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    declaration: 'balance',
    cost: {
      requests: 2 + 2 * MOST_READS_PER_CHARGE,
      tokensByModel: { [id]: SMALL_CHAT_TOKENS + LONGER_CHAT_TOKENS },
    },
    // Requests of other checks on the same account would be taken for charges of this one.
    alone: true,
    run: (context) => judgePrice(context, id),
  }),
)
