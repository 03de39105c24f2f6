import { OPERATIONS } from '../../../contract/facts.ts'
import { type Check, defineCheck, calculateMaxCost, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { JsonOperation } from '../../requests/build-request.ts'
import * as expect from '../../findings/expect.ts'
import type { RequestDifference } from '../../findings/request-difference.ts'
import { EACH_MODEL_STREAM_FIELDS, LONG_CHAT_TOKENS } from '../shared/long-completion.ts'
import { forOperations, sendPlainRequest, sendWithModel } from '../shared/operation.ts'
import { getRequestText } from '../shared/response-access.ts'
import { type Observation, defineObservationCheck } from '../shared/observation-check.ts'

/** A well-formed model ID that the target does not list. */
export const UNKNOWN_MODEL = 'touchstone-no-such-model'
/** A path with the prefix of all operations that belongs to no operation. */
export const UNKNOWN_ENDPOINT = '/v1/touchstone-no-such-endpoint'
/** Two segments below an existing path, because a completion ID may follow it in a target that stores completions. */
const UNKNOWN_ENDPOINT_BELOW = `${OPERATIONS.chat.path}/touchstone-no-such-completion/touchstone-no-such-endpoint`

/** JSON that is nested deeply enough to exhaust a recursive parser, although the body is small. */
const NESTED_ARRAYS = '['.repeat(2000) + ']'.repeat(2000)

interface InvalidBody {
  readonly ids: Readonly<Record<JsonOperation, string>>
  readonly title: string
  readonly bodies: (valid: string) => readonly (readonly [difference: RequestDifference, rawBody: string])[]
  readonly count: number
}

function byText(rawBody: string): readonly [RequestDifference, string] {
  return [
    rawBody.length > MAX_BODY_TEXT ? { body: `a body of ${rawBody.length} brackets` } : { bodyText: rawBody },
    rawBody,
  ]
}

const MAX_BODY_TEXT = 80

const INVALID_BODIES: readonly InvalidBody[] = [
  {
    ids: {
      chat: '7/malformed-json-chat',
      images: '7/malformed-json-images',
      speech: '7/malformed-json-speech',
    },
    title: 'returns 400 for a body that is not JSON',
    bodies: (valid) => [
      byText('{"model":'),
      byText('{model: 1}'),
      [{ body: 'a body with a word after it' }, `${valid} touchstone`],
      [{ body: 'a body without its last brace' }, valid.slice(0, -1)],
      [{ body: 'a body with a comma before its last brace' }, `${valid.slice(0, -1)},}`],
    ],
    count: 5,
  },
  {
    ids: { chat: '7/no-object-chat', images: '7/no-object-images', speech: '7/no-object-speech' },
    title: 'returns 400 for a JSON body that is not an object',
    bodies: () => ['[]', '"text"', '5', 'null', NESTED_ARRAYS].map(byText),
    count: 5,
  },
  {
    ids: { chat: '7/empty-body-chat', images: '7/empty-body-images', speech: '7/empty-body-speech' },
    title: 'returns 400 for an empty body',
    bodies: () => [byText('')],
    count: 1,
  },
]

const UNKNOWN_ENDPOINTS = [
  {
    id: '7/unknown-endpoint-post',
    title: 'returns 404 for a POST to an unknown endpoint',
    path: UNKNOWN_ENDPOINT,
  },
  // A target that compares only the start of a path would serve it.
  {
    id: '7/unknown-endpoint-below',
    title: 'returns 404 for a POST to an unknown endpoint below a known one',
    path: UNKNOWN_ENDPOINT_BELOW,
  },
] as const

export const errorChecks: readonly Check[] = [
  ...INVALID_BODIES.flatMap(({ ids, title, bodies, count }) =>
    forOperations(ids, (operation, id) =>
      defineCheck({
        id,
        requirement: '7/400',
        title,
        operation,
        cost: calculateMaxCost(operation, 1 + count),
        async run(context) {
          const control = await sendPlainRequest(context.shared, operation)
          const invalid: expect.InvalidRequest[] = []
          for (const [difference, rawBody] of bodies(getRequestText(control))) {
            invalid.push({ difference, response: await sendPlainRequest(context, operation, { rawBody }) })
          }
          return expect.checkErrorResponses(invalid, 400, { control })
        },
      }),
    ),
  ),
  defineCheck({
    id: '7/bad-parameter-chat-stream',
    requirement: '7/400',
    title: 'returns 400 for a stream with a temperature above 2',
    operation: 'chat',
    cost: { requests: 3, chatTokens: 2 * LONG_CHAT_TOKENS + SMALL_CHAT_TOKENS },
    async run({ chat, shared }) {
      // Another check requests the same stream from each model. If the target rejects it, its messages may be the cause.
      const long = await shared.chat(EACH_MODEL_STREAM_FIELDS)
      const fields = expect.isServed(long) ? EACH_MODEL_STREAM_FIELDS : { stream: true, temperature: 2 }
      const control = expect.isServed(long) ? long : await chat(fields)
      const response = await chat({ ...fields, temperature: 2.1 })
      return expect.checkErrorResponse(response, 400, { control, difference: { parameter: 'temperature', value: 2.1 } })
    },
  }),
  ...forOperations(
    {
      chat: '7/unknown-model-chat',
      images: '7/unknown-model-images',
      transcriptions: '7/unknown-model-transcriptions',
      speech: '7/unknown-model-speech',
    },
    (operation, id) =>
      defineCheck({
        id,
        requirement: '7/404',
        title: 'returns 404 for an unknown model',
        operation,
        cost: calculateMaxCost(operation, 3),
        async run(context) {
          const control = await sendPlainRequest(context.shared, operation)
          const invalid: expect.InvalidRequest[] = []
          // The second ID starts with a listed ID. It is still unknown, because the target must compare whole IDs.
          for (const model of [UNKNOWN_MODEL, `${context.models[operation]}-${UNKNOWN_MODEL}`]) {
            const response = await sendWithModel(context.shared, operation, model)
            invalid.push({ difference: { parameter: 'model', value: model }, response })
          }
          return expect.checkErrorResponses(invalid, 404, { control })
        },
      }),
  ),
  defineCheck({
    id: '7/unknown-model-chat-stream',
    requirement: '7/404',
    title: 'returns 404 for a stream with an unknown model',
    operation: 'chat',
    cost: calculateMaxCost('chat', 2),
    async run({ chat, shared }) {
      const control = await shared.chat({ stream: true })
      const response = await chat({ stream: true, model: UNKNOWN_MODEL })
      return expect.checkErrorResponse(response, 404, {
        control,
        difference: { parameter: 'model', value: UNKNOWN_MODEL },
      })
    },
  }),
  defineCheck({
    id: '7/unknown-endpoint-get',
    requirement: '7/404',
    title: 'returns 404 for a GET of an unknown endpoint',
    operation: 'models',
    cost: { requests: 2 },
    async run({ shared, send }) {
      const control = await shared.listModels()
      const difference = { method: 'GET', path: UNKNOWN_ENDPOINT }
      const response = await send({ ...difference, key: 'funded' })
      return expect.checkErrorResponse(response, 404, { control, difference })
    },
  }),
  ...UNKNOWN_ENDPOINTS.map(({ id, title, path }) =>
    defineCheck({
      id,
      requirement: '7/404',
      title,
      operation: 'chat',
      cost: calculateMaxCost('chat', 2),
      async run({ shared, send }) {
        const control = await shared.chat()
        const { body } = control.request
        const headers = { 'content-type': 'application/json' }
        const difference = { method: 'POST', path }
        const response = await send({ ...(body && { body }), ...difference, key: 'funded', headers })
        return expect.checkErrorResponse(response, 404, { control, difference })
      },
    }),
  ),
]

/** Requests that each violate two rules. The specification does not state which violation determines the status. */
const OBSERVATIONS: readonly Omit<Observation, 'requirement'>[] = [
  {
    id: '7/order-401-404',
    tried: 'no key on an unknown endpoint',
    inTitle: 'an unknown endpoint without a key',
    operation: 'models',
    request: ({ send }) => send({ method: 'GET', path: UNKNOWN_ENDPOINT, key: 'none' }),
  },
  {
    id: '7/order-401-400',
    tried: 'no key with a malformed body',
    inTitle: 'a malformed body without a key',
    operation: 'chat',
    request: ({ chat }) => chat({}, { key: 'none', rawBody: '{"model":' }),
  },
  {
    id: '7/order-404-400',
    tried: 'an unknown model with a temperature above 2',
    operation: 'chat',
    request: ({ chat }) => chat({ model: UNKNOWN_MODEL, temperature: 2.1 }),
  },
  {
    id: '7/order-402-400',
    tried: 'no credits with a temperature above 2',
    inTitle: 'a temperature above 2 without credits',
    operation: 'chat',
    needs: ['no-credits'],
    inTurn: true,
    request: ({ chat }) => chat({ temperature: 2.1 }, { key: 'no-credits' }),
  },
  {
    id: '7/order-402-404',
    tried: 'no credits with an unknown model',
    inTitle: 'an unknown model without credits',
    operation: 'chat',
    needs: ['no-credits'],
    inTurn: true,
    request: ({ chat }) => chat({ model: UNKNOWN_MODEL }, { key: 'no-credits' }),
  },
]

export const orderChecks: readonly Check[] = OBSERVATIONS.map((observation) =>
  defineObservationCheck({ ...observation, requirement: '7/order' }),
)
