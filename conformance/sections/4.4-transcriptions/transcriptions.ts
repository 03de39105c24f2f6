import { type Check, type CheckContext, defineCheck, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { FormValue } from '../../requests/api-request.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import type { ResponseParams } from '../../findings/fact-params.ts'
import { encodeMultipart } from '../../requests/multipart.ts'
import { sortModelsByPrice } from '../../traffic/prices.ts'
import { listErrorStatuses } from '../4-http/parameters.ts'
import { findTypeDeviation } from '../shared/fields.ts'
import { type Observation, defineObservationCheck } from '../shared/observation-check.ts'
import { getMember } from '../shared/response-access.ts'
import { checkCommonForm, isRejected, selectModel } from '../shared/common-form.ts'

export const transcriptionTextCheck = defineCheck({
  id: '2.5/text',
  requirement: '2.5/text',
  title: 'returns a transcription whose text is a string',
  operation: 'transcriptions',
  async run({ shared }) {
    return expect.checkResponse(await shared.transcriptions(), { field: 'text', type: 'string' }, ({ json }) =>
      findTypeDeviation(json, ['text'], 'string'),
    )
  },
})

function sendInOrder({ shared }: CheckContext, fields: Readonly<Record<string, FormValue>>): Promise<Exchange> {
  const { body, mediaType } = encodeMultipart(fields)
  return shared.transcriptions({}, { rawBody: body, headers: { 'content-type': mediaType } })
}

type FieldsOf = (model: string, file: FormValue) => Readonly<Record<string, FormValue>>

const modelFirst: FieldsOf = (model, file) => ({ model, file })
const fileFirst: FieldsOf = (model, file) => ({ file, model })

/** Common notations of the English language: ISO codes, language tags with a region, and names. */
const LANGUAGES = ['en', 'en-US', 'en_US', 'eng', 'English', 'english'] as const

// The specification does not define the notation. A target that rejects all of these lacks the parameter.
export const languageAcceptedCheck = defineCheck({
  id: '4.4/language-accepted',
  requirement: '4.4/language',
  title: 'accepts at least one common notation of a language, such as "en"',
  operation: 'transcriptions',
  cost: { requests: LANGUAGES.length + 1 },
  async run({ shared }) {
    const responses: (ResponseParams & { readonly form: string })[] = []
    let first: Exchange | undefined
    for (const language of LANGUAGES) {
      const response = await shared.transcriptions({ language })
      if (!isRejected(response)) return expect.checkSuccess(response)
      first ??= response
      responses.push({ form: `language "${language}"`, ...expect.getResponseParams(response) })
    }
    const control = expect.checkResponse(await shared.transcriptions({ language: undefined }), expect.EXPECT_SUCCESS)
    if (control.verdict !== 'pass') return control
    const outcome = expect.addDifference(
      { variant: 'with a language' },
      expect.fail(expect.EXPECT_SUCCESS, { code: 'rejected-in-all-forms', params: { responses } }),
    )
    // The last exchange is the control request, which the target serves.
    return first === undefined ? outcome : { ...outcome, exchange: first }
  },
})

function file(text: string, filename: string, mediaType: string): FormValue {
  return { bytes: Buffer.from(text), filename, mediaType }
}

const SPOKEN = 'A grey stone lies on the hill, and waits for gold.'

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}

/** Counts the spoken words that the transcription contains. */
function observeTranscription(response: Exchange): ObservedFact | undefined {
  if (!expect.isServed(response)) return undefined
  const text = getMember(response.json, 'text')
  const measured = new Set(wordsOf(typeof text === 'string' ? text : ''))
  const spoken = wordsOf(SPOKEN)
  const count = spoken.filter((word) => measured.has(word)).length
  return { kind: 'transcript', actualStatus: response.status, heard: count, spoken: spoken.length }
}

type FormObservation = Omit<Observation, 'operation' | 'requirement'> & { readonly requirement?: string }

