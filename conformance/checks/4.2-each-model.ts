import { type Check, type CheckContext, defineCheck } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import {
  EACH_MODEL_CHAT_FIELDS,
  EACH_MODEL_STREAM_FIELDS,
  LONG_CHAT_TOKENS,
  LONG_COMPLETION_MESSAGES,
  SYSTEM_MESSAGE,
} from './long-completion.ts'
import { addChatCostPerModel } from './operation.ts'

/**
 * Chats with the temperatures 0, 0.3 and 2, to send to each model. The check 4.2/max-tokens-everywhere evaluates the
 * lengths of their completions.
 */
const FORMS = [
  { temperature: 0, max_tokens: 1, messages: LONG_COMPLETION_MESSAGES },
  EACH_MODEL_CHAT_FIELDS,
  EACH_MODEL_STREAM_FIELDS,
] as const

/** Number of additional requests that the check sends after the first rejection, to find its cause. */
const FURTHER_REQUESTS = 3

export const eachModelTemperatureCheck = defineCheck({
  id: '4.2/temperature-each-model',
  requirement: '4.2/temperature-range',
  title: 'accepts a temperature of 0, 0.3 and 2 with each model',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  ...addChatCostPerModel({ requests: FURTHER_REQUESTS }, { requests: FORMS.length, tokens: LONG_CHAT_TOKENS }),
  run: expectTemperatures,
})

/** Sends each of the forms to each model, until it finds a model that rejects a temperature. */
async function expectTemperatures({ chat, shared, catalog, smallMaxTokens }: CheckContext): Promise<Outcome> {
  const models = catalog.chatModels()
  let served = 0
  let hasRejected = false
  let unserved: Exchange | undefined
  for (const model of models) {
    for (const { temperature, ...others } of FORMS) {
      const response = await shared.chat({ model, temperature, ...others })
      if (expect.isServed(response)) served += 1
      else if (!isRejected(response)) unserved ??= response
      if (!isRejected(response) || hasRejected) continue
      hasRejected = true
      if (expect.isServed(await chat({ model, ...others }))) return rejectedTemperature(response, model, temperature)
      // Rules out other causes of the rejection: `max_tokens` may be below the target's unspecified minimum, the model
      // may reject the system message, or it may not serve chat, which other checks report.
      const usual = await chat({ model, temperature, max_tokens: smallMaxTokens })
      if (expect.isServed(usual)) continue
      if (isRejected(usual) && expect.isServed(await chat({ model })))
        return rejectedTemperature(usual, model, temperature)
    }
  }
  if (unserved !== undefined) return expect.checkResponse(unserved, expect.EXPECT_SUCCESS)
  return served === 0
    ? expect.markNotTestable({ code: 'no-evidence', params: { missing: 'served-model' } })
    : expect.pass(expect.EXPECT_SUCCESS, { kind: 'all-models', models: models.length })
}

function rejectedTemperature(response: Exchange, model: string, temperature: number): Outcome {
  const servedWith = { parameter: 'temperature', omitted: true } as const
  const params = { ...expect.getResponseParams(response), servedWith }
  const outcome = expect.fail(expect.EXPECT_SUCCESS, { code: 'served-only-otherwise', params })
  return expect.addDifference(
    { parameter: 'temperature', value: temperature, model },
    { ...outcome, exchange: response },
  )
}

function isRejected({ error, status }: Exchange): boolean {
  return error === undefined && status >= 400 && status < 500 && ![401, 402, 429].includes(status)
}

/** Streams of the same text without the system message, and with the system message alone. */
const WITHOUT_SYSTEM = { ...EACH_MODEL_STREAM_FIELDS, messages: LONG_COMPLETION_MESSAGES }
const ONLY_SYSTEM = { ...EACH_MODEL_STREAM_FIELDS, messages: [SYSTEM_MESSAGE] }

export const eachModelSystemRoleCheck = defineCheck({
  id: '2.3/role-system-each-model',
  requirement: '2.3/request-roles',
  title: 'accepts a message with the role "system" in a stream of each model',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  ...addChatCostPerModel({ requests: 1 }, { requests: 2, tokens: LONG_CHAT_TOKENS }),
  run: expectSystemRole,
})

/**
 * Requests a stream with a system message from each model. Fails for a model that rejects it, also as the only message,
 * and serves the same stream without it. The check 2.3/role-system reports a target that rejects each system message.
 */
async function expectSystemRole({ chat, shared, catalog }: CheckContext): Promise<Outcome> {
  const models = catalog.chatModels()
  const responses: (readonly [model: string, response: Exchange])[] = []
  for (const model of models) responses.push([model, await shared.chat({ model, ...EACH_MODEL_STREAM_FIELDS })])
  const rejected = responses.filter(([, response]) => isRejected(response))
  let unserved = responses.find(([, response]) => !expect.isServed(response) && !isRejected(response))?.[1]
  for (const one of rejected) {
    const [model, response] = one
    // A target may limit the number of messages to one.
    if (expect.isServed(await chat({ model, ...ONLY_SYSTEM }))) continue
    if (unserved === undefined && expect.isServed(await chat({ model, ...WITHOUT_SYSTEM }))) {
      return rejectedSystemRole(one, rejected.length === models.length)
    }
    unserved ??= response
  }
  if (unserved !== undefined) return expect.checkResponse(unserved, expect.EXPECT_SUCCESS)
  return models.length === 0
    ? expect.markNotTestable({ code: 'no-evidence', params: { missing: 'served-model' } })
    : expect.pass(expect.EXPECT_SUCCESS, { kind: 'all-models', models: models.length })
}

function rejectedSystemRole([model, exchange]: readonly [string, Exchange], isOfAllModels: boolean): Outcome {
  const servedWith = { variant: 'without the system message' } as const
  const params = { ...expect.getResponseParams(exchange), servedWith }
  const outcome = { ...expect.fail(expect.EXPECT_SUCCESS, { code: 'served-only-otherwise', params }), exchange }
  return isOfAllModels ? outcome : expect.addDifference({ parameter: 'model', value: model }, outcome)
}

export const eachModelChecks: readonly Check[] = [eachModelTemperatureCheck, eachModelSystemRoleCheck]
