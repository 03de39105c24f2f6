import { MODELS } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { audioFile, type Form, FORMS, refusesForm, SEARCHED, type Searched } from '../requests/request-forms.ts'
import { modelsByPrice } from '../engine/prices.ts'
import { ALL_OPERATIONS, costOf, needsOf, plainRequest } from './operation.ts'
import { mediaType } from './read.ts'

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

/**
 * Which models serve an operation is not shown, nor which sizes and formats: it is missing only when none of the eight
 * serves it in any form that the suite knows.
 */
async function findOffer(context: CheckContext, operation: Searched): Promise<Outcome> {
  const found = context.models[operation]
  const answers: string[] = []
  let candidates = found ? [found] : modelsByPrice()
  for (const form of FORMS[operation]) {
    const refused: string[] = []
    for (const model of candidates) {
      const answer = await askInForm(context, operation, model, form)
      const outcome = expect.success(answer, EXPECTED)
      if (outcome.verdict !== 'fail') return outcome
      if (refusesForm(answer)) refused.push(model)
      if (form === FORMS[operation][0]) answers.push(`${model} ${outcome.actual}`)
    }
    candidates = refused
  }
  return expect.failed(EXPECTED, `no model serves it: ${answers.join(', ')}`)
}

function askInForm(
  { images, transcriptions, speech }: CheckContext,
  operation: Searched,
  model: string,
  { fields, audio }: Form,
): Promise<Exchange> {
  if (operation !== 'transcriptions') return (operation === 'images' ? images : speech)({ model, ...fields })
  const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  return transcriptions({ model, ...texts, ...(audio === undefined ? {} : { file: audioFile(audio) }) })
}

const mediaOffers = SEARCHED.map((operation) =>
  defineCheck({
    id: `1/${operation}-offered`,
    requirement: '1/five-operations',
    title: `the operation ${operation} is offered by a model`,
    operation,
    needs: ['key'],
    cost: { requests: MODELS.length * FORMS[operation].length },
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
