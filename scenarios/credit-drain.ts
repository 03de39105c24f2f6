/**
 * Is a 402 exactly where it has to be? One client spends a small balance: each request is served as long as the most that it
 * could cost is there, and the first one that is not is refused (section 5, rules 4 and 5); a smaller one is served still.
 */
import { check } from 'k6'
import { unitsFromCredits, unitsPerToken } from './lib/credits.ts'
import { giveUp, prepare } from './lib/load.ts'
import { affordableTokens, type Drain, type PaidTokens, predictRefusal } from './lib/predict-drain.ts'
import { requestOf } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const SERVED = 'a request that the balance covers is served'
const REFUSED = 'the first request that the balance does not cover is refused with 402'
const SMALLER_SERVED = 'after that, a request for no more than is left is served'
/** A balance that lasts longer than this is no small one. */
const MOST_REQUESTS = 10_000

const load = prepare('credit-drain', (settings) => ({ ...settings, arrivals: 'closed', vus: 1, iterations: 1 }))
const drain = readDrain()
const sender = makeSender(load.settings, 'TOUCHSTONE_KEY_SMALL')

export const options = load.options
export const handleSummary = makeSummary(load, { due: [SERVED, REFUSED] })

export default function creditDrain(): void {
  const paid: PaidTokens[] = []
  while (paid.length < MOST_REQUESTS && predictRefusal(drain, paid) !== paid.length) {
    const tokens = ask(drain.maxTokens, SERVED, 200)
    if (tokens === null) return
    paid.push(tokens)
  }
  if (paid.length === MOST_REQUESTS) return
  ask(drain.maxTokens, REFUSED, 402)
  const rest = affordableTokens(drain, paid)
  if (rest > 0) ask(rest, SMALLER_SERVED, 200)
}

/** Always the same prompt, so that it counts the same each time. Null where the answer was not what it has to be. */
function ask(maxTokens: number, claim: string, status: 200 | 402): PaidTokens | null {
  const request = requestOf('chat', sender, { index: 0, outputTokens: maxTokens })
  const outcome = sendChecked({ ...request, expectedStatuses: [200, 402] })
  const isRight = check(outcome, { [claim]: (answer) => answer.status === status })
  if (!isRight || outcome.usage === null) return null
  return { prompt: outcome.usage.promptTokens, completion: outcome.usage.completionTokens }
}

function readDrain(): Drain {
  const { models, maxTokens, smallBalance } = load.settings
  const price = unitsPerToken(models.chat)
  if (price === undefined) giveUp(`The document has no price for ${models.chat}: choose a model that it lists.`)
  const balanceUnits = unitsFromCredits(smallBalance ?? '')
  if (balanceUnits === undefined) {
    giveUp('The setting smallBalance is missing: say what the account of TOUCHSTONE_KEY_SMALL holds, like "1.25".')
  }
  return { balanceUnits, unitsPerToken: price, maxTokens }
}
