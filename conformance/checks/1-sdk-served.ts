import type OpenAI from 'openai'
import type { Operation } from '../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck, type FormValue } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { type Testimony, witness } from './sdk/witness.ts'
import { mp3Problem } from './mp3.ts'
import { costOf, needsOf } from './operation.ts'
import { at, items, show } from './read.ts'
import { readStream } from './stream.ts'

/** A call with the SDK, and what its result should be by the bytes that came. */
interface Call {
  readonly name: string
  readonly what: string
  readonly operation: Operation
  ask(client: OpenAI, context: CheckContext): Promise<unknown>
  /** What the answer shows, read without the SDK. */
  read(answer: Exchange): unknown
}

function question({ models, nonce }: CheckContext) {
  return {
    model: models.chat,
    messages: [{ role: 'user' as const, content: `Say hello to ${nonce()}.` }],
    max_tokens: 16,
  }
}

/** The text of a stream as its frames give it, or of the whole answer that came instead. */
function textOfStream(answer: Exchange): unknown {
  if (answer.events.length === 0) return at(answer.json, 'choices', 0, 'message', 'content')
  const { withChoice } = readStream(answer)
  if (withChoice.length === 0) return undefined
  return withChoice.map(({ content }) => (typeof content === 'string' ? content : '')).join('')
}

async function gather(client: OpenAI, context: CheckContext): Promise<string> {
  let text = ''
  for await (const chunk of await client.chat.completions.create({ ...question(context), stream: true })) {
    text += chunk.choices[0]?.delta?.content ?? ''
  }
  return text
}

function fileOf(audio: FormValue): File {
  if (typeof audio === 'string') return new File([audio], 'speech.wav')
  return new File([Uint8Array.from(audio.bytes)], audio.filename, { type: audio.mediaType })
}

const CALLS: readonly Call[] = [
  {
    name: 'list',
    what: 'the list of models',
    operation: 'models',
    async ask(client) {
      const ids: string[] = []
      for await (const { id } of client.models.list()) ids.push(id)
      return ids
    },
    read: ({ json }) => items(at(json, 'data')).map((model) => at(model, 'id')),
  },
  {
    name: 'chat',
    what: 'a chat',
    operation: 'chat',
    ask: async (client, context) =>
      (await client.chat.completions.create(question(context))).choices[0]?.message.content,
    read: ({ json }) => at(json, 'choices', 0, 'message', 'content'),
  },
  { name: 'stream', what: 'a stream, by iteration', operation: 'chat', ask: gather, read: textOfStream },
  {
    name: 'stream-helper',
    what: 'a stream, by its helper',
    operation: 'chat',
    ask: async (client, context) =>
      (await client.chat.completions.stream(question(context)).finalChatCompletion()).choices[0]?.message.content,
    read: textOfStream,
  },
  {
    name: 'image',
    what: 'an image',
    operation: 'images',
    ask: async (client, { models }) =>
      (await client.images.generate({ model: models.images, prompt: 'A grey stone' })).data?.[0]?.url,
    read: ({ json }) => at(json, 'data', 0, 'url'),
  },
  {
    name: 'speech',
    what: 'speech',
    operation: 'speech',
    async ask(client, { models }) {
      const answer = await client.audio.speech.create({ model: models.speech, voice: 'alloy', input: 'Hello.' })
      const bytes = new Uint8Array(await answer.arrayBuffer())
      return mp3Problem(bytes) === undefined ? `${bytes.byteLength} bytes of MP3` : 'bytes that are no MP3'
    },
    read: ({ body }) => `${body.byteLength} bytes of MP3`,
  },
  {
    name: 'transcription',
    what: 'a transcription',
    operation: 'transcriptions',
    ask: async (client, { models, audio }) =>
      (await client.audio.transcriptions.create({ model: models.transcriptions, file: fileOf(audio) })).text,
    read: ({ json }) => at(json, 'text'),
  },
]

/** What the SDK saw otherwise than the wire showed; nothing when both are the same. */
function difference({ value, error }: Testimony, read: unknown): string | undefined {
  if (error !== undefined) return `the wire showed ${show(read)}; the SDK threw ${error.name}: ${error.message}`
  const isSame = value !== undefined && JSON.stringify(value) === JSON.stringify(read)
  return isSame ? undefined : `the wire showed ${show(read)}; the SDK saw ${show(value)}`
}

export const sdkServedChecks: readonly Check[] = CALLS.map(({ name, what, operation, ask, read }) =>
  defineCheck({
    id: `1/sdk-${name}`,
    requirement: '1/sdk-witness',
    title: `the openai SDK sees of ${what} what came over the wire`,
    operation,
    needs: needsOf(operation),
    group: 'sdk',
    cost: costOf(operation, 1),
    async run(context) {
      const seen = await witness(context, (client) => ask(client, context))
      if (seen.wire === undefined) return expect.notTestable(`the SDK sent nothing: ${seen.error?.message ?? ''}`)
      const shown = read(seen.wire)
      const outcome = expect.keeps(
        seen.wire,
        'the same, by the SDK and by the wire',
        () => difference(seen, shown),
        'programs built on the openai SDK for node work with what it sees, or with the exception',
      )
      if (outcome.verdict !== 'pass') return outcome
      return { ...outcome, actual: `the wire showed ${show(shown)}; the SDK saw the same` }
    },
  }),
)