const OBSERVATIONS: readonly FormObservation[] = [
  {
    id: '4.4/language-short',
    tried: 'language "en"',
    request: ({ shared }) => shared.transcriptions({ language: 'en' }),
  },
  {
    id: '4.4/language-region',
    tried: 'language "en-US"',
    request: ({ transcriptions }) => transcriptions({ language: 'en-US' }),
  },
  {
    id: '4.4/language-unknown',
    tried: 'language "touchstone"',
    request: ({ transcriptions }) => transcriptions({ language: 'touchstone' }),
  },
  {
    id: '4.4/file-empty',
    tried: 'an empty file',
    request: ({ transcriptions }) => transcriptions({ file: file('', 'speech.wav', 'audio/wav') }),
  },
  {
    id: '4.4/file-no-audio',
    tried: 'a file that is not audio',
    request: ({ transcriptions }) => transcriptions({ file: file('This is no audio.', 'notes.txt', 'text/plain') }),
  },
  {
    id: '4.4/format-mp3',
    tried: 'an MP3 that the target generated',
    needs: ['speechModel'],
    requests: 2,
    tokensByModel: { [sortModelsByPrice().at(-1) ?? '']: SMALL_CHAT_TOKENS },
    request: async ({ speech, transcriptions }) => {
      const spoken = await speech({ input: SPOKEN })
      if (!expect.isServed(spoken)) return spoken
      return transcriptions({ file: { bytes: spoken.body, filename: 'speech.mp3', mediaType: 'audio/mpeg' } })
    },
    observe: observeTranscription,
  },
  {
    id: '4.4/filename-unicode',
    tried: 'a file with a name in other scripts',
    request: ({ transcriptions, audio }) =>
      transcriptions({ file: typeof audio === 'string' ? audio : { ...audio, filename: `Grüße, 狐狸 🦊.wav` } }),
  },
  {
    id: '4.4/no-boundary',
    requirement: '4.4/other-body',
    tried: 'a form whose header names no boundary',
    request: ({ transcriptions }) => transcriptions({}, { headers: { 'content-type': 'multipart/form-data' } }),
  },
  {
    id: '4.4/json-body',
    requirement: '4.4/other-body',
    tried: 'a JSON body instead of a form',
    request: ({ transcriptions, models }) =>
      transcriptions(
        {},
        { rawBody: JSON.stringify({ model: models.transcriptions }), headers: { 'content-type': 'application/json' } },
      ),
  },
]

export const transcriptionChecks: readonly Check[] = [
  ...[
    { id: '4.4/model-missing', requirement: '4.4/model', name: 'model' },
    { id: '4.4/file-missing', requirement: '4.4/file', name: 'file' },
  ].map(({ id, requirement, name }) =>
    defineCheck({
      id,
      requirement,
      title: `returns ${listErrorStatuses(name).join(' or ')} for a form without ${name}`,
      operation: 'transcriptions',
      cost: { requests: 2 },
      async run({ transcriptions, shared }) {
        const control = await shared.transcriptions()
        const response = await transcriptions({ [name]: undefined })
        const difference = { parameter: name, omitted: true } as const
        return expect.checkErrorResponse(response, listErrorStatuses(name), { control, difference })
      },
    }),
  ),
  defineCheck({
    id: '4.4/file-as-text',
    requirement: '4.4/file',
    title: 'returns 400 for a field file that is text instead of a file',
    operation: 'transcriptions',
    cost: { requests: 2 },
    async run({ transcriptions, shared }) {
      const control = await shared.transcriptions()
      const response = await transcriptions({ file: 'speech' })
      return expect.checkErrorResponse(response, 400, { control, difference: { parameter: 'file', value: 'speech' } })
    },
  }),
  defineCheck({
    id: '4.4/empty-form',
    requirement: '4.4/form-without-fields',
    title: 'returns 400 or 404 for a form without fields and an empty body',
    operation: 'transcriptions',
    cost: { requests: 3 },
    async run({ transcriptions, shared }) {
      const { body, mediaType } = encodeMultipart({})
      const headers = { 'content-type': mediaType }
      const control = await shared.transcriptions()
      const invalid: expect.InvalidRequest[] = [
        {
          difference: { body: 'a form without fields' },
          response: await transcriptions({}, { rawBody: body, headers }),
        },
        { difference: { bodyText: '' }, response: await transcriptions({}, { rawBody: '', headers }) },
      ]
      return expect.checkErrorResponses(invalid, listErrorStatuses('model'), { control })
    },
  }),
  ...[
    {
      id: '4.4/model-first',
      title: 'accepts a form with the model first',
      fields: modelFirst,
      other: 'with the file first',
      otherFields: fileFirst,
    },
    {
      id: '4.4/file-first',
      title: 'accepts a form with the file first',
      fields: fileFirst,
      other: 'with the model first',
      otherFields: modelFirst,
    },
  ].map(({ id, title, fields, other, otherFields }) =>
    defineCheck({
      id,
      requirement: '4.4/form',
      title,
      operation: 'transcriptions',
      needs: ['funded'],
      cost: { requests: 2 },
      async run(context) {
        const model = selectModel(context, 'transcriptions')
        const usual = await sendInOrder(context, fields(model, context.audio))
        return checkCommonForm(usual, {
          servedWith: { variant: other },
          send: () => sendInOrder(context, otherFields(model, context.audio)),
        })
      },
    }),
  ),
  defineCheck({
    id: '4.4/without-language',
    requirement: '4.4/language',
    title: 'accepts a form without language',
    operation: 'transcriptions',
    needs: ['funded'],
    cost: { requests: 2 },
    async run(context) {
      const model = selectModel(context, 'transcriptions')
      const usual = await context.shared.transcriptions({ model, language: undefined })
      return checkCommonForm(usual, {
        servedWith: { parameter: 'language', value: 'en' },
        send: () => context.transcriptions({ model, language: 'en' }),
      })
    },
  }),
  languageAcceptedCheck,
  ...OBSERVATIONS.map((observation) =>
    defineObservationCheck({ requirement: '4.4/formats', ...observation, operation: 'transcriptions' }),
  ),
]
