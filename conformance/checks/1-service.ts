import { MODELS } from '../../contract/facts.ts'
import { defineCheck } from '../harness/check.ts'
import type { Check, CheckContext, Outcome } from '../harness/check.ts'
import * as expect from '../harness/expect.ts'
import { ALL_OPERATIONS, costOf, needsOf, plainRequest, requestWithModel } from './operation.ts'
import { mediaType } from './read.ts'

const MEDIA_OPERATIONS = ['images', 'transcriptions', 'speech'] as const

const EXPECTED = 'the operation is offered'

function plainOffer(operation: 'models' | 'chat'): Check {
  return defineCheck({
    id: `1/${operation}-offered`,
    requirement: '1/five-operations',
    title: `the operation ${operation} is offered`,
    operation,
    needs: needsOf(operation),
    cost: costOf(operation, 1),
    run: async (context) => expect.success(await plainRequest(context, operation), EXPECTED),
  })
}

function byPrice(): readonly string[] {
  return [...MODELS].sort((a, b) => Number(a.creditsPerToken) - Number(b.creditsPerToken)).map(({ id }) => id)
}

/** Which models serve an operation is not shown: it is missing only when none of the eight does. */
async function findOffer(context: CheckContext, operation: (typeof MEDIA_OPERATIONS)[number]): Promise<Outcome> {
  const found = context.models[operation]
  const answers: string[] = []
  for (const model of found ? [found] : byPrice()) {
    const outcome = expect.success(await requestWithModel(context, operation, model), EXPECTED)
    if (outcome.verdict !== 'fail') return outcome
    answers.push(`${model} ${outcome.actual}`)
  }
  return expect.failed(EXPECTED, `no model serves it: ${answers.join(', ')}`)
}

const mediaOffers = MEDIA_OPERATIONS.map((operation) =>
  defineCheck({
    id: `1/${operation}-offered`,
    requirement: '1/five-operations',
    title: `the operation ${operation} is offered by a model`,
    operation,
    needs: ['key'],
    cost: { requests: MODELS.length },
    run: (context) => findOffer(context, operation),
  }),
)

const jsonMediaTypes = ALL_OPERATIONS.filter((operation) => operation !== 'speech').map((operation) =>
  defineCheck({
    id: `1/json-media-type-${operation}`,
    requirement: '1/sdk',
    title: `the JSON answer of ${operation} has the media type application/json`,
    operation,
    needs: needsOf(operation),
    cost: costOf(operation, 1),
    async run(context) {
      return expect.keeps(
        await plainRequest(context, operation),
        'application/json',
        (answer) => (mediaType(answer) === 'application/json' ? undefined : `the media type is "${mediaType(answer)}"`),
        'the openai SDK for node hands back a string instead of an object',
      )
    },
  }),
)

export const requestId = defineCheck({
  id: '1/request-id',
  requirement: '1/sdk',
  title: 'an answer carries x-request-id',
  operation: 'models',
  needs: ['key'],
  cost: costOf('models', 1),
  async run({ listModels }) {
    return expect.keeps(
      await listModels(),
      'a header x-request-id',
      ({ headers }) => (headers['x-request-id'] ? undefined : 'the header is missing'),
      'the request id that the openai SDKs show with answers and errors is empty, and support cannot find a request',
    )
  },
})

export const serviceChecks: readonly Check[] = [
  plainOffer('models'),
  plainOffer('chat'),
  ...mediaOffers,
  ...jsonMediaTypes,
  requestId,
]
