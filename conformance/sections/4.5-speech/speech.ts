import { PARAMETER_DEFAULTS } from '../../../contract/facts.ts'
import { type Check, defineCheck } from '../../engine/check.ts'
import { sortModelsByPrice } from '../../traffic/prices.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { buildParameterChecks } from '../4-http/parameters.ts'
import { compareMediaType } from '../shared/fields.ts'
import { findMp3FrameDeviation, findMp3StartDeviation, parseMp3 } from './mp3.ts'
import { encodeLatin1, defineObservationCheck } from '../shared/observation-check.ts'
import { isObject, getMediaType } from '../shared/response-access.ts'
import { checkCommonForm, selectModel } from '../shared/common-form.ts'

const PARAMETER_IDS = {
  model: { requirement: '4.5/model', missing: '4.5/model-missing', wrongType: '4.5/model-wrong-type' },
  input: { requirement: '4.5/input', missing: '4.5/input-missing', wrongType: '4.5/input-wrong-type' },
  voice: { requirement: '4.5/voice', wrongType: '4.5/voice-wrong-type' },
} as const

export const voiceDefaultCheck = defineCheck({
  id: '8/voice-default',
  requirement: '8/voice-default',
  title: 'generates speech for a request without a voice',
  operation: 'speech',
  needs: ['funded'],
  cost: { requests: 2 },
  async run(context) {
    const model = selectModel(context, 'speech')
    const { voice } = PARAMETER_DEFAULTS
    const usual = await context.shared.speech({ model, voice: undefined })
    return checkCommonForm(usual, {
      servedWith: { parameter: 'voice', value: voice },
      send: () => context.speech({ model, voice }),
    })
  },
})

const SPEECH: Expectation = { rule: 'speech' }

/** A text of several sentences, because some targets fail for texts above a few hundred characters. */
const LONG_TEXT = [
  'Gold leaves a yellow line on the grey stone, and a false metal leaves a dark one.',
  'The merchant draws the line, wets it with acid and waits: what remains of it is gold.',
  'A touchstone needs no scale and no fire, only a steady hand and good light.',
  'It cannot tell how heavy a coin is, or who has struck it, or what it has paid for.',
  'But it tells gold from brass, each time and to everybody, and that is why it was carried to every market.',
].join(' ')

export const speechChecks: readonly Check[] = [
  ...buildParameterChecks('speech', PARAMETER_IDS),
  defineCheck({
    id: '4.5/mp3',
    requirement: '4.5/response',
    title: 'starts the response like an MP3 file',
    operation: 'speech',
    run: async ({ shared }) =>
      expect.checkResponse(await shared.speech(), { rule: 'mp3-start' }, ({ body }) => findMp3StartDeviation(body)),
  }),
  defineCheck({
    id: '4.5/mp3-frames',
    requirement: '4.5/frames',
    title: 'returns only complete MP3 frames',
    operation: 'speech',
    run: async ({ shared }) =>
      expect.checkResponse(await shared.speech(), { rule: 'mp3-frames' }, ({ body }) => findMp3FrameDeviation(body)),
  }),
  defineCheck({
    id: '4.5/not-json',
    requirement: '4.5/response',
    title: 'returns binary audio, not JSON',
    operation: 'speech',
    async run({ shared }) {
      return expect.checkResponse(await shared.speech(), { rule: 'binary' }, (response) => {
        const actualMediaType = getMediaType(response)
        if (actualMediaType === 'application/json')
          return { code: 'unexpected-media-type', params: { actualMediaType } }
        const isJson = isObject(response.json) || Array.isArray(response.json)
        return isJson ? { code: 'wrong-body', params: { problem: 'json' } } : undefined
      })
    },
  }),
  defineCheck({
    id: '4.5/unicode-input',
    requirement: '4.5/input',
    title: 'accepts text in any script',
    operation: 'speech',
    run: async ({ speech }) => expect.checkSuccess(await speech({ input: 'Grüße, привет, 你好 👋' })),
  }),
  // The specification does not state whether JSON may contain invalid UTF-8.
  defineObservationCheck({
    id: '4.5/invalid-utf8',
    requirement: '4.5/input-bytes',
    tried: 'bytes that are not valid UTF-8',
    operation: 'speech',
    request: (context) =>
      context.speech(
        {},
        { rawBody: encodeLatin1(JSON.stringify({ model: context.models.speech, input: 'A stone, caf\u00e9' })) },
      ),
  }),
  defineCheck({
    id: '4.5/voice-alloy',
    requirement: '4.5/voice',
    title: 'accepts the voice "alloy"',
    operation: 'speech',
    async run({ shared }) {
      const { voice } = PARAMETER_DEFAULTS
      const outcome = expect.checkSuccess(await shared.speech({ voice }))
      return expect.addDifference({ parameter: 'voice', value: voice }, outcome)
    },
  }),
  defineCheck({
    id: '4.5/media-type',
    requirement: '4.5/media-type',
    title: 'labels speech as audio/mpeg',
    operation: 'speech',
    async run({ shared }) {
      return expect.checkConvention(
        await shared.speech(),
        { mediaType: 'audio/mpeg' },
        (response) => compareMediaType(response, 'audio/mpeg'),
        'browsers and players choose the decoder by the media type, and do not play the response',
      )
    },
  }),
  defineCheck({
    id: '4.5/accept-octet-stream',
    requirement: '4.5/client-requests',
    title: 'returns speech to a client that sends Accept: application/octet-stream',
    operation: 'speech',
    cost: { requests: 2 },
    async run({ speech, shared }) {
      const plain = await shared.speech()
      const response = await speech({}, { headers: { accept: 'application/octet-stream' } })
      return expect.checkRequestForm(
        response,
        { asWellAs: plain },
        SPEECH,
        ({ body }) => (body.length > 0 ? undefined : { code: 'wrong-body', params: { problem: 'empty' } }),
        'the openai SDKs send Accept: application/octet-stream for speech: each of their requests is rejected',
      )
    },
  }),
  defineObservationCheck({
    id: '4.5/duration',
    requirement: '4.5/duration',
    tried: `a text of ${LONG_TEXT.length} characters`,
    operation: 'speech',
    tokensByModel: { [sortModelsByPrice().at(-1) ?? '']: LONG_TEXT.length },
    request: ({ speech }) => speech({ input: LONG_TEXT }),
    observe(response) {
      if (!expect.isServed(response)) return undefined
      const { frames, durationMs } = parseMp3(response.body)
      return { kind: 'sound', frames, durationMs }
    },
  }),
  ...[
    { id: '4.5/voice-other', requirement: '4.5/voices', tried: 'the voice "echo"', fields: { voice: 'echo' } },
    {
      id: '4.5/voice-unknown',
      requirement: '4.5/voices',
      tried: 'the voice "touchstone"',
      fields: { voice: 'touchstone' },
    },
    { id: '4.5/input-empty', requirement: '4.5/input-empty', tried: 'an empty input', fields: { input: '' } },
  ].map(({ id, requirement, tried, fields }) =>
    defineObservationCheck({
      id,
      requirement,
      tried,
      operation: 'speech',
      request: ({ speech }) => speech(fields),
    }),
  ),
]
