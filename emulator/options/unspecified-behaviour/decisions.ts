import { MODELS, OPERATIONS } from '../../../contract/facts.ts'
import { ABOUT_ANSWERS } from './response-options.ts'
import { ABOUT_REQUESTS } from './request-options.ts'
import type { Choice, Limit, List, CapabilityMap, ValueOf } from './option-row.ts'

/** All options for unspecified behaviour. The page `decisions.md` is generated from this table. */
export const DECISIONS = { ...ABOUT_REQUESTS, ...ABOUT_ANSWERS } as const

/** Id of an option, for example `error-body`. */
export type DecisionId = keyof typeof DECISIONS

/** Values of all options, by id. */
export type Decisions = { readonly [Id in DecisionId]: ValueOf<(typeof DECISIONS)[Id]> }

/** Defaults of all options. */
export const DEFAULT_DECISIONS = Object.fromEntries(
  Object.entries(DECISIONS).map(([id, row]) => [id, row.default]),
) as unknown as Decisions // each id has the default of its row

/**
 * Parses the value of one option, as text or as JSON: `detail` for `error-body`, `4` for `most-n`, `256x256+512x512` for
 * `sizes`, `images:vendorc-4o+vendorc-4o-mini;speech:vendorc-4o` for `capabilities`.
 * @returns the value by id, or a sentence that describes the error
 */
export function readDecision(id: string, value: unknown): Partial<Decisions> | string {
  if (!isDecisionId(id)) {
    return `There is no option '${id}' for unspecified behaviour. The options are ${Object.keys(DECISIONS).join(', ')}.`
  }
  const read = READERS[DECISIONS[id].kind]
  const result = read(DECISIONS[id], value)
  return 'problem' in result ? `The option '${id}' ${result.problem}` : { [id]: result.value }
}

function isDecisionId(id: string): id is DecisionId {
  return Object.hasOwn(DECISIONS, id)
}

type AnyRow = Choice<string> | Limit | List | CapabilityMap
type Result = { readonly value: unknown } | { readonly problem: string }

const READERS: { readonly [Kind in AnyRow['kind']]: (row: AnyRow, value: unknown) => Result } = {
  choice: (row, value) => {
    const names = row.kind === 'choice' ? Object.keys(row.choices) : []
    const name = String(value)
    return names.includes(name) ? { value: name } : { problem: `must be ${names.join(' or ')}, not '${name}'.` }
  },
  limit: (row, value) => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    const { min, max } = row as Limit // the kind determines the row type
    const isWithin = typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
    return isWithin ? { value: number } : { problem: `must be an integer from ${min} to ${max}.` }
  },
  list: (_row, value) => {
    if (value === 'any') return { value }
    const items: unknown[] = typeof value === 'string' ? value.split('+') : Array.isArray(value) ? value : []
    const isList = items.length > 0 && items.every((item) => typeof item === 'string' && item !== '')
    return isList ? { value: items } : { problem: "must be 'any' or a list such as one+two." }
  },
  map: (_row, value) => readCapabilities(value),
}

function readCapabilities(value: unknown): Result {
  if (value === 'all') return { value }
  const pairs: [string, unknown][] =
    typeof value === 'string'
      ? value.split(';').map((part) => [part.split(':', 1)[0] ?? '', part.split(':').slice(1).join(':').split('+')])
      : Object.entries(value ?? {})
  const known = new Set<unknown>(MODELS.map(({ id }) => id))
  for (const [operation, models] of pairs) {
    if (!Object.hasOwn(OPERATIONS, operation)) {
      return { problem: `names '${operation}', which is none of ${Object.keys(OPERATIONS).join(', ')}.` }
    }
    const unknown = Array.isArray(models) ? models.find((model) => !known.has(model)) : models
    if (unknown !== undefined)
      return { problem: `names '${String(unknown)}', which is not a model ID of the specification.` }
  }
  return pairs.length === 0
    ? { problem: "must be 'all' or a map such as images:vendorc-4o." }
    : { value: Object.fromEntries(pairs) }
}
