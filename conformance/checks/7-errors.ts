import { OPERATIONS } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { CHARGED_OPERATIONS, costOf, JSON_OPERATIONS, needsOf, plainRequest, requestWithModel } from './operation.ts'
import { show } from './read.ts'

/** Of the form of a model ID, and not in the list. */
export const UNKNOWN_MODEL = 'touchstone-no-such-model'
/** Under the prefix of all operations, and none of them. */
export const UNKNOWN_ENDPOINT = '/v1/touchstone-no-such-endpoint'

/** Deep enough to exhaust a reader that calls itself, and small. */
const NESTED_ARRAYS = '['.repeat(2000) + ']'.repeat(2000)

interface BadBody {
  readonly title: string
  /** The bodies, from that of the valid request, each with the words for it. */
  readonly bodies: (valid: string) => readonly (readonly [what: string, rawBody: string])[]
  readonly count: number
}

function shown(rawBody: string): readonly [string, string] {
  return [`the body ${show(rawBody)}`, rawBody]
}

const BAD_BODIES: Readonly<Record<string, BadBody>> = {
  'malformed-json': {
    title: 'a body that is no JSON is refused with 400',
    bodies: (valid) => [
      shown('{"model":'),
      shown('{model: 1}'),
      ['the valid body with a word after it', `${valid} touchstone`],
      ['the valid body without its last brace', valid.slice(0, -1)],
      ['the valid body with a comma before its last brace', `${valid.slice(0, -1)},}`],
    ],
    count: 5,
  },
  'no-object': {
    title: 'a JSON body that is no object is refused with 400',
    bodies: () => ['[]', '"text"', '5', 'null', NESTED_ARRAYS].map(shown),
    count: 5,
  },
  'empty-body': { title: 'an empty body is refused with 400', bodies: () => [shown('')], count: 1 },
}

const badBodyChecks = Object.entries(BAD_BODIES).flatMap(([name, { title, bodies, count }]) =>
  JSON_OPERATIONS.map((operation) =>
    defineCheck({
      id: `7/${name}-${operation}`,
      requirement: '7/400',
      title,
      operation,
      needs: needsOf(operation),
      cost: costOf(operation, 1 + count),
      async run(context) {
        const twin = await plainRequest(context, operation)
        const mistakes: expect.Mistake[] = []
        for (const [what, rawBody] of bodies(textOf(twin))) {
          mistakes.push({ what, answer: await plainRequest(context, operation, { rawBody }) })
        }
        return expect.everyRefusal(mistakes, 400, { becauseTwinWorks: twin })
      },
    }),
  ),
)

export const badStream = defineCheck({
  id: '7/bad-parameter-chat-stream',
  requirement: '7/400',
  title: 'a stream with a temperature above 2 is refused with the status 400',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const twin = await chat({ stream: true, temperature: 2 })
    const refused = await chat({ stream: true, temperature: 2.1 })
    return expect.refusal(refused, 400, { becauseTwinWorks: twin })
  },
})

const unknownModelChecks = CHARGED_OPERATIONS.map((operation) =>
  defineCheck({
    id: `7/unknown-model-${operation}`,
    requirement: '7/404',
    title: 'an unknown model is refused with 404',
    operation,
    needs: needsOf(operation),
    cost: costOf(operation, 3),
    async run(context) {
      const twin = await plainRequest(context, operation)
      const mistakes: expect.Mistake[] = []
      // A model is identified by its whole ID: one that only begins like a listed one is none.
      for (const model of [UNKNOWN_MODEL, `${context.models[operation]}-${UNKNOWN_MODEL}`]) {
        mistakes.push({ what: `the model ${model}`, answer: await requestWithModel(context, operation, model) })
      }
      return expect.everyRefusal(mistakes, 404, { becauseTwinWorks: twin })
    },
  }),
)

export const unknownModelStream = defineCheck({
  id: '7/unknown-model-chat-stream',
  requirement: '7/404',
  title: 'a stream from an unknown model is refused with the status 404',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const twin = await chat({ stream: true })
    const refused = await chat({ stream: true, model: UNKNOWN_MODEL })
    return expect.refusal(refused, 404, { becauseTwinWorks: twin })
  },
})

export const unknownEndpointGet = defineCheck({
  id: '7/unknown-endpoint-get',
  requirement: '7/404',
  title: 'a GET of an unknown endpoint is refused with 404',
  operation: 'models',
  needs: ['key'],
  cost: { requests: 2 },
  async run({ keys, listModels, send }) {
    const twin = await listModels()
    const headers = { authorization: `Bearer ${keys.funded}` }
    const refused = await send({ method: 'GET', path: UNKNOWN_ENDPOINT, headers })
    return expect.refusal(refused, 404, { becauseTwinWorks: twin })
  },
})

export const unknownEndpointPost = defineCheck({
  id: '7/unknown-endpoint-post',
  requirement: '7/404',
  title: 'a POST to an unknown endpoint is refused with 404',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ keys, chat, send }) {
    const twin = await chat()
    const headers = { authorization: `Bearer ${keys.funded}`, 'content-type': 'application/json' }
    const refused = await send({ ...sameBody(twin.request.body), method: 'POST', path: UNKNOWN_ENDPOINT, headers })
    return expect.refusal(refused, 404, { becauseTwinWorks: twin })
  },
})

/** Below a path that exists: a target that goes by the beginning of a path alone serves it. */
export const unknownEndpointBelow = defineCheck({
  id: '7/unknown-endpoint-below',
  requirement: '7/404',
  title: 'a POST to an unknown endpoint below a known one is refused with 404',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ keys, chat, send }) {
    const twin = await chat()
    const headers = { authorization: `Bearer ${keys.funded}`, 'content-type': 'application/json' }
    const path = `${OPERATIONS.chat.path}/touchstone-no-such-endpoint`
    const refused = await send({ ...sameBody(twin.request.body), method: 'POST', path, headers })
    return expect.refusal(refused, 404, { becauseTwinWorks: twin })
  },
})

function textOf({ request }: Exchange): string {
  return Buffer.from(request.body ?? []).toString('utf8')
}

function sameBody(body: Uint8Array | undefined): { body?: Uint8Array } {
  return body === undefined ? {} : { body }
}

export const errorChecks: readonly Check[] = [
  ...badBodyChecks,
  badStream,
  ...unknownModelChecks,
  unknownModelStream,
  unknownEndpointGet,
  unknownEndpointPost,
  unknownEndpointBelow,
]
