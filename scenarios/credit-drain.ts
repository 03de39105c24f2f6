/**
 * Tests which request is the first to receive a 402. One client spends a small balance until a request is rejected
 * (section 5, rules 4 and 5). The script predicts which request this is: requests succeed while the balance covers
 * their maximum cost at the specification's prices.
 */
import { check } from 'k6'
import type { Outcome } from 'k6/x/touchstone'
import { parseCredits, getUnitsPerToken } from './lib/credits.ts'
import { abortRun, prepareScenario } from './lib/prepare-scenario.ts'
import {
  calculateAffordableTokens,
  type CreditDrainInputs,
  type ChargedTokens,
  CREDIT_DRAIN_CHECKS,
  predictRejectedIndex,
} from './lib/predict-drain.ts'
import { buildRequest } from './lib/requests.ts'
import { sendAndCheck } from './lib/send-checked.ts'
import { createScriptContext } from './lib/script-context.ts'
import { createSummaryHandler } from './lib/summary.ts'

const ENDS = 'an account without credits is rejected with 402'
/**
 * Maximum number of requests while the balance covers one more. If the balance covers more than this number, the checks
 * of the 402 do not run.
 */
const MAX_REQUESTS = 10_000

/**
 * Maximum ratio of sent requests to predicted requests. It is above 1, because a target with lower prices accepts more
 * requests.
 */
const MAX_PREDICTION_RATIO = 3

const load = prepareScenario('credit-drain', (settings) => ({ ...settings, arrivals: 'closed', vus: 1, iterations: 1 }))
const drain = readDrain()
const sender = createScriptContext(load, 'TOUCHSTONE_KEY_SMALL')

export const options = load.options
export const handleSummary = createSummaryHandler(load, {
  required: [ENDS, CREDIT_DRAIN_CHECKS.served, CREDIT_DRAIN_CHECKS.rejected],
})

export default function creditDrain(): void {
  const paid: ChargedTokens[] = []
  let predicted: number | undefined
  while (paid.length < (predicted === undefined ? MAX_REQUESTS : MAX_PREDICTION_RATIO * (predicted + 1))) {
    if (predictRejectedIndex(drain, paid) === paid.length) predicted ??= paid.length
    const outcome = sendChat(drain.maxTokens)
    if (outcome.status !== 402 && outcome.usage === null) return
    if (predicted === undefined) check(outcome, { [CREDIT_DRAIN_CHECKS.served]: ({ status }) => status === 200 })
    if (predicted === paid.length) check(outcome, { [CREDIT_DRAIN_CHECKS.rejected]: ({ status }) => status === 402 })
    if (outcome.status === 402) {
      check(outcome, { [ENDS]: () => true })
      if (predicted === paid.length) sendForRemainder(paid)
      return
    }
    paid.push(tokensOf(outcome))
  }
}

function sendForRemainder(paid: readonly ChargedTokens[]): void {
  const rest = calculateAffordableTokens(drain, paid)
  if (rest > 0) check(sendChat(rest), { [CREDIT_DRAIN_CHECKS.smallerServed]: ({ status }) => status === 200 })
}

/** Sends a chat request. The prompt is always the same, so that each request has the same number of prompt tokens. */
function sendChat(maxTokens: number): Outcome {
  const request = buildRequest('chat', sender, { index: 0, outputTokens: maxTokens })
  return sendAndCheck({ ...request, expectedStatuses: [200, 402] })
}

function tokensOf({ usage }: Outcome): ChargedTokens {
  return { prompt: usage?.promptTokens ?? 0, completion: usage?.completionTokens ?? 0 }
}

function readDrain(): CreditDrainInputs {
  const { models, maxTokens, smallBalance } = load.settings
  const price = getUnitsPerToken(models.chat)
  if (price === undefined) abortRun(`The specification has no price for ${models.chat}: choose a model that it lists.`)
  const balanceUnits = parseCredits(smallBalance ?? '')
  if (balanceUnits === undefined) {
    abortRun(
      'The setting smallBalance is missing: set it to the balance of the account of TOUCHSTONE_KEY_SMALL, such as "1.25".',
    )
  }
  return { balanceUnits, unitsPerToken: price, maxTokens }
}
