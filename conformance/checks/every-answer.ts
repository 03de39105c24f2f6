import { DEFAULTS, MODELS } from '../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck, type Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { audioFile } from '../requests/request-forms.ts'
import { completionProblem } from './2.3-completion.ts'
import { imageResultProblem } from './4.3-images.ts'
import { FEW_TOKENS, LONG_ANSWER, LONG_CHAT_TOKENS } from './long-answer.ts'
import { framesProblem } from './mp3.ts'
import { costOf, TOKENS_OF_EACH_MODEL } from './operation.ts'
import { at, show } from './read.ts'

/*
 * An answer is of the shape that the document gives whatever was asked. The checks of single fields look at the plainest
 * request; these look at others, and only for what the plainest has right: a fault of all answers is told there.
 */

/** A valid request that differs from the plainest, with the words for it. */
interface Variant {
  readonly what: string
  ask(context: CheckContext): Promise<Exchange>
}

interface Shape {
  readonly expected: string
  plain(context: CheckContext): Promise<Exchange>
  readonly variants: readonly Variant[]
  problem(answer: Exchange, context: CheckContext): string | undefined
}

/** A form that a target refuses as a mistake has no shape: whether it may be refused is for other checks to say. */
function isRefused({ error, status }: Exchange): boolean {
  return error === undefined && (status === 400 || status === 404)
}

async function compare(context: CheckContext, { expected, plain, variants, problem }: Shape): Promise<Outcome> {
  const usual = await plain(context)
  const outcome = expect.holds(usual, expected, () => undefined)
  if (outcome.verdict !== 'pass') return outcome
  const fault = problem(usual, context)
  if (fault !== undefined) return expect.notTestable(`the plainest answer is none either: ${fault}`)
  let seen = 0
  for (const { what, ask } of variants) {
    const answer = await ask(context)
    if (isRefused(answer)) continue
    const found = expect.holds(answer, expected, () => problem(answer, context))
    if (found.verdict !== 'pass') return { ...found, actual: `${what}: ${found.actual}` }
    seen += 1
  }
  return expect.passed(expected, `${seen} of ${variants.length} other requests were served, all with such an answer`)
}

function chatWith(what: string, fields: Readonly<Record<string, unknown>>): Variant {
  return { what, ask: ({ chat }) => chat(fields) }
}

const SYSTEM_AND_USER = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Say hello.' },
]

const CHATS: readonly Variant[] = [
  chatWith('with stream false', { stream: false }),
  chatWith('with temperature 0', { temperature: 0 }),
  chatWith('with a message of the system', { messages: SYSTEM_AND_USER }),
  chatWith('with another script', { messages: [{ role: 'user', content: 'Привет, 你好 👋' }] }),
  chatWith('cut by max_tokens', { messages: LONG_ANSWER, max_tokens: FEW_TOKENS }),
  chatWith('without max_tokens', { max_tokens: undefined }),
  ...MODELS.map(({ id }) => chatWith(`from ${id}`, { model: id })),
]

export const everyCompletion = defineCheck({
  id: '4.2/every-completion',
  requirement: '4.2/answer-without-stream',
  title: 'the answer to any chat that is no stream is a completion object',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: {
    requests: 1 + CHATS.length,
    chatTokens: 7 * LONG_CHAT_TOKENS + DEFAULTS.max_tokens,
    tokensByModel: TOKENS_OF_EACH_MODEL,
  },
  run: (context) =>
    compare(context, {
      expected: 'a chat completion object with all its fields',
      plain: ({ chat }) => chat(),
      variants: CHATS,
      problem: ({ json, request }, { models }) => {
        const asked = at(JSON.parse(Buffer.from(request.body ?? []).toString('utf8')), 'model')
        return completionProblem(json, String(asked ?? models.chat))
      },
    }),
})

const IMAGES: readonly Variant[] = [
  { what: 'with n 1', ask: ({ images }) => images({ n: 1 }) },
  { what: 'with n 2', ask: ({ images }) => images({ n: 2 }) },
  { what: 'with the size "1024x1024"', ask: ({ images }) => images({ size: '1024x1024' }) },
  { what: 'with the size "512x512"', ask: ({ images }) => images({ size: '512x512' }) },
  { what: 'with another script', ask: ({ images }) => images({ prompt: 'лиса, 狐狸 🦊' }) },
]

export const everyImageResult = defineCheck({
  id: '4.3/every-result',
  requirement: '4.3/response',
  title: 'the answer to any request for images is an image generation result',
  operation: 'images',
  needs: ['key', 'imagesModel'],
  cost: costOf('images', 1 + IMAGES.length),
  run: (context) =>
    compare(context, {
      expected: 'an image generation result with all its fields',
      plain: ({ images }) => images(),
      variants: IMAGES,
      problem: imageResultProblem,
    }),
})

const FORMS: readonly Variant[] = [
  { what: 'with the language "en"', ask: ({ transcriptions }) => transcriptions({ language: 'en' }) },
  { what: 'of an MP3 file', ask: ({ transcriptions }) => transcriptions({ file: audioFile('mp3') }) },
]

export const everyTranscription = defineCheck({
  id: '4.4/every-result',
  requirement: '4.4/response',
  title: 'the answer to any transcription is a transcription result',
  operation: 'transcriptions',
  needs: ['key', 'transcriptionsModel'],
  cost: costOf('transcriptions', 1 + FORMS.length),
  run: (context) =>
    compare(context, {
      expected: 'text, a string',
      plain: ({ transcriptions }) => transcriptions(),
      variants: FORMS,
      problem: ({ json }) => (typeof at(json, 'text') === 'string' ? undefined : `text is ${show(at(json, 'text'))}`),
    }),
})

const SPEECH: readonly Variant[] = [
  { what: 'with the voice "alloy"', ask: ({ speech }) => speech({ voice: 'alloy' }) },
  { what: 'with another script', ask: ({ speech }) => speech({ input: 'Привет, 你好 👋' }) },
  { what: 'of a longer text', ask: ({ speech }) => speech({ input: 'A grey stone lies on the hill. '.repeat(3) }) },
]

export const everySpeech = defineCheck({
  id: '4.5/every-answer',
  requirement: '4.5/response',
  title: 'the answer to any request for speech is whole MP3',
  operation: 'speech',
  needs: ['key', 'speechModel'],
  cost: costOf('speech', 1 + SPEECH.length),
  run: (context) =>
    compare(context, {
      expected: 'MP3 frame after MP3 frame, and tags',
      plain: ({ speech }) => speech(),
      variants: SPEECH,
      problem: ({ body }) => framesProblem(body),
    }),
})

export const everyAnswerChecks: readonly Check[] = [everyCompletion, everyImageResult, everyTranscription, everySpeech]
