import { MODELS } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { SMALL_CHAT_TOKENS, TOKENS_OF_EACH_MODEL } from './operation.ts'
import { at, isObject, items, show, timestampProblem } from './read.ts'

type FieldProblem = (model: unknown, place: string) => string | undefined

/** A check of one field of each model in the list. */
function modelField(name: string, title: string, expected: string, problem: FieldProblem): Check {
  return defineCheck({
    id: `2.1/${name}`,
    requirement: `2.1/${name}`,
    title,
    operation: 'models',
    needs: ['key'],
    cost: { requests: 1 },
    async run({ listModels }) {
      return expect.holds(await listModels(), expected, ({ json }) => {
        const models = items(at(json, 'data'))
        if (models.length === 0) return 'the list has no models'
        return models.map((model, index) => problem(model, `data[${index}]`)).find((found) => found !== undefined)
      })
    },
  })
}

function textProblem(field: string): FieldProblem {
  return (model, place) => {
    const value = at(model, field)
    return typeof value === 'string' ? undefined : `${place}.${field} is ${show(value)}, not a string`
  }
}

export const listShape = defineCheck({
  id: '4.1/list-shape',
  requirement: '4.1/response',
  title: 'the answer is an object "list" with an array of model objects',
  operation: 'models',
  needs: ['key'],
  cost: { requests: 1 },
  async run({ listModels }) {
    return expect.holds(await listModels(), 'object = "list" and data, an array of objects', ({ json }) => {
      if (at(json, 'object') !== 'list') return `object is ${show(at(json, 'object'))}`
      const data = at(json, 'data')
      if (!Array.isArray(data)) return `data is ${show(data)}, not an array`
      const other = data.find((item) => !isObject(item))
      return other === undefined ? undefined : `data contains ${show(other)}, not an object`
    })
  },
})

export const allListed = defineCheck({
  id: '2.1/all-listed',
  requirement: '2.1/available-models',
  title: 'each of the eight model IDs is in the list',
  operation: 'models',
  needs: ['key'],
  cost: { requests: 1 },
  async run({ listModels }) {
    return expect.holds(await listModels(), 'the eight model IDs of section 2.1, and any others', ({ json }) => {
      const listed = new Set(items(at(json, 'data')).map((model) => at(model, 'id')))
      const missing = MODELS.map(({ id }) => id).filter((id) => !listed.has(id))
      return missing.length === 0 ? undefined : `not listed: ${missing.join(', ')}`
    })
  },
})

/** Asks each of the eight models, and ends with the first that does not answer, or of whose answer there is a problem. */
async function askEach(
  expected: string,
  ask: (model: string) => Promise<Exchange>,
  problem: (answer: Exchange, model: string) => string | undefined,
): Promise<Outcome> {
  for (const { id } of MODELS) {
    const answer = await ask(id)
    const outcome = expect.success(answer, expected)
    if (outcome.verdict !== 'pass') return { ...outcome, actual: `${id}: ${outcome.actual}` }
    const found = problem(answer, id)
    if (found !== undefined) return expect.failed(expected, `${id}: ${found}`)
  }
  return expect.passed(expected, 'all eight answered')
}

/** No silence covers chat: section 2.1 leaves open only which models serve images, audio and vision. */
export const allAnswerChat = defineCheck({
  id: '2.1/all-answer-chat',
  requirement: '2.1/identified-by-id',
  title: 'each of the eight models answers a chat',
  operation: 'chat',
  needs: ['key'],
  cost: { requests: MODELS.length, tokensByModel: TOKENS_OF_EACH_MODEL },
  run: ({ chat }) =>
    askEach(
      'a completion from each model',
      (model) => chat({ model }),
      ({ json }, model) => {
        const used = at(json, 'model')
        return used === model ? undefined : `the completion is from the model ${show(used)}`
      },
    ),
})

/** Streaming is a way to chat: the document leaves open which models serve images, audio and vision, and no more. */
export const allStreamChat = defineCheck({
  id: '2.1/all-stream-chat',
  requirement: '2.1/identified-by-id',
  title: 'each of the eight models answers a streamed chat',
  operation: 'chat',
  needs: ['key'],
  cost: { requests: MODELS.length, tokensByModel: TOKENS_OF_EACH_MODEL },
  run: ({ chat }) =>
    askEach(
      'a stream from each model',
      (model) => chat({ model, stream: true }),
      ({ events }) => (events.length === 0 ? 'the body contains no event' : undefined),
    ),
})

export const capabilities = defineCheck({
  id: '2.1/capabilities',
  requirement: '2.1/capabilities',
  title: 'which of the cheapest and the dearest model serve images and audio',
  operation: 'images',
  needs: ['key'],
  cost: {
    requests: 6,
    tokensByModel: { 'vendora-v4-flash': 2 * SMALL_CHAT_TOKENS, 'vendorc-4o': 2 * SMALL_CHAT_TOKENS },
  },
  async run({ images, transcriptions, speech }) {
    const found: string[] = []
    for (const [name, ask] of Object.entries({ images, transcriptions, speech })) {
      for (const model of ['vendora-v4-flash', 'vendorc-4o']) {
        const outcome = expect.observed(await ask({ model }))
        if (outcome.verdict !== 'observed') return outcome
        found.push(`${model} for ${name}: ${outcome.actual}`)
      }
    }
    return { verdict: 'observed', expected: [], actual: found.join('; ') }
  },
})

export const modelChecks: readonly Check[] = [
  modelField('id', 'each model has an id, a string', 'a string id', textProblem('id')),
  modelField('object', 'each model has the object "model"', 'object = "model"', (model, place) => {
    const value = at(model, 'object')
    return value === 'model' ? undefined : `${place}.object is ${show(value)}`
  }),
  modelField(
    'created',
    'each model has a created time in whole seconds',
    'created, an integer Unix time in seconds',
    (model, place) => timestampProblem(`${place}.created`, at(model, 'created')),
  ),
  modelField('owned-by', 'each model has an owned_by, a string', 'a string owned_by', textProblem('owned_by')),
  allListed,
  allAnswerChat,
  allStreamChat,
  capabilities,
]

export const listChecks: readonly Check[] = [listShape]
