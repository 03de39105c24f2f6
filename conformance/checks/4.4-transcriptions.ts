import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, FormValue } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { encodeMultipart } from '../requests/multipart.ts'
import { modelsByPrice } from '../engine/prices.ts'
import { observationCheck } from './observe.ts'
import type { Look } from './observe.ts'
import { SMALL_CHAT_TOKENS } from './operation.ts'
import { at, show } from './read.ts'
import { modelFor, takesUsualForm } from './usual-form.ts'

export const transcriptionText = defineCheck({
  id: '2.5/text',
  requirement: '2.5/text',
  title: 'a transcription has a text, a string',
  operation: 'transcriptions',
  needs: ['key', 'transcriptionsModel'],
  cost: { requests: 1 },
  async run({ transcriptions }) {
    return expect.holds(await transcriptions(), 'text, a string', ({ json }) =>
      typeof at(json, 'text') === 'string' ? undefined : `text is ${show(at(json, 'text'))}`,
    )
  },
})

const missingChecks = ['model', 'file'].map((name) =>
  defineCheck({
    id: `4.4/${name}-missing`,
    requirement: `4.4/${name}`,
    title: `a form without ${name} is refused with 400`,
    operation: 'transcriptions',
    needs: ['key', 'transcriptionsModel'],
    cost: { requests: 2 },
    async run({ transcriptions }) {
      const twin = await transcriptions()
      const refused = await transcriptions({ [name]: undefined })
      return expect.refusal(refused, 400, { becauseTwinWorks: twin })
    },
  }),
)

export const fileAsText = defineCheck({
  id: '4.4/file-as-text',
  requirement: '4.4/file',
  title: 'a field file that is text, and no file, is refused with 400',
  operation: 'transcriptions',
  needs: ['key', 'transcriptionsModel'],
  cost: { requests: 2 },
  async run({ transcriptions }) {
    const twin = await transcriptions()
    const refused = await transcriptions({ file: 'speech' })
    return expect.refusal(refused, 400, { becauseTwinWorks: twin })
  },
})

export const emptyForm = defineCheck({
  id: '4.4/empty-form',
  requirement: '4.4/form-without-fields',
  title: 'a form without any field, and an empty body, are refused with 400',
  operation: 'transcriptions',
  needs: ['key', 'transcriptionsModel'],
  cost: { requests: 3 },
  async run({ transcriptions }) {
    const { body, mediaType } = encodeMultipart({})
    const headers = { 'content-type': mediaType }
    const twin = await transcriptions()
    const mistakes: expect.Mistake[] = [
      { what: 'a form without fields', answer: await transcriptions({}, { rawBody: body, headers }) },
      { what: 'an empty body', answer: await transcriptions({}, { rawBody: '', headers }) },
    ]
    return expect.everyRefusal(mistakes, 400, { becauseTwinWorks: twin })
  },
})

/** Sends the form with its fields in exactly this order. */
function sendInOrder({ transcriptions }: CheckContext, fields: Readonly<Record<string, FormValue>>): Promise<Exchange> {
  const { body, mediaType } = encodeMultipart(fields)
  return transcriptions({}, { rawBody: body, headers: { 'content-type': mediaType } })
}

type FieldsOf = (model: string, file: FormValue) => Readonly<Record<string, FormValue>>

const modelFirst: FieldsOf = (model, file) => ({ model, file })
const fileFirst: FieldsOf = (model, file) => ({ file, model })

const orderChecks = [
  { name: 'model-first', fields: modelFirst, other: 'the file first', otherFields: fileFirst },
  { name: 'file-first', fields: fileFirst, other: 'the model first', otherFields: modelFirst },
].map(({ name, fields, other, otherFields }) =>
  defineCheck({
    id: `4.4/${name}`,
    requirement: '4.4/form',
    title: `a form with the ${name.replace('-', ' ')} is accepted`,
    operation: 'transcriptions',
    needs: ['key'],
    cost: { requests: 2 },
    async run(context) {
      const model = modelFor(context, 'transcriptions')
      const usual = await sendInOrder(context, fields(model, context.audio))
      return takesUsualForm(usual, () => sendInOrder(context, otherFields(model, context.audio)), `with ${other}`)
    },
  }),
)

