import { type Check, type CheckContext, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import {
  EACH_MODEL_CHAT_FIELDS,
  EACH_MODEL_STREAM_FIELDS,
  LONG_CHAT_TOKENS,
  LONG_COMPLETION_MESSAGES,
  SYSTEM_MESSAGE,
} from '../shared/long-completion.ts'
import { isRejected } from '../shared/common-form.ts'
import { addChatCostPerModel } from '../shared/operation.ts'

/** Forms to send to each model. 4.2/max-tokens-everywhere evaluates the lengths of their completions. */
const FORMS = [EACH_MODEL_CHAT_FIELDS, EACH_MODEL_STREAM_FIELDS] as const

type Form = (typeof FORMS)[number]

/** Requests that find the cause of a rejected form: without the temperature, and with nothing but the temperature. */
const REQUESTS_PER_EXPLANATION = 2

export const eachModelTemperatureCheck = defineCheck({
  id: '4.2/temperature-each-model',
  requirement: '4.2/temperature-range',
  title: 'accepts a temperature of 0 and 2 with each model',
  operation: 'chat',
  ...addChatCostPerModel(
    { requests: FORMS.length * REQUESTS_PER_EXPLANATION },
    // A model that gets the additional plain chat has rejected the other chats, which then cost nothing.
    { requests: FORMS.length + 1, tokens: (FORMS.length * LONG_CHAT_TOKENS) / (FORMS.length + 1) },
  ),
  run: expectTemperatures,
})

/**
 * Sends each of the forms to each model. A rejection may have a cause other than the temperature: the model may
 * reject the system message, or it may not serve chat. Other checks report these causes. If the model rejects the
 * system message, the check sends the form with nothing but its temperature.
 */
async function expectTemperatures({ chat, shared, catalog, smallMaxTokens }: CheckContext): Promise<Outcome> {
  const reduced = new Set<Form>()
  const explained = new Set<Form>()
  const reduce = ({ temperature }: Form) => ({ temperature, max_tokens: smallMaxTokens })
  const served = new Set<string>()
  let unserved: Exchange | undefined
  for (const model of catalog.chatModels()) {
    const responses: (readonly [form: Form, response: Exchange])[] = []
    for (const form of FORMS) {
      responses.push([form, await shared.chat({ model, ...(reduced.has(form) ? reduce(form) : form) })])
    }
    unserved ??= responses.find(([, response]) => !expect.isServed(response) && !isRejected(response))?.[1]
    const rejected = responses.filter(([, response]) => isRejected(response))
    // A model that rejects every form may serve no chat at all.
    if (rejected.length === FORMS.length && !expect.isServed(await shared.chat({ model }))) continue
    served.add(model)
    for (const [form, response] of rejected) {
      const { temperature } = form
      if (reduced.has(form)) return rejectedTemperature(response, model, temperature)
      if (explained.has(form)) {
        unserved ??= response
        continue
      }
      explained.add(form)
      if (expect.isServed(await chat({ model, ...form, temperature: undefined })))
        return rejectedTemperature(response, model, temperature)
      const alone = await chat({ model, ...reduce(form) })
      if (isRejected(alone)) return rejectedTemperature(alone, model, temperature)
      if (expect.isServed(alone)) reduced.add(form)
    }
  }
  if (unserved !== undefined) return expect.checkResponse(unserved, expect.EXPECT_SUCCESS)
  return served.size === 0
    ? expect.markNoEvidence('served-model')
    : expect.pass(expect.EXPECT_SUCCESS, { kind: 'all-models', models: served.size })
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

/** Streams of the same text without the system message, and with the system message alone. */
const WITHOUT_SYSTEM = { ...EACH_MODEL_STREAM_FIELDS, messages: LONG_COMPLETION_MESSAGES }
const ONLY_SYSTEM = { ...EACH_MODEL_STREAM_FIELDS, messages: [SYSTEM_MESSAGE] }

export const eachModelSystemRoleCheck = defineCheck({
  id: '2.3/role-system-each-model',
  requirement: '2.3/request-roles',
  title: 'accepts a message with the role "system" in a stream of each model',
  operation: 'chat',
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
    ? expect.markNoEvidence('served-model')
    : expect.pass(expect.EXPECT_SUCCESS, { kind: 'all-models', models: models.length })
}

function rejectedSystemRole([model, exchange]: readonly [string, Exchange], isOfAllModels: boolean): Outcome {
  const servedWith = { variant: 'without the system message' } as const
  const params = { ...expect.getResponseParams(exchange), servedWith }
  const outcome = { ...expect.fail(expect.EXPECT_SUCCESS, { code: 'served-only-otherwise', params }), exchange }
  return isOfAllModels ? outcome : expect.addDifference({ parameter: 'model', value: model }, outcome)
}

export const eachModelChecks: readonly Check[] = [eachModelTemperatureCheck, eachModelSystemRoleCheck]
