import { type Check, type CheckContext, type CheckCost, defineCheck, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import { readListedIds } from '../../engine/discover-models.ts'
import { type ModelCatalog, SPECIFIED_MODELS } from '../../engine/model-catalog.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { ResponseParams } from '../../findings/fact-params.ts'
import { findModelDeviation, NOT_JSON } from '../2.3-completion/completion.ts'
import { checkServedLikePlain } from '../shared/common-form.ts'
import { compareValue, createWrongType, defineField, findFirstDeviation } from '../shared/fields.ts'
import { EACH_MODEL_CHAT_FIELDS, EACH_MODEL_STREAM_FIELDS, LONG_CHAT_TOKENS } from '../shared/long-completion.ts'
import { addChatCostPerModel } from '../shared/operation.ts'
import { getMember, isObject, getItems } from '../shared/response-access.ts'

const MODEL_FIELDS = [
  defineField('2.1/id', 'gives each model an id, a string', 'data[].id', 'string'),
  defineField('2.1/object', 'gives each model the object "model"', 'data[].object', { value: 'model' }),
  defineField('2.1/created', 'gives each model a created time in whole seconds', 'data[].created', 'unix-seconds'),
  defineField('2.1/owned-by', 'gives each model an owned_by, a string', 'data[].owned_by', 'string'),
]

const NO_MODEL = expect.markNoEvidence('listed-model')

function isEmptyList(response: Exchange): boolean {
  const data = getMember(response.json, 'data')
  return expect.isServed(response) && Array.isArray(data) && data.length === 0
}

export const listShapeCheck = defineCheck({
  id: '4.1/list-shape',
  requirement: '4.1/response',
  title: 'returns an object "list" with an array of model objects',
  operation: 'models',
  async run({ shared }) {
    return expect.checkResponse(await shared.listModels(), { rule: 'list' }, ({ json }) => findShapeDeviation(json))
  },
})

function findShapeDeviation(list: unknown): Deviation | undefined {
  const object = compareValue(list, ['object'], 'list')
  if (object !== undefined) return object
  const data = getMember(list, 'data')
  if (!Array.isArray(data)) return createWrongType(['data'], data)
  const index = data.findIndex((item) => !isObject(item))
  return index === -1 ? undefined : createWrongType(['data', index], data[index])
}

export function findListDeviation(list: unknown): Deviation | undefined {
  return findShapeDeviation(list) ?? findFirstDeviation(MODEL_FIELDS.map(({ find }) => find(list)))
}

/** Number of times that the check lists the models, because replicas of a service may return different lists. */
const LISTS = 3

export const allModelsListedCheck = defineCheck({
  id: '2.1/all-listed',
  requirement: '2.1/available-models',
  title: 'lists the eight model IDs, or the models declared for this target',
  operation: 'models',
  cost: { requests: LISTS },
  async run({ shared, listModels, catalog }) {
    const { origin, models } = catalog.origin === 'declared' ? catalog : SPECIFIED_MODELS
    const rule = origin === 'declared' ? 'declared-models-listed' : 'all-models-listed'
    const evaluate = (list: Exchange): Outcome =>
      expect.checkResponse(list, { rule }, ({ json }) => {
        const listed = new Set(getItems(getMember(json, 'data')).map((model) => getMember(model, 'id')))
        const missing = models.map(({ id }) => id).filter((id) => !listed.has(id))
        return missing.length === 0 ? undefined : { code: 'models-not-listed', params: { missing } }
      })
    const outcomes = [evaluate(await shared.listModels())]
    while (outcomes.length < LISTS && outcomes.at(-1)?.verdict !== 'not-testable') {
      outcomes.push(evaluate(await listModels()))
    }
    const failures = outcomes.filter(({ verdict }) => verdict === 'fail')
    const [failure] = failures
    if (failure === undefined) {
      return outcomes.find(({ verdict }) => verdict === 'not-testable') ?? expect.pass({ rule })
    }
    return failures.length === outcomes.length
      ? failure
      : expect.addDifference({ responses: failures.length, of: outcomes.length }, failure)
  },
})

/**
 * Sends a request to each chat model, until a model does not serve it. Fails for the first response that deviates, and
 * still sends the other requests, because `init` reads from the evidence which models serve chat. A model that need not
 * serve chat may reject the request: the specification does not cover the models of a target that lists none of the
 * specified ones.
 */
async function expectOfEachModel(
  context: CheckContext,
  expected: Expectation,
  send: (model: string) => Promise<Exchange>,
  find: (response: Exchange, model: string) => Deviation | undefined,
): Promise<Outcome> {
  const served: string[] = []
  const rejected: string[] = []
  let failure: Outcome | undefined
  const { catalog } = context
  for (const id of catalog.chatModels()) {
    const response = await send(id)
    if (!catalog.requiresChat(id) && isRejected(response)) {
      rejected.push(id)
      continue
    }
    const difference = { parameter: 'model', value: id }
    const outcome = await checkServedLikePlain(response, context)
    if (outcome.verdict !== 'pass') return failure ?? expect.addDifference(difference, outcome)
    const deviation = find(response, id)
    if (deviation !== undefined) {
      failure ??= expect.addDifference(difference, { ...expect.fail(expected, deviation), exchange: response })
    }
    served.push(id)
  }
  if (failure !== undefined) return failure
  if (catalog.origin !== 'listed') return expect.pass(expected, { kind: 'all-models', models: served.length })
  if (served.length === 0) return expect.markNoEvidence('served-model')
  return expect.pass(expected, { kind: 'listed-models', served, rejected })
}

function isRejected({ error, status }: Exchange): boolean {
  return error === undefined && status >= 400 && status < 500
}

/**
 * Returns a function that sends a chat with the fields `other` to a model. Another check sends the same chat, so that
 * both checks share one response. If the target rejects a chat, this chat and all later ones have the fields `plain`.
 */
function chatWithModel({ shared }: CheckContext, other: Fields, plain: Fields): (model: string) => Promise<Exchange> {
  let hasRejected = false
  return async (model) => {
    if (hasRejected) return shared.chat({ model, ...plain })
    const response = await shared.chat({ model, ...other })
    hasRejected = isRejected(response) && response.status !== 402
    return hasRejected ? shared.chat({ model, ...plain }) : response
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the cheapest and the most expensive model, or the first and the last one if prices are unknown. */
function extremesOf({ models }: ModelCatalog): readonly string[] {
  return [...new Set([models.at(0)?.id ?? '', models.at(-1)?.id ?? ''])]
}

function costOfExtremes(catalog: ModelCatalog): CheckCost {
  const tokensByModel = Object.fromEntries(extremesOf(catalog).map((model) => [model, 2 * SMALL_CHAT_TOKENS]))
  return { requests: 6, tokensByModel }
}

export const capabilitiesCheck = defineCheck({
  id: '2.1/capabilities',
  requirement: '2.1/capabilities',
  title: 'whether the cheapest and the most expensive model serve images and audio',
  operation: 'images',
  needs: ['funded'],
  cost: costOfExtremes(SPECIFIED_MODELS),
  costWith: ({ catalog }) => costOfExtremes(catalog),
  async run({ shared: { images, transcriptions, speech }, catalog }) {
    const responses: (ResponseParams & { readonly model: string; readonly operation: string })[] = []
    for (const [operation, send] of Object.entries({ images, transcriptions, speech })) {
      for (const model of extremesOf(catalog)) {
        const response = await send({ model })
        const outcome = expect.observe(response)
        // A complete 5xx shows that the model does not serve the operation, and its breakdown check reports it.
        const isServerError = response.error === undefined && response.status >= 500
        if (outcome.verdict !== 'observed' && !isServerError) return outcome
        responses.push({ model, operation, ...expect.getResponseParams(response) })
      }
    }
    return expect.observeFact({ kind: 'by-model', responses })
  },
})

export const modelChecks: readonly Check[] = [
  ...MODEL_FIELDS.map(({ id, title, expected, find }) =>
    defineCheck({
      id,
      requirement: id,
      title,
      operation: 'models',
      async run({ shared }) {
        const response = await shared.listModels()
        if (isEmptyList(response)) return NO_MODEL
        return expect.checkResponse(response, expected, ({ json }) => find(json))
      },
    }),
  ),
  // The merged list of a gateway often contains a model of several upstreams more than once.
  defineCheck({
    id: '2.1/ids-differ',
    requirement: '2.1/unique-ids',
    title: 'lists each model ID once',
    operation: 'models',
    async run({ shared }) {
      const response = await shared.listModels()
      const ids = getItems(getMember(response.json, 'data')).map((model) => getMember(model, 'id'))
      if (expect.isServed(response) && !ids.some((id) => typeof id === 'string')) return NO_MODEL
      const repeated = ids.find((id, index) => typeof id === 'string' && ids.indexOf(id) !== index)
      return expect.checkConvention(
        response,
        { rule: 'unique-model-ids' },
        () =>
          repeated === undefined
            ? undefined
            : { code: 'model-listed-again', params: { model: createExcerpt(repeated) } },
        'clients that list models by ID show a model more than once, or only one of its entries',
      )
    },
  }),
  allModelsListedCheck,
  // Every model of section 2.1 must serve chat: the section leaves open only which models serve images, audio and vision.
  defineCheck({
    id: '2.1/all-answer-chat',
    requirement: '2.1/identified-by-id',
    title: 'serves a chat with each model',
    operation: 'chat',
    needs: ['funded'],
    ...addChatCostPerModel({ requests: 3 }, { tokens: LONG_CHAT_TOKENS }),
    async run(context) {
      const listed = readListedIds((await context.shared.listModels()).json)
      return expectOfEachModel(
        context,
        { rule: 'model-of-request' },
        chatWithModel(context, EACH_MODEL_CHAT_FIELDS, {}),
        ({ json }, model) =>
          json === undefined
            ? NOT_JSON
            : findModelDeviation(json, model, { aliases: context.declared.aliases, listed }),
      )
    },
  }),
  // Streaming is part of chat, which every model of section 2.1 must serve.
  defineCheck({
    id: '2.1/all-stream-chat',
    requirement: '2.1/identified-by-id',
    title: 'serves a streamed chat with each model',
    operation: 'chat',
    needs: ['funded'],
    ...addChatCostPerModel({ requests: 2 }, { tokens: LONG_CHAT_TOKENS }),
    run: (context) =>
      expectOfEachModel(
        context,
        { rule: 'stream-of-events' },
        chatWithModel(context, EACH_MODEL_STREAM_FIELDS, { stream: true }),
        ({ events }) =>
          events.length === 0 ? { code: 'stream-malformed', params: { problem: 'no-events' } } : undefined,
      ),
  }),
  capabilitiesCheck,
]
