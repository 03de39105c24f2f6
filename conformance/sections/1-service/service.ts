import { MODELS } from '../../../contract/facts.ts'
import { defineCheck } from '../../engine/check.ts'
import type { Check, CheckContext, RequestHelpers } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { ResponseParams } from '../../findings/fact-params.ts'
import { buildAudioFile } from '../../requests/audio.ts'
import {
  isFormRejection,
  REQUEST_FORMS,
  type RequestForm,
  type SearchedOperation,
} from '../../requests/request-forms.ts'
import { forOperations, sendPlainRequest } from '../shared/operation.ts'
import { compareMediaType } from '../shared/fields.ts'

/**
 * Tries the forms of the operation with the candidate models until a response is not a rejection, and returns its
 * outcome. The specification does not state which models, sizes and formats an operation supports. The check therefore
 * fails only if the target rejects every attempt.
 */
async function findOffer(context: CheckContext, operation: SearchedOperation): Promise<Outcome> {
  const found = context.models[operation]
  const responses: (ResponseParams & { readonly form: string })[] = []
  let candidates = found !== '' ? [found] : context.catalog.candidates(operation)
  for (const form of REQUEST_FORMS[operation]) {
    const rejected: string[] = []
    for (const model of candidates) {
      const response = await requestInForm(context.shared, operation, model, form)
      const outcome = expect.checkSuccess(response)
      const isRejected = outcome.verdict === 'fail' || (found === '' && rejectsModel(response))
      if (!isRejected) return outcome
      if (isFormRejection(response)) rejected.push(model)
      if (form === REQUEST_FORMS[operation][0]) responses.push({ form: model, ...expect.getResponseParams(response) })
    }
    candidates = rejected
  }
  return expect.fail(expect.EXPECT_SUCCESS, { code: 'rejected-in-all-forms', params: { responses } })
}

/** Statuses that depend on the key or its account. They do not show whether the target offers the operation. */
const ABOUT_ACCOUNT: readonly number[] = [401, 402, 429]

/**
 * Returns whether a response shows that the target does not serve the operation with this model: a redirect, or a 4xx
 * that does not concern the account. Used only if discovery found no model for the operation.
 */
function rejectsModel({ status, error }: Exchange): boolean {
  return error === undefined && status >= 300 && status < 500 && !ABOUT_ACCOUNT.includes(status)
}

function requestInForm(
  { images, transcriptions, speech }: RequestHelpers,
  operation: SearchedOperation,
  model: string,
  { fields, audio }: RequestForm,
): Promise<Exchange> {
  if (operation !== 'transcriptions') return (operation === 'images' ? images : speech)({ model, ...fields })
  const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  return transcriptions({ model, ...texts, ...(audio === undefined ? {} : { file: buildAudioFile(audio) }) })
}

export const serviceChecks: readonly Check[] = [
  ...forOperations({ models: '1/models-offered', chat: '1/chat-offered' }, (operation, id) =>
    defineCheck({
      id,
      requirement: '1/five-operations',
      title: `offers the operation ${operation}`,
      operation,
      run: async (context) => expect.checkSuccess(await sendPlainRequest(context.shared, operation)),
    }),
  ),
  ...forOperations(
    { images: '1/images-offered', transcriptions: '1/transcriptions-offered', speech: '1/speech-offered' },
    (operation, id) =>
      defineCheck({
        id,
        requirement: '1/five-operations',
        title: `offers the operation ${operation} with at least one model`,
        operation,
        needs: ['funded'],
        cost: { requests: MODELS.length * REQUEST_FORMS[operation].length },
        run: (context) => findOffer(context, operation),
      }),
  ),
  ...forOperations(
    {
      models: '1/json-media-type-models',
      chat: '1/json-media-type-chat',
      images: '1/json-media-type-images',
      transcriptions: '1/json-media-type-transcriptions',
    },
    (operation, id) =>
      defineCheck({
        id,
        requirement: '1/sdk',
        title: `labels the JSON response of ${operation} as application/json`,
        operation,
        async run(context) {
          return expect.checkConvention(
            await sendPlainRequest(context.shared, operation),
            { mediaType: 'application/json' },
            (response) => compareMediaType(response, 'application/json'),
            'the openai SDK for Node.js returns a string instead of an object',
          )
        },
      }),
  ),
  defineCheck({
    id: '1/request-id',
    requirement: '1/sdk',
    title: 'sends a header x-request-id',
    operation: 'models',
    async run({ shared }) {
      return expect.checkConvention(
        await shared.listModels(),
        { header: 'x-request-id' },
        ({ headers }) =>
          headers['x-request-id'] ? undefined : { code: 'missing-header', params: { header: 'x-request-id' } },
        'the request id that the openai SDKs show with responses and errors is empty, and support cannot find a request',
      )
    },
  }),
]
