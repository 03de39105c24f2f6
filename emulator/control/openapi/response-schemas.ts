import type { Operation } from '../../../contract/facts.ts'
import type { EmulatorSettings } from '../../options/settings.ts'
import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'

const STRING: OpenApiSchema = { type: 'string' }
const COUNT: OpenApiSchema = { type: 'integer', minimum: 0 }
const CREATED: OpenApiSchema = { type: 'integer', minimum: 0, description: 'Unix time in seconds' }

/** Fields of the chat completion object (section 2.3), except `model`. */
const COMPLETION = {
  id: STRING,
  object: { const: 'chat.completion' },
  created: CREATED,
  choices: {
    type: 'array',
    minItems: 1,
    items: buildObjectSchema({
      index: COUNT,
      // `content` is null if the message contains only tool calls.
      message: buildObjectSchema({ role: { const: 'assistant' }, content: { type: ['string', 'null'] } }),
      finish_reason: STRING,
    }),
  },
  usage: buildObjectSchema({ prompt_tokens: COUNT, completion_tokens: COUNT, total_tokens: COUNT }),
}

/** Headers of every response, as `addCommonHeaders` adds them by default. */
export const COMMON_HEADERS: OpenApiSchema = {
  'x-request-id': { description: 'Identifies the request in the request log.', schema: { type: 'string' } },
}

const AUDIO = { schema: { type: 'string', format: 'binary' } }

const MODEL_LIST = buildObjectSchema({
  object: { const: 'list' },
  data: {
    type: 'array',
    items: buildObjectSchema({ id: STRING, object: { const: 'model' }, created: CREATED, owned_by: STRING }),
  },
})

const IMAGE_RESULT = buildObjectSchema({
  created: CREATED,
  data: {
    type: 'array',
    items: {
      anyOf: [buildObjectSchema({ url: { type: 'string', format: 'uri' } }), buildObjectSchema({ b64_json: STRING })],
    },
  },
})

/** Builds the content of an operation's successful response, by media type. */
export function buildSuccessContent(
  operation: Operation,
  { models, behaviour }: Pick<EmulatorSettings, 'models' | 'behaviour'>,
): ResponseContent {
  if (operation === 'transcriptions' && behaviour['transcription-format'] === 'served') {
    return { ...OTHER_CONTENT.transcriptions, 'text/plain': { schema: STRING } }
  }
  if (operation === 'speech' && behaviour['speech-format'] === 'served') {
    return { ...OTHER_CONTENT.speech, 'audio/wav': AUDIO, 'audio/pcm': AUDIO }
  }
  if (operation !== 'chat') return OTHER_CONTENT[operation]
  const completion = buildObjectSchema({ ...COMPLETION, model: { enum: [...models.keys()] } })
  return {
    'application/json': { schema: completion },
    'text/event-stream': {}, // Content for `stream: true`. OpenAPI 3.1 cannot describe server-sent events.
  }
}

type ResponseContent = Readonly<Record<string, { readonly schema?: OpenApiSchema }>>

const OTHER_CONTENT: Readonly<Record<Exclude<Operation, 'chat'>, ResponseContent>> = {
  models: { 'application/json': { schema: MODEL_LIST } },
  images: { 'application/json': { schema: IMAGE_RESULT } },
  transcriptions: { 'application/json': { schema: buildObjectSchema({ text: STRING }) } },
  speech: { 'audio/mpeg': AUDIO },
}

/** Builds the content of error responses in the format that the option `error-body` selects. */
export function buildErrorContent(
  behaviour: BehaviourOptions,
): Readonly<Record<string, { readonly schema: OpenApiSchema }>> {
  switch (behaviour['error-body']) {
    case 'sdk': {
      const orNull = { type: ['string', 'null'] }
      const error = buildObjectSchema({ message: STRING, type: STRING, param: orNull, code: orNull })
      return { 'application/json': { schema: buildObjectSchema({ error }) } }
    }
    case 'detail':
      return { 'application/json': { schema: buildObjectSchema({ detail: STRING }) } }
    case 'text':
    case 'empty':
      return { 'text/plain': { schema: STRING } }
  }
}

/** A JSON Schema (draft 2020-12), which OpenAPI 3.1 uses. */
export type OpenApiSchema = Readonly<Record<string, unknown>>

/** Builds the schema of an object that requires all given properties, and allows others. */
export function buildObjectSchema(properties: Readonly<Record<string, OpenApiSchema>>, optional = {}): OpenApiSchema {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } }
}
