/**
 * Tests the position of the 402. One client spends a small balance until a request is rejected (section 5, rules 4 and 5). The position
 * is predicted: a request is served while the balance covers its maximum cost at the prices of the table.
 */
import { check } from 'k6'
import type { Outcome } from 'k6/x/touchstone'
import { parseCredits, unitsPerToken } from './lib/credits.ts'
import { abortRun, prepare } from './lib/load.ts'
import {
  calculateAffordableTokens,
  type DrainPrediction,
  type PaidTokens,
  PREDICTED,
  predictRefusal,
} from './lib/predict-drain.ts'
import { buildRequest } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const ENDS = 'an account without credits is rejected with 402'
/** A balance that is sufficient for more requests is not small. */
const MAX_REQUESTS = 10_000

/** A target with other prices gets this many times the predicted number of requests at most. */
const BEYOND = 3

const load = prepare('credit-drain', (settings) => ({ ...settings, arrivals: 'closed', vus: 1, iterations: 1 }))
const drain = readDrain()
const sender = makeSender(load.settings, 'TOUCHSTONE_KEY_SMALL')

export const options = load.options
export const handleSummary = makeSummary(load, { required: [ENDS, PREDICTED.served, PREDICTED.refused] })

export default function creditDrain(): void {
  const paid: PaidTokens[] = []
  let predicted: number | undefined
  while (paid.length < (predicted === undefined ? MAX_REQUESTS : BEYOND * (predicted + 1))) {
    if (predictRefusal(drain, paid) === paid.length) predicted ??= paid.length
    const outcome = sendChat(drain.maxTokens)
    if (outcome.status !== 402 && outcome.usage === null) return
    if (predicted === undefined) check(outcome, { [PREDICTED.served]: ({ status }) => status === 200 })
    if (predicted === paid.length) check(outcome, { [PREDICTED.refused]: ({ status }) => status === 402 })
    if (outcome.status === 402) {
      check(outcome, { [ENDS]: () => true })
      if (predicted === paid.length) sendForRemainder(paid)
      return
    }
    paid.push(tokensOf(outcome))
  }
}

function sendForRemainder(paid: readonly PaidTokens[]): void {
  const rest = calculateAffordableTokens(drain, paid)
  if (rest > 0) check(sendChat(rest), { [PREDICTED.smallerServed]: ({ status }) => status === 200 })
}

/** Sends the same prompt each time, so that it has the same number of tokens. */
function sendChat(maxTokens: number): Outcome {
  const request = buildRequest('chat', sender, { index: 0, outputTokens: maxTokens })
  return sendChecked({ ...request, expectedStatuses: [200, 402] })
}

function tokensOf({ usage }: Outcome): PaidTokens {
  return { prompt: usage?.promptTokens ?? 0, completion: usage?.completionTokens ?? 0 }
}

function readDrain(): DrainPrediction {
  const { models, maxTokens, smallBalance } = load.settings
  const price = unitsPerToken(models.chat)
  if (price === undefined) abortRun(`The document has no price for ${models.chat}: choose a model that it lists.`)
  const balanceUnits = parseCredits(smallBalance ?? '')
  if (balanceUnits === undefined) {
    abortRun('The setting smallBalance is missing: say what the account of TOUCHSTONE_KEY_SMALL holds, like "1.25".')
  }
  return { balanceUnits, unitsPerToken: price, maxTokens }
}
