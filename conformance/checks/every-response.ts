import { DEFAULTS } from '../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Deviation, Difference, Expectation, Outcome } from '../outcomes/outcome.ts'
import { audioFile } from '../requests/audio.ts'
import { completionDeviation } from './2.3-completion.ts'
import { imageResultDeviation } from './4.3-images.ts'
import { typeDeviation } from './fields.ts'
import { FEW_TOKENS, LONG_COMPLETION, LONG_CHAT_TOKENS } from './long-completion.ts'
import { findFrameDeviation } from './mp3.ts'
import { costOf, withChatOfEachModel } from './operation.ts'
import { at } from './read.ts'

/*
 * The document requires the same shape of responses to every valid request. The checks of single fields send the
 * plainest request. These checks send other requests and compare only the parts that were right in the plainest
 * response, because other checks report deviations of all responses.
 */

/** A valid request that differs from the plainest one. */
interface Variant {
  readonly difference: Difference
  send(context: CheckContext): Promise<Exchange>
}

interface Shape {
  readonly expected: Expectation
  plain(context: CheckContext): Promise<Exchange>
  readonly variants: readonly Variant[]
  find(response: Exchange, context: CheckContext): Deviation | undefined
}

/** Other checks test whether the target may reject a form. */
function isRejected({ error, status }: Exchange): boolean {
  return error === undefined && (status === 400 || status === 404)
}

async function expectSameShape(context: CheckContext, { expected, plain, variants, find }: Shape): Promise<Outcome> {
  const usual = await plain(context)
  const outcome = expect.holds(usual, expected)
  if (outcome.verdict !== 'pass') return outcome
  const deviation = find(usual, context)
  if (deviation !== undefined) return expect.notTestable({ code: 'plain-response-deviates', params: { deviation } })
  let served = 0
  for (const { difference, send } of variants) {
    const response = await send(context)
    if (isRejected(response)) continue
    const found = expect.holds(response, expected, () => find(response, context))
    if (found.verdict !== 'pass') return expect.about(difference, found)
    served += 1
  }
  return expect.passed(expected, { kind: 'variants', served, variants: variants.length })
}

function chatWith(variant: string, fields: Readonly<Record<string, unknown>>): Variant {
  return { difference: { variant }, send: ({ shared }) => shared.chat(fields) }
}

const SYSTEM_AND_USER = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Say hello.' },
]

const CHATS: readonly Variant[] = [
  chatWith('with stream false', { stream: false }),
  chatWith('with temperature 0', { temperature: 0 }),
  chatWith('with a system message', { messages: SYSTEM_AND_USER }),
  chatWith('with another script', { messages: [{ role: 'user', content: 'Привет, 你好 👋' }] }),
  chatWith('cut by max_tokens', { messages: LONG_COMPLETION, max_tokens: FEW_TOKENS }),
  chatWith('without max_tokens', { max_tokens: undefined }),
]

export const everyCompletion = defineCheck({
  id: '4.2/every-completion',
  requirement: '4.2/answer-without-stream',
  title: 'returns a completion object for any chat that is not a stream',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  ...withChatOfEachModel({
    requests: 1 + CHATS.length,
    chatTokens: 7 * LONG_CHAT_TOKENS + DEFAULTS.max_tokens,
  }),
  run: (context) =>
    expectSameShape(context, {
      expected: { rule: 'completion-object' },
      plain: ({ shared }) => shared.chat(),
      variants: [...CHATS, ...context.catalog.chatModels().map((id) => chatWith(`with ${id}`, { model: id }))],
      find: ({ json, request }, { models }) => {
        const requested = at(JSON.parse(Buffer.from(request.body ?? []).toString('utf8')), 'model')
        return completionDeviation(json, String(requested ?? models.chat))
      },
    }),
})

const IMAGES: readonly Variant[] = [
  { difference: { variant: 'with n 1' }, send: ({ shared }) => shared.images({ n: 1 }) },
  { difference: { variant: 'with n 2' }, send: ({ shared }) => shared.images({ n: 2 }) },
  { difference: { variant: 'with the size "1024x1024"' }, send: ({ shared }) => shared.images({ size: '1024x1024' }) },
  { difference: { variant: 'with the size "512x512"' }, send: ({ shared }) => shared.images({ size: '512x512' }) },
  { difference: { variant: 'with another script' }, send: ({ shared }) => shared.images({ prompt: 'лиса, 狐狸 🦊' }) },
]

export const everyImageResult = defineCheck({
  id: '4.3/every-result',
  requirement: '4.3/response',
  title: 'returns an image generation result for any request for images',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: costOf('images', 1 + IMAGES.length),
  run: (context) =>
    expectSameShape(context, {
      expected: { rule: 'image-result' },
      plain: ({ shared }) => shared.images(),
      variants: IMAGES,
      find: imageResultDeviation,
    }),
})

const FORMS: readonly Variant[] = [
  {
    difference: { variant: 'with the language "en"' },
    send: ({ shared }) => shared.transcriptions({ language: 'en' }),
  },
  {
    difference: { variant: 'of an MP3 file' },
    send: ({ shared }) => shared.transcriptions({ file: audioFile('mp3') }),
  },
]

export const everyTranscription = defineCheck({
  id: '4.4/every-result',
  requirement: '4.4/response',
  title: 'returns a transcription result for any transcription',
  operation: 'transcriptions',
  needs: ['key', 'transcriptionsModel'],
  cost: costOf('transcriptions', 1 + FORMS.length),
  run: (context) =>
    expectSameShape(context, {
      expected: { field: 'text', type: 'string' },
      plain: ({ shared }) => shared.transcriptions(),
      variants: FORMS,
      find: ({ json }) => typeDeviation(json, ['text'], 'string'),
    }),
})

const SPEECH: readonly Variant[] = [
  { difference: { variant: 'with the voice "alloy"' }, send: ({ shared }) => shared.speech({ voice: 'alloy' }) },
  { difference: { variant: 'with another script' }, send: ({ shared }) => shared.speech({ input: 'Привет, 你好 👋' }) },
  {
    difference: { variant: 'of a longer text' },
    send: ({ shared }) => shared.speech({ input: 'A grey stone lies on the hill. '.repeat(3) }),
  },
]

export const everySpeech = defineCheck({
  id: '4.5/every-answer',
  requirement: '4.5/response',
  title: 'returns whole MP3 for any request for speech',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: costOf('speech', 1 + SPEECH.length),
  run: (context) =>
    expectSameShape(context, {
      expected: { rule: 'mp3-frames' },
      plain: ({ shared }) => shared.speech(),
      variants: SPEECH,
      find: ({ body }) => findFrameDeviation(body),
    }),
})

export const everyResponseChecks: readonly Check[] = [
  everyCompletion,
  everyImageResult,
  everyTranscription,
  everySpeech,
]