export const withoutLanguage = defineCheck({
  id: '4.4/without-language',
  requirement: '4.4/language',
  title: 'a form without language is accepted',
  operation: 'transcriptions',
  needs: ['key'],
  cost: { requests: 2 },
  async run(context) {
    const model = modelFor(context, 'transcriptions')
    const usual = await context.transcriptions({ model, language: undefined })
    return takesUsualForm(usual, () => context.transcriptions({ model, language: 'en' }), 'with the language "en"')
  },
})

function file(text: string, filename: string, mediaType: string): FormValue {
  return { bytes: Buffer.from(text), filename, mediaType }
}

/** What the target speaks, to be heard again. */
const SPOKEN = 'A grey stone lies on the hill, and waits for gold.'

/** Punctuation and letter case are a matter of taste. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}

/** How much of the spoken text a transcription gives back. */
function returnedWords(answer: Exchange): string {
  const text = at(answer.json, 'text')
  const heard = new Set(wordsOf(typeof text === 'string' ? text : ''))
  const spoken = wordsOf(SPOKEN)
  const count = spoken.filter((word) => heard.has(word)).length
  return `${expect.answered(answer)}, with ${count} of the ${spoken.length} words spoken`
}

type FormLook = Omit<Look, 'operation' | 'id' | 'requirement'> & {
  readonly name: string
  readonly requirement?: string
}

const LOOKS: readonly FormLook[] = [
  { name: 'language-short', tried: 'language "en"', ask: ({ transcriptions }) => transcriptions({ language: 'en' }) },
  {
    name: 'language-region',
    tried: 'language "en-US"',
    ask: ({ transcriptions }) => transcriptions({ language: 'en-US' }),
  },
  {
    name: 'language-unknown',
    tried: 'language "touchstone"',
    ask: ({ transcriptions }) => transcriptions({ language: 'touchstone' }),
  },
  {
    name: 'file-empty',
    tried: 'an empty file',
    ask: ({ transcriptions }) => transcriptions({ file: file('', 'speech.wav', 'audio/wav') }),
  },
  {
    name: 'file-no-audio',
    tried: 'a file that is no audio',
    ask: ({ transcriptions }) => transcriptions({ file: file('This is no audio.', 'notes.txt', 'text/plain') }),
  },
  {
    name: 'format-mp3',
    tried: 'the MP3 that the target itself made',
    needs: ['speechModel'],
    requests: 2,
    tokensByModel: { [modelsByPrice().at(-1) ?? '']: SMALL_CHAT_TOKENS },
    ask: async ({ speech, transcriptions }) => {
      const spoken = await speech({ input: SPOKEN })
      if (!expect.served(spoken)) return spoken
      return transcriptions({ file: { bytes: spoken.body, filename: 'speech.mp3', mediaType: 'audio/mpeg' } })
    },
    describe: (answer) => (expect.served(answer) ? returnedWords(answer) : expect.answered(answer)),
  },
  {
    name: 'filename-unicode',
    tried: 'a file with a name in other scripts',
    ask: ({ transcriptions, audio }) =>
      transcriptions({ file: typeof audio === 'string' ? audio : { ...audio, filename: `Grüße, 狐狸 🦊.wav` } }),
  },
  {
    name: 'no-boundary',
    requirement: '4.4/other-body',
    tried: 'a form whose header names no boundary',
    ask: ({ transcriptions }) => transcriptions({}, { headers: { 'content-type': 'multipart/form-data' } }),
  },
  {
    name: 'json-body',
    requirement: '4.4/other-body',
    tried: 'a JSON body instead of a form',
    ask: ({ transcriptions, models }) =>
      transcriptions(
        {},
        { rawBody: JSON.stringify({ model: models.transcriptions }), headers: { 'content-type': 'application/json' } },
      ),
  },
]

const silenceChecks = LOOKS.map(({ name, requirement = '4.4/formats', ...look }) =>
  observationCheck({ ...look, id: `4.4/${name}`, requirement, operation: 'transcriptions' }),
)

export const transcriptionResultChecks: readonly Check[] = [transcriptionText]

export const transcriptionChecks: readonly Check[] = [
  ...missingChecks,
  fileAsText,
  emptyForm,
  ...orderChecks,
  withoutLanguage,
  ...silenceChecks,
]
