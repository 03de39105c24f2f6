import { DEFAULTS } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check } from '../engine/check.ts'
import * as expect from '../outcomes/expect.ts'
import { parameterTableChecks } from './4-parameters.ts'
import { framesProblem, mp3Problem, readMp3 } from './mp3.ts'
import { inLatin1, observationCheck } from './observe.ts'
import { isObject, mediaType } from './read.ts'
import { modelFor, takesUsualForm } from './usual-form.ts'

export const mp3 = defineCheck({
  id: '4.5/mp3',
  requirement: '4.5/response',
  title: 'the answer begins as an MP3 file does',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: { requests: 1 },
  run: async ({ speech }) =>
    expect.holds(await speech(), 'an ID3v2 tag or an MP3 frame', ({ body }) => mp3Problem(body)),
})

export const mp3Frames = defineCheck({
  id: '4.5/mp3-frames',
  requirement: '4.5/frames',
  title: 'the answer consists of whole MP3 frames up to its end',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: { requests: 1 },
  run: async ({ speech }) =>
    expect.holds(await speech(), 'MP3 frame after MP3 frame, and tags', ({ body }) => framesProblem(body)),
})

export const notJson = defineCheck({
  id: '4.5/not-json',
  requirement: '4.5/response',
  title: 'the answer is binary, not JSON',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: { requests: 1 },
  async run({ speech }) {
    return expect.holds(await speech(), 'binary audio, not JSON', (answer) => {
      if (mediaType(answer) === 'application/json') return 'the media type is application/json'
      return isObject(answer.json) || Array.isArray(answer.json) ? 'the body is JSON' : undefined
    })
  },
})

/** Whether bytes that are no UTF-8 may stand in JSON is not shown: a reader may refuse them or put others in their place. */
const notUtf8 = observationCheck({
  id: '4.5/invalid-utf8',
  requirement: '4.5/input-bytes',
  tried: 'bytes that are no UTF-8',
  operation: 'speech',
  ask: (context) =>
    context.speech(
      {},
      { rawBody: inLatin1(JSON.stringify({ model: context.models.speech, input: 'A stone, caf\u00e9' })) },
    ),
})

export const unicodeInput = defineCheck({
  id: '4.5/unicode-input',
  requirement: '4.5/input',
  title: 'a text in any script is accepted',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: { requests: 1 },
  run: async ({ speech }) =>
    expect.success(await speech({ input: 'Grüße, привет, 你好 👋' }), 'the request is answered'),
})

export const voiceAlloy = defineCheck({
  id: '4.5/voice-alloy',
  requirement: '4.5/voice',
  title: 'the voice "alloy" is accepted',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: { requests: 1 },
  run: async ({ speech }) => expect.success(await speech({ voice: DEFAULTS.voice }), 'the request is answered'),
})

export const voiceDefault = defineCheck({
  id: '8/voice-default',
  requirement: '8/voice-default',
  title: 'without a voice the text is spoken',
  operation: 'speech',
  needs: ['key'],
  cost: { requests: 2 },
  async run(context) {
    const model = modelFor(context, 'speech')
    const { voice } = DEFAULTS
    const usual = await context.speech({ model, voice: undefined })
    return takesUsualForm(usual, () => context.speech({ model, voice }), `with the voice "${voice}"`)
  },
})

export const speechMediaType = defineCheck({
  id: '4.5/media-type',
  requirement: '4.5/media-type',
  title: 'speech has the media type audio/mpeg',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: { requests: 1 },
  async run({ speech }) {
    return expect.keeps(
      await speech(),
      'audio/mpeg',
      (answer) => (mediaType(answer) === 'audio/mpeg' ? undefined : `the media type is "${mediaType(answer)}"`),
      'browsers and players choose the decoder by the media type, and do not play the answer',
    )
  },
})

export const speechAccept = defineCheck({
  id: '4.5/accept-octet-stream',
  requirement: '4.5/client-requests',
  title: 'speech is given to a client that says Accept: application/octet-stream',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: { requests: 2 },
  async run({ speech }) {
    const plain = await speech()
    const asClientsAsk = await speech({}, { headers: { accept: 'application/octet-stream' } })
    return expect.tolerates(
      asClientsAsk,
      { asWellAs: plain },
      'speech as without the header',
      ({ body }) => (body.length > 0 ? undefined : 'the body is empty'),
      'the openai SDKs send Accept: application/octet-stream for speech: each of their requests is refused',
    )
  },
})

/** The same text in each run, so that runs can be compared. */
const SPOKEN = 'Gold leaves a yellow line on the grey stone.'

export const duration = observationCheck({
  id: '4.5/duration',
  requirement: '4.5/duration',
  tried: `a text of ${SPOKEN.length} characters`,
  operation: 'speech',
  ask: ({ speech }) => speech({ input: SPOKEN }),
  describe(answer) {
    const { frames, durationMs } = readMp3(answer.body)
    const sound = `${(durationMs / 1000).toFixed(1)} s of sound in ${frames} frames`
    return expect.served(answer) ? sound : expect.answered(answer)
  },
})

const silenceChecks = [
  { name: 'voice-other', requirement: '4.5/voices', tried: 'the voice "echo"', fields: { voice: 'echo' } },
  {
    name: 'voice-unknown',
    requirement: '4.5/voices',
    tried: 'the voice "touchstone"',
    fields: { voice: 'touchstone' },
  },
  { name: 'input-empty', requirement: '4.5/input-empty', tried: 'an empty input', fields: { input: '' } },
].map(({ name, requirement, tried, fields }) =>
  observationCheck({ id: `4.5/${name}`, requirement, tried, operation: 'speech', ask: ({ speech }) => speech(fields) }),
)

export const speechDefaultChecks: readonly Check[] = [voiceDefault]

export const speechChecks: readonly Check[] = [
  ...parameterTableChecks('speech'),
  mp3,
  mp3Frames,
  notJson,
  unicodeInput,
  notUtf8,
  voiceAlloy,
  speechMediaType,
  speechAccept,
  duration,
  ...silenceChecks,
]
