import type OpenAI from 'openai'
import type { Operation } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck } from '../../engine/check.ts'
import type { FormValue } from '../../requests/api-request.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { callSdk, type SdkResult } from './call-sdk.ts'
import { findMp3StartDeviation } from '../4.5-speech/mp3.ts'
import { getMember, getItems } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'

/** An SDK call, with a function that derives its expected result from the raw response. */
interface Call {
  readonly id: string
  readonly result: string
  readonly operation: Operation
  call(client: OpenAI, context: CheckContext): Promise<unknown>
  read(response: Exchange): unknown
}

function chatRequest({ models, nonce, smallFields }: CheckContext) {
  return {
    model: models.chat,
    messages: [{ role: 'user' as const, content: `Say hello to ${nonce()}.` }],
    ...smallFields,
  }
}

/** Returns the text of a stream from its frames, or the text of a whole completion if the target sent one instead. */
function textOfStream(response: Exchange): unknown {
  if (response.events.length === 0) return getMember(response.json, 'choices', 0, 'message', 'content')
  const { withChoice } = parseStream(response)
  if (withChoice.length === 0) return undefined
  return withChoice.map(({ content }) => (typeof content === 'string' ? content : '')).join('')
}

async function joinDeltas(client: OpenAI, context: CheckContext): Promise<string> {
  let text = ''
  for await (const chunk of await client.chat.completions.create({ ...chatRequest(context), stream: true })) {
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
    id: '1/sdk-list',
    result: 'the list of models',
    operation: 'models',
    async call(client) {
      const ids: string[] = []
      for await (const { id } of client.models.list()) ids.push(id)
      return ids
    },
    read: ({ json }) => getItems(getMember(json, 'data')).map((model) => getMember(model, 'id')),
  },
  {
    id: '1/sdk-chat',
    result: 'a chat',
    operation: 'chat',
    call: async (client, context) =>
      (await client.chat.completions.create(chatRequest(context))).choices[0]?.message.content,
    read: ({ json }) => getMember(json, 'choices', 0, 'message', 'content'),
  },
  { id: '1/sdk-stream', result: 'a stream, by iteration', operation: 'chat', call: joinDeltas, read: textOfStream },
  {
    id: '1/sdk-stream-helper',
    result: 'a stream, by its helper',
    operation: 'chat',
    call: async (client, context) =>
      (await client.chat.completions.stream(chatRequest(context)).finalChatCompletion()).choices[0]?.message.content,
    read: textOfStream,
  },
  {
    id: '1/sdk-image',
    result: 'an image',
    operation: 'images',
    call: async (client, { models }) =>
      (await client.images.generate({ model: models.images, prompt: 'A grey stone' })).data?.[0]?.url,
    read: ({ json }) => getMember(json, 'data', 0, 'url'),
  },
  {
    id: '1/sdk-speech',
    result: 'speech',
    operation: 'speech',
    async call(client, { models }) {
      const response = await client.audio.speech.create({ model: models.speech, voice: 'alloy', input: 'Hello.' })
      const bytes = new Uint8Array(await response.arrayBuffer())
      return findMp3StartDeviation(bytes) === undefined ? `${bytes.byteLength} bytes of MP3` : 'bytes that are not MP3'
    },
    read: ({ body }) => `${body.byteLength} bytes of MP3`,
  },
  {
    id: '1/sdk-transcription',
    result: 'a transcription',
    operation: 'transcriptions',
    call: async (client, { models, audio }) =>
      (await client.audio.transcriptions.create({ model: models.transcriptions, file: fileOf(audio) })).text,
    read: ({ json }) => getMember(json, 'text'),
  },
]

/** Compares the SDK's result or exception with `shown`, the result that the raw response contains. */
function findDifference({ value, error }: SdkResult, shown: unknown): Deviation | undefined {
  const wire = shown === undefined ? {} : { wire: createExcerpt(shown) }
  if (error !== undefined) {
    return { code: 'sdk-differs', params: { ...wire, error: error.name, message: error.message } }
  }
  if (value !== undefined && JSON.stringify(value) === JSON.stringify(shown)) return undefined
  return { code: 'sdk-differs', params: { ...wire, ...(value === undefined ? {} : { sdk: createExcerpt(value) }) } }
}

const CONSEQUENCE = 'programs built on the openai SDK for Node.js get this value, or the exception'

export const sdkServedChecks: readonly Check[] = CALLS.map(({ id, result, operation, call, read }) =>
  defineCheck({
    id,
    requirement: '1/sdk-witness',
    title: `the openai SDK returns ${result} as the response contains it`,
    operation,
    group: 'sdk',
    async run(context) {
      const called = await callSdk(context, (client) => call(client, context))
      if (called.response === undefined) {
        return expect.markNotTestable({ code: 'sdk-sent-nothing', params: { message: called.error?.message ?? '' } })
      }
      const shown = read(called.response)
      const expected = { rule: 'sdk-sees-response' } as const
      const outcome = expect.checkConvention(
        called.response,
        expected,
        () => findDifference(called, shown),
        CONSEQUENCE,
      )
      return outcome.verdict === 'pass'
        ? expect.pass(expected, { kind: 'sdk-value', value: createExcerpt(shown) })
        : outcome
    },
  }),
)
