import { MODELS } from '../../contract/facts.ts'
import { type Check, defineCheck } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Deviation, Expectation, Outcome } from '../outcomes/outcome.ts'
import type { ResponseParams } from '../outcomes/seen.ts'
import { eachItem, typeDeviation, valueDeviation, wrongType } from './fields.ts'
import { SMALL_CHAT_TOKENS, TOKENS_OF_EACH_MODEL } from './operation.ts'
import { at, isObject, items } from './read.ts'

interface ModelField {
  readonly name: string
  readonly title: string
  readonly expected: Expectation
  find(list: unknown, path: readonly (string | number)[]): Deviation | undefined
}

const MODEL_FIELDS: readonly ModelField[] = [
  {
    name: 'id',
    title: 'gives each model an id, a string',
    expected: { field: 'data[].id', type: 'string' },
    find: (list, path) => typeDeviation(list, [...path, 'id'], 'string'),
  },
  {
    name: 'object',
    title: 'gives each model the object "model"',
    expected: { field: 'data[].object', value: 'model' },
    find: (list, path) => valueDeviation(list, [...path, 'object'], 'model'),
  },
  {
    name: 'created',
    title: 'gives each model a created time in whole seconds',
    expected: { field: 'data[].created', type: 'unix-seconds' },
    find: (list, path) => typeDeviation(list, [...path, 'created'], 'unix-seconds'),
  },
  {
    name: 'owned-by',
    title: 'gives each model an owned_by, a string',
    expected: { field: 'data[].owned_by', type: 'string' },
    find: (list, path) => typeDeviation(list, [...path, 'owned_by'], 'string'),
  },
]

const modelFieldChecks = MODEL_FIELDS.map(({ name, title, expected, find }) =>
  defineCheck({
    id: `2.1/${name}`,
    requirement: `2.1/${name}`,
    title,
    operation: 'models',
    needs: ['key'],
    cost: { requests: 1 },
    run: async ({ listModels }) =>
      expect.holds(await listModels(), expected, ({ json }) => eachItem(json, ['data'], (path) => find(json, path))),
  }),
)

export const listShape = defineCheck({
  id: '4.1/list-shape',
  requirement: '4.1/response',
  title: 'returns an object "list" with an array of model objects',
  operation: 'models',
  needs: ['key'],
  cost: { requests: 1 },
  async run({ listModels }) {
    return expect.holds(await listModels(), { rule: 'list' }, ({ json }) => {
      const object = valueDeviation(json, ['object'], 'list')
      if (object !== undefined) return object
      const data = at(json, 'data')
      if (!Array.isArray(data)) return wrongType(['data'], data)
      const index = data.findIndex((item) => !isObject(item))
      return index === -1 ? undefined : wrongType(['data', index], data[index])
    })
  },
})

export const allListed = defineCheck({
  id: '2.1/all-listed',
  requirement: '2.1/available-models',
  title: 'lists each of the eight model IDs',
  operation: 'models',
  needs: ['key'],
  cost: { requests: 1 },
  async run({ listModels }) {
    return expect.holds(await listModels(), { rule: 'all-models-listed' }, ({ json }) => {
      const listed = new Set(items(at(json, 'data')).map((model) => at(model, 'id')))
      const missing = MODELS.map(({ id }) => id).filter((id) => !listed.has(id))
      return missing.length === 0 ? undefined : { code: 'models-not-listed', params: { missing } }
    })
  },
})

/** Sends a request to each of the eight models, up to the first that does not serve it or whose response deviates. */
async function expectOfEachModel(
  expected: Expectation,
  send: (model: string) => Promise<Exchange>,
  find: (response: Exchange, model: string) => Deviation | undefined,
): Promise<Outcome> {
  for (const { id } of MODELS) {
    const response = await send(id)
    const difference = { parameter: 'model', value: id }
    const outcome = expect.success(response)
    if (outcome.verdict !== 'pass') return expect.about(difference, outcome)
    const deviation = find(response, id)
    if (deviation !== undefined) return expect.about(difference, expect.failed(expected, deviation))
  }
  return expect.passed(expected, { kind: 'all-models', models: MODELS.length })
}

/** Every listed model serves chat: section 2.1 leaves open only which models serve images, audio and vision. */
export const allServeChat = defineCheck({
  id: '2.1/all-answer-chat',
  requirement: '2.1/identified-by-id',
  title: 'serves a chat with each of the eight models',
  operation: 'chat',
  needs: ['key'],
  cost: { requests: MODELS.length, tokensByModel: TOKENS_OF_EACH_MODEL },
  run: ({ chat }) =>
    expectOfEachModel(
      { rule: 'model-of-request' },
      (model) => chat({ model }),
      ({ json }, model) => valueDeviation(json, ['model'], model),
    ),
})

/** Streaming is part of chat: the document leaves open only which models serve images, audio and vision. */
export const allStreamChat = defineCheck({
  id: '2.1/all-stream-chat',
  requirement: '2.1/identified-by-id',
  title: 'serves a streamed chat with each of the eight models',
  operation: 'chat',
  needs: ['key'],
  cost: { requests: MODELS.length, tokensByModel: TOKENS_OF_EACH_MODEL },
  run: ({ chat }) =>
    expectOfEachModel(
      { rule: 'stream-of-events' },
      (model) => chat({ model, stream: true }),
      ({ events }) =>
        events.length === 0 ? { code: 'stream-malformed', params: { problem: 'no-events' } } : undefined,
    ),
})

export const capabilities = defineCheck({
  id: '2.1/capabilities',
  requirement: '2.1/capabilities',
  title: 'whether the cheapest and the most expensive model serve images and audio',
  operation: 'images',
  needs: ['key'],
  cost: {
    requests: 6,
    tokensByModel: { 'vendora-v4-flash': 2 * SMALL_CHAT_TOKENS, 'vendorc-4o': 2 * SMALL_CHAT_TOKENS },
  },
  async run({ images, transcriptions, speech }) {
    const responses: (ResponseParams & { readonly model: string; readonly operation: string })[] = []
    for (const [operation, send] of Object.entries({ images, transcriptions, speech })) {
      for (const model of ['vendora-v4-flash', 'vendorc-4o']) {
        const response = await send({ model })
        const outcome = expect.observed(response)
        if (outcome.verdict !== 'observed') return outcome
        responses.push({ model, operation, ...expect.paramsOf(response) })
      }
    }
    return expect.saw({ kind: 'by-model', responses })
  },
})

export const modelChecks: readonly Check[] = [...modelFieldChecks, allListed, allServeChat, allStreamChat, capabilities]

export const listChecks: readonly Check[] = [listShape]
