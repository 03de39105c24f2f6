import { PARAMETERS } from '../../contract/facts.ts'
import { createParameterError, type ApiError } from '../core/api-errors.ts'
import type { BehaviourOptionId, BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { RequestFields } from './operation.ts'

export type OperationWithBody = keyof typeof PARAMETERS

/**
 * Request fields that the specification does not define, with the option that determines how the emulator handles each
 * of them.
 */
export const OPTIONAL_FIELDS: Readonly<Record<OperationWithBody, Readonly<Record<string, BehaviourOptionId>>>> = {
  chat: {
    stream_options: 'stream-usage',
    max_completion_tokens: 'max-completion-tokens',
    n: 'chat-n',
    stop: 'stop',
    seed: 'seed-field',
    logprobs: 'logprobs',
    top_logprobs: 'logprobs',
    tools: 'tools',
    tool_choice: 'tools',
    parallel_tool_calls: 'tools',
    functions: 'tools',
    function_call: 'tools',
    response_format: 'response-format',
  },
  images: { response_format: 'image-format' },
  transcriptions: {
    response_format: 'transcription-format',
    timestamp_granularities: 'transcription-format',
    'timestamp_granularities[]': 'transcription-format',
  },
  speech: { response_format: 'speech-format', speed: 'speech-speed' },
}

export interface OptionalFields {
  /** Values of the fields that have an effect, without nulls. Undefined if there are none. */
  readonly served: Readonly<Record<string, unknown>> | undefined
  /** Names of the fields that have no effect, for the request log. */
  readonly ignored: readonly string[]
}

/** Maximum number of ignored fields that are listed, and maximum length of their names. */
const MAX_LISTED = { fields: 50, characters: 100 } as const

/** Adds the name of a field that has no effect to a list, within the limits of MAX_LISTED. */
export function addIgnoredField(ignored: string[], name: string): void {
  if (ignored.length < MAX_LISTED.fields) ignored.push(name.slice(0, MAX_LISTED.characters))
}

/**
 * Adds the tools that have no effect to a list of ignored fields.
 * @param accepted the accepted kinds of tools, for the error message
 * @returns an error if there is such a tool and the option `unknown-fields` rejects it
 */
export function addIgnoredTools(
  ignored: readonly string[],
  tools: readonly string[],
  accepted: string,
  behaviour: BehaviourOptions,
): readonly string[] | ApiError {
  const [first] = tools
  if (first === undefined) return ignored
  if (behaviour['unknown-fields'] === 'refused') {
    return createParameterError('tools', `'tools' must contain only ${accepted}, not '${first}'.`)
  }
  const all = [...ignored]
  for (const name of tools) addIgnoredField(all, name)
  return all
}

/**
 * Separates the fields that the specification does not define into fields with and without an effect.
 * @returns an error for a field that the options reject
 */
export function readOptionalFields(
  operation: OperationWithBody,
  { values }: RequestFields,
  behaviour: BehaviourOptions,
): OptionalFields | ApiError {
  const parameters: readonly string[] = PARAMETERS[operation].map(({ name }) => name)
  const others = Object.keys(values).filter((name) => !parameters.includes(name))
  let served: Record<string, unknown> | undefined
  const ignored: string[] = []
  for (const name of others) {
    const value = values[name]
    const treatment = getFieldTreatment(operation, name, behaviour)
    if (treatment === 'refused') {
      if (isAbsent(value, operation, name)) continue
      return createParameterError(name, `There is no parameter '${name}'.`)
    }
    if (value === null || value === undefined) continue
    if (treatment === 'served') {
      served ??= {}
      served[name] = value
    } else if (name === 'stream_options') {
      for (const option of findIgnoredStreamOptions(value, treatment)) addIgnoredField(ignored, option)
    } else if (treatment === 'ignored') {
      addIgnoredField(ignored, name)
    }
  }
  return { served, ignored }
}

/**
 * Returns the stream options that have no effect. The value `false` disables a feature that the emulator does not have,
 * such as `include_obfuscation`.
 */
function findIgnoredStreamOptions(options: unknown, treatment: 'ignored' | 'elsewhere'): readonly string[] {
  if (treatment === 'ignored' || typeof options !== 'object' || options === null) return ['stream_options']
  const others = Object.entries(options).filter(([name]) => name !== 'include_usage')
  return others.flatMap(([name, value]) => (value === null || value === false ? [] : [`stream_options.${name}`]))
}

/**
 * Returns true if a field of OPTIONAL_FIELDS is missing or null. Clients in typed languages send null for fields that
 * they do not use.
 */
function isAbsent(value: unknown, operation: OperationWithBody, name: string): boolean {
  return (value === null || value === undefined) && Object.hasOwn(OPTIONAL_FIELDS[operation], name)
}

/**
 * Returns how the options treat a field that the specification does not define: `elsewhere` if other code handles the
 * field.
 */
export function getFieldTreatment(
  operation: OperationWithBody,
  name: string,
  behaviour: BehaviourOptions,
): 'served' | 'ignored' | 'refused' | 'elsewhere' {
  if (name === behaviour['quality-parameter']) return 'elsewhere' // `parameters.ts` checks the value of this field.
  const otherwise = behaviour['unknown-fields']
  const id = Object.hasOwn(OPTIONAL_FIELDS[operation], name) ? OPTIONAL_FIELDS[operation][name] : undefined
  if (id === undefined) return otherwise
  // Common clients send this field with every stream, so the emulator never rejects it.
  if (id === 'stream-usage') return behaviour[id] === 'never' ? 'ignored' : 'elsewhere'
  const value = behaviour[id]
  return value === 'served' || value === 'refused' ? value : otherwise
}
