import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import { MAX_STOP_SEQUENCES } from '../../operations/chat-options.ts'
import { MAX_TOP_LOGPROBS } from '../../operations/log-probabilities.ts'
import { getFieldTreatment, OPTIONAL_FIELDS, type OperationWithBody } from '../../operations/optional-fields.ts'
import { SPEECH_FORMATS, SPEED_RANGE } from '../../operations/speech.ts'
import { TRANSCRIPTION_FORMATS } from '../../operations/transcription-formats.ts'
import { buildObjectSchema, type OpenApiSchema } from './response-schemas.ts'

/**
 * Builds the schemas of request fields outside the specification, such as `tools`, according to the emulator's options.
 */
export function buildOptionalProperties(
  operation: OperationWithBody,
  behaviour: BehaviourOptions,
): Readonly<Record<string, OpenApiSchema>> {
  const names = Object.keys(OPTIONAL_FIELDS[operation])
  return Object.fromEntries(names.map((name) => [name, buildProperty(operation, name, behaviour)]))
}

function buildProperty(operation: OperationWithBody, name: string, behaviour: BehaviourOptions): OpenApiSchema {
  const isForm = operation === 'transcriptions'
  switch (getFieldTreatment(operation, name, behaviour)) {
    case 'refused':
      return { description: 'Rejected.', ...(isForm ? { not: {} } : { type: 'null' }) }
    case 'ignored':
      return { description: 'Has no effect.' }
    case 'elsewhere':
    case 'served': {
      const { description, ...schema } = SERVED[operation](behaviour)[name] ?? {}
      const shown = `${String(description ?? 'Has an effect')}. Not part of the specification.`
      const hasType = Object.keys(schema).length > 0
      return { description: shown, ...(hasType && !isForm ? { anyOf: [schema, { type: 'null' }] } : schema) }
    }
  }
}

type Schemas = (behaviour: BehaviourOptions) => Readonly<Record<string, OpenApiSchema>>

const SERVED: Readonly<Record<OperationWithBody, Schemas>> = {
  chat: (behaviour) => ({
    stream_options: { description: 'With include_usage true, the last chunk of a stream contains the usage' },
    max_completion_tokens: {
      description: 'Maximum number of tokens, like max_tokens; if both are set, the smaller value applies',
      type: 'integer',
      minimum: behaviour['least-max-tokens'],
      maximum: behaviour['most-max-tokens'],
    },
    n: { description: 'Number of choices', type: 'integer', minimum: 1, maximum: behaviour['most-n'] },
    stop: {
      description: 'The text ends before the first of these texts',
      anyOf: [NAME, { type: 'array', items: NAME, maxItems: MAX_STOP_SEQUENCES }],
    },
    seed: {
      description: 'Identical requests with a seed get the same message',
      type: 'integer',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    logprobs: { description: 'Each choice has log probabilities of the tokens of its text', type: 'boolean' },
    top_logprobs: {
      description: 'Number of most probable tokens to list at each position, with logprobs true',
      type: 'integer',
      minimum: 0,
      maximum: MAX_TOP_LOGPROBS,
    },
    tools: {
      description: 'Functions that the response may call',
      type: 'array',
      items: { anyOf: [FUNCTION, CUSTOM_TOOL, ...(behaviour['unknown-fields'] === 'refused' ? [] : [OTHER_TOOL])] },
    },
    tool_choice: {
      description:
        'Determines whether the response calls a function; `required` and a name require that function in `tools`',
      anyOf: [{ enum: ['none', 'auto', 'required'] }, NAMED_CHOICE, NAMED_CUSTOM_CHOICE, ALLOWED_TOOLS],
    },
    parallel_tool_calls: { description: 'Accepted; a response without a fixture has at most one call' },
    functions: {
      description: 'Earlier form of `tools`, with which it cannot be combined',
      type: 'array',
      items: FUNCTION_DEFINITION,
    },
    function_call: {
      description: 'Earlier form of `tool_choice`; a name requires that function in `functions`',
      anyOf: [{ enum: ['none', 'auto'] }, buildObjectSchema({ name: TEXT })],
    },
    response_format: {
      description: 'Format of the text. The request is rejected if no value can be generated from the schema',
      anyOf: [
        buildObjectSchema({ type: { enum: ['text', 'json_object'] } }),
        buildObjectSchema({ type: { const: 'json_schema' }, json_schema: NAMED_SCHEMA }),
      ],
    },
  }),
  images: () => ({
    response_format: { description: 'URL, or Base64 in the response', type: 'string', enum: ['url', 'b64_json'] },
  }),
  transcriptions: () => ({
    response_format: { description: 'Format of the transcription', type: 'string', enum: TRANSCRIPTION_FORMATS },
    timestamp_granularities: { description: 'With the format verbose_json: segment or word' },
    'timestamp_granularities[]': { description: 'With the format verbose_json: segment or word' },
  }),
  speech: () => ({
    response_format: { description: 'Audio format', type: 'string', enum: Object.keys(SPEECH_FORMATS) },
    speed: { description: 'Speed', type: 'number', minimum: SPEED_RANGE.lowest, maximum: SPEED_RANGE.highest },
  }),
}

const NAME = { type: 'string', minLength: 1 }
const TEXT = { type: 'string' }

const FUNCTION_DEFINITION = buildObjectSchema(
  { name: NAME },
  { parameters: { type: ['object', 'null'], description: 'JSON Schema of the arguments.' } },
)
const FUNCTION = buildObjectSchema({ type: { const: 'function' }, function: FUNCTION_DEFINITION })
const CUSTOM_TOOL = buildObjectSchema({ type: { const: 'custom' }, custom: buildObjectSchema({ name: NAME }) })

/** Schema of a tool that is neither a function nor a custom tool. The emulator ignores such tools. */
const OTHER_TOOL = buildObjectSchema({ type: { ...TEXT, not: { enum: ['function', 'custom'] } } })

const NAMED_CHOICE = buildObjectSchema({ type: { const: 'function' }, function: buildObjectSchema({ name: TEXT }) })
const NAMED_CUSTOM_CHOICE = buildObjectSchema({ type: { const: 'custom' }, custom: buildObjectSchema({ name: TEXT }) })
const ALLOWED_TOOLS = buildObjectSchema({
  type: { const: 'allowed_tools' },
  allowed_tools: buildObjectSchema(
    { mode: { enum: ['auto', 'required'] } },
    { tools: { description: 'Tools that may be called.' } },
  ),
})
const NAMED_SCHEMA = buildObjectSchema({
  schema: { type: ['object', 'boolean'], description: 'JSON Schema of the text.' },
})
