import {
  type Check,
  type CheckContext,
  defineCheck,
  type RequestHelpers,
  calculateMaxCost,
  listPrerequisites,
  SMALL_CHAT_TOKENS,
} from '../../engine/check.ts'
import type { RequestOptions } from '../../requests/api-request.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { findDeclaredValue } from '../../differences/declared-differences.ts'
import { defineObservationCheck } from '../shared/observation-check.ts'
import { EACH_MODEL_CHAT_FIELDS } from '../shared/long-completion.ts'
import { forOperations, sendPlainRequest, addChatCostPerModel } from '../shared/operation.ts'
import { parseRetryAfterSeconds } from '../shared/response-access.ts'

const WAIT_WITHOUT_RETRY_AFTER_S = 10
const MAX_WAIT_S = 30

type Send = (requests: RequestHelpers, options?: RequestOptions) => Promise<Exchange>

/**
 * Sends the request with the no-credits key. Retries once after a 429, because a rate limit proves nothing about
 * credits.
 * @returns an outcome if the retry would have to wait too long
 */
async function sendWithoutCredits(context: CheckContext, send: Send): Promise<Exchange | Outcome> {
  const first = await send(context.shared, { key: 'no-credits' })
  if (first.status !== 429 || context.alwaysLimitsNoCreditsKey()) return first
  const retryAfterS = parseRetryAfterSeconds(first) ?? WAIT_WITHOUT_RETRY_AFTER_S
  if (retryAfterS > MAX_WAIT_S) {
    return expect.markNotTestable({ code: 'key-rate-limited', params: { key: 'no-credits', retryAfterS } })
  }
  await context.wait(retryAfterS * 1000)
  return send(context, { key: 'no-credits' })
}

const SWAPPED = expect.markNotTestable({ code: 'keys-swapped', params: { served: 'no-credits', rejected: 'limited' } })

/** Returns whether the tester probably swapped the keys: only the limited key gets a 402. */
async function areSwapped({ chat, keys }: CheckContext): Promise<boolean> {
  if (keys.limited === '') return false
  const { error, status } = await chat({}, { key: 'limited' })
  return error === undefined && status === 402
}

const PAYMENT_REQUIRED: Expectation = { status: [402] }

/** Expects a 402 for the no-credits key. After a 401, lists the models to find out whether the key is valid. */
async function expectPaymentRequired(context: CheckContext, send: Send): Promise<Outcome> {
  const control = await send(context.shared)
  const response = await sendWithoutCredits(context, send)
  if ('verdict' in response) return response
  if (response.status === 401) {
    const list = await context.listModels({ key: 'no-credits' })
    if (list.status === 401) return expect.markNotTestable({ code: 'key-invalid', params: { key: 'no-credits' } })
  }
  if (expect.isServed(response) && expect.isServed(control) && (await areSwapped(context))) return SWAPPED
  const difference = { account: 'no-credits' } as const
  const isStillLimited = response.status === 429 && expect.isServed(control)
  if (isStillLimited && context.limitsFundedKey()) {
    // The target rejects requests of accounts with credits, too, so the 429 may not concern this account.
    const retryAfterS = parseRetryAfterSeconds(response) ?? WAIT_WITHOUT_RETRY_AFTER_S
    return expect.markNotTestable({ code: 'key-rate-limited', params: { key: 'no-credits', retryAfterS } })
  }
  return isStillLimited
    ? expect.addDifference(difference, expect.fail(PAYMENT_REQUIRED, expect.describeUnexpected(response)))
    : expect.checkErrorResponse(response, 402, { control, difference })
}

// A 429 proves nothing about credits and is not retried; the outcome contains the number of 402s.
export const noCreditsModelsCheck = defineCheck({
  id: '5/no-credits-each-model',
  requirement: '5/insufficient-credits',
  title: 'serves no model to an account without credits',
  operation: 'chat',
  needs: ['funded', 'chatModel', 'no-credits'],
  ...addChatCostPerModel({ requests: 2, chatTokens: 2 * SMALL_CHAT_TOKENS }, { requests: 2 }),
  inTurn: true,
  async run(context) {
    const { shared } = context
    const control = expect.checkResponse(await shared.chat(), PAYMENT_REQUIRED)
    if (control.verdict !== 'pass') return control
    const models = context.catalog.chatModels()
    const required = findDeclaredValue(context.differences, 'missingCredits') ?? 402
    let rejected = 0
    let other: Outcome | undefined
    for (const model of models) {
      const response = await shared.chat({ model }, { key: 'no-credits' })
      if (response.error === undefined && response.status === required) rejected += 1
      if (response.status !== required && isOtherRejection(response)) {
        // The model may not serve chat, so the funded key must get a completion from it.
        const served = await shared.chat({ model, ...EACH_MODEL_CHAT_FIELDS })
        if (expect.isServed(served)) other ??= failForModel(response, model)
      }
      if (!expect.isServed(response)) continue
      if (await areSwapped(context)) return SWAPPED
      return failForModel(response, model)
    }
    // The checks of single operations report a target that never sends a 402.
    if (rejected > 0 && other !== undefined) return other
    if (rejected === 0) return expect.markNoEvidence('response-402')
    const seen = { kind: 'models-without-credits', rejected, models: models.length } as const
    return required === 402
      ? expect.pass(PAYMENT_REQUIRED, seen)
      : { ...expect.pass({ status: [required] }, seen), verdict: 'declared', differences: ['missingCredits'] }
  },
})

function failForModel(response: Exchange, model: string): Outcome {
  const outcome = expect.fail(PAYMENT_REQUIRED, expect.describeUnexpected(response))
  return expect.addDifference({ account: 'no-credits', model }, { ...outcome, exchange: response })
}

/** Returns whether a rejection has neither the required status nor that of a rate limit. */
function isOtherRejection({ error, status }: Exchange): boolean {
  return error === undefined && status >= 400 && status < 500 && status !== 402 && status !== 429
}

export const creditChecks: readonly Check[] = [
  ...forOperations(
    {
      chat: '5/no-credits-chat',
      images: '5/no-credits-images',
      transcriptions: '5/no-credits-transcriptions',
      speech: '5/no-credits-speech',
    },
    (operation, id) =>
      defineCheck({
        id,
        requirement: '5/insufficient-credits',
        title: 'returns 402 for an account without credits',
        operation,
        needs: [...listPrerequisites(operation), 'no-credits'],
        cost: calculateMaxCost(operation, 4),
        inTurn: true,
        run: (context) =>
          expectPaymentRequired(context, (requests, options) => sendPlainRequest(requests, operation, options)),
      }),
  ),
  defineCheck({
    id: '5/no-credits-chat-stream',
    requirement: '5/insufficient-credits',
    title: 'returns 402 for a stream without credits, not an event inside a 200',
    operation: 'chat',
    needs: ['funded', 'chatModel', 'no-credits'],
    cost: calculateMaxCost('chat', 4),
    inTurn: true,
    run: (context) => expectPaymentRequired(context, (requests, options) => requests.chat({ stream: true }, options)),
  }),
  noCreditsModelsCheck,
  defineObservationCheck({
    id: '5/models-without-credits',
    requirement: '5/models-credits',
    tried: 'listing models without credits',
    operation: 'models',
    needs: ['no-credits'],
    inTurn: true,
    request: ({ listModels }) => listModels({ key: 'no-credits' }),
  }),
]
