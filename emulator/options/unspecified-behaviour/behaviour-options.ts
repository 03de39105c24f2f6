import { MODELS, OPERATION_NAMES, OPERATIONS } from '../../../contract/facts.ts'
import { FIELD_OPTIONS } from './field-options.ts'
import { FORM_OPTIONS } from './form-options.ts'
import { RESPONSE_OPTIONS } from './response-options.ts'
import { REQUEST_OPTIONS } from './request-options.ts'
import type { ChoiceOption, IntegerOption, ListOption, CapabilityOption, BehaviourOptionValue } from './option-row.ts'

/** All options for unspecified behaviour. `behaviour-options.md` is generated from this table. */
export const BEHAVIOUR_OPTIONS = {
  ...REQUEST_OPTIONS,
  ...FIELD_OPTIONS,
  ...RESPONSE_OPTIONS,
  ...FORM_OPTIONS,
} as const

/** Id of an option for unspecified behaviour, for example `error-body`. */
export type BehaviourOptionId = keyof typeof BEHAVIOUR_OPTIONS

/** Values of all options for unspecified behaviour, by id. */
export type BehaviourOptions = {
  readonly [Id in BehaviourOptionId]: BehaviourOptionValue<(typeof BEHAVIOUR_OPTIONS)[Id]>
}

/** Options for the form of chat responses, which a fixture can set. */
export type FormOptions = Pick<BehaviourOptions, keyof typeof FORM_OPTIONS>

export const DEFAULT_BEHAVIOUR_OPTIONS = Object.fromEntries(
  Object.entries(BEHAVIOUR_OPTIONS).map(([id, row]) => [id, row.default]),
) as unknown as BehaviourOptions // The cast is safe, because each id gets the default of its row.

/**
 * Parses the value of one option for unspecified behaviour from text or JSON. Examples of text:
 * - `detail` for `error-body`
 * - `4` for `most-n`
 * - `256x256+512x512` for `sizes`
 * - `images:vendorc-4o+vendorc-4o-mini;speech:vendorc-4o` for `capabilities`
 * @returns the value by id, or a sentence that describes the error
 */
export function parseBehaviourOption(id: string, value: unknown): Partial<BehaviourOptions> | string {
  if (!isOptionId(id)) {
    const similar = findSimilarOptions(id)
    const suggestion = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`
    return `There is no option '${id}' for unspecified behaviour.${suggestion} emulator/behaviour-options.md lists all options.`
  }
  const read = PARSERS[BEHAVIOUR_OPTIONS[id].kind]
  const result = read(BEHAVIOUR_OPTIONS[id], value)
  return 'problem' in result ? `The option '${id}' ${result.problem}` : { [id]: result.value }
}

const MAX_SUGGESTIONS = 3

/** Returns the options that have a word with the same first three letters as a word of `id`, the most similar first. */
function findSimilarOptions(id: string): string[] {
  const stemsOf = (text: string) => text.split(/[-_ ]/).flatMap((word) => (word.length < 2 ? [] : word.slice(0, 3)))
  const stems = new Set(stemsOf(id))
  return Object.keys(BEHAVIOUR_OPTIONS)
    .map((option) => ({ option, shared: stemsOf(option).filter((stem) => stems.has(stem)).length }))
    .filter(({ shared }) => shared > 0)
    .toSorted((one, other) => other.shared - one.shared)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ option }) => option)
}

function isOptionId(id: string): id is BehaviourOptionId {
  return Object.hasOwn(BEHAVIOUR_OPTIONS, id)
}

type AnyRow = ChoiceOption<string> | IntegerOption | ListOption | CapabilityOption
type Result = { readonly value: unknown } | { readonly problem: string }

const PARSERS: { readonly [Kind in AnyRow['kind']]: (row: AnyRow, value: unknown) => Result } = {
  choice: (row, value) => {
    const names = row.kind === 'choice' ? Object.keys(row.choices) : []
    const name = String(value)
    return names.includes(name) ? { value: name } : { problem: `must be ${names.join(' or ')}, not '${name}'.` }
  },
  limit: (row, value) => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    const { min, max } = row as IntegerOption // The cast is safe, because `kind` determines the type of the row.
    const isWithin = typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
    return isWithin ? { value: number } : { problem: `must be an integer from ${min} to ${max}.` }
  },
  list: (_row, value) => {
    if (value === 'any') return { value }
    const items: unknown[] = typeof value === 'string' ? value.split('+') : Array.isArray(value) ? value : []
    const isList = items.length > 0 && items.every((item) => typeof item === 'string' && item !== '')
    return isList ? { value: items } : { problem: "must be 'any' or a list such as one+two." }
  },
  map: (_row, value) => parseCapabilities(value),
}

function parseCapabilities(value: unknown): Result {
  if (value === 'all') return { value }
  const pairs: [string, unknown][] =
    typeof value === 'string'
      ? value.split(';').map((part) => [part.split(':', 1)[0] ?? '', part.split(':').slice(1).join(':').split('+')])
      : Object.entries(value ?? {})
  const known = new Set<unknown>(MODELS.map(({ id }) => id))
  for (const [operation, models] of pairs) {
    if (!Object.hasOwn(OPERATIONS, operation)) {
      return { problem: `names '${operation}', which is none of ${OPERATION_NAMES.join(', ')}.` }
    }
    const unknown = Array.isArray(models) ? models.find((model) => !known.has(model)) : models
    if (unknown !== undefined)
      return { problem: `names '${String(unknown)}', which is not a model ID of the specification.` }
  }
  return pairs.length === 0
    ? { problem: "must be 'all' or a map such as images:vendorc-4o." }
    : { value: Object.fromEntries(pairs) }
}
