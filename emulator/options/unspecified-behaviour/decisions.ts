import { MODELS, OPERATIONS } from '../../../contract/facts.ts'
import { ABOUT_ANSWERS } from './response-options.ts'
import { ABOUT_REQUESTS } from './request-options.ts'
import type { Choice, Limit, List, CapabilityMap, ValueOf } from './option-row.ts'

/**
 * Every point on which the document is silent and the emulator has to do something: the choice by default, the other
 * choices, and why. `decisions.md` is generated from it.
 */
export const DECISIONS = { ...ABOUT_REQUESTS, ...ABOUT_ANSWERS } as const

/** Id of a decision, e.g. `error-body`. */
export type DecisionId = keyof typeof DECISIONS

/** What is decided, by id. */
export type Decisions = { readonly [Id in DecisionId]: ValueOf<(typeof DECISIONS)[Id]> }

/** What the emulator does when nothing is set. */
export const DEFAULT_DECISIONS = Object.fromEntries(
  Object.entries(DECISIONS).map(([id, row]) => [id, row.byDefault]),
) as unknown as Decisions // each id has its own row's default

/**
 * Reads the value of one decision as it stands in a flag, the environment or a config file: `error-body=detail`,
 * `most-n=4`, `sizes=256x256+512x512`, `capabilities=images:vendorc-4o+vendorc-4o-mini;speech:vendorc-4o`.
 * @returns the decision, or one sentence that says what is wrong
 */
export function readDecision(id: string, value: unknown): Partial<Decisions> | string {
  if (!isDecisionId(id)) {
    return `There is no decision '${id}'. See the list: ${Object.keys(DECISIONS).join(', ')}.`
  }
  const read = READERS[DECISIONS[id].kind]
  const result = read(DECISIONS[id], value)
  return 'fault' in result ? `The decision '${id}' ${result.fault}` : { [id]: result.value }
}

function isDecisionId(id: string): id is DecisionId {
  return Object.hasOwn(DECISIONS, id)
}

type AnyRow = Choice<string> | Limit | List | CapabilityMap
type Result = { readonly value: unknown } | { readonly fault: string }

const READERS: { readonly [Kind in AnyRow['kind']]: (row: AnyRow, value: unknown) => Result } = {
  choice: (row, value) => {
    const names = row.kind === 'choice' ? Object.keys(row.choices) : []
    const name = String(value)
    return names.includes(name) ? { value: name } : { fault: `can be ${names.join(' or ')}, not '${name}'.` }
  },
  limit: (row, value) => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    const { least, most } = row as Limit // the kind says so
    const isWithin = typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
    return isWithin ? { value: number } : { fault: `must be an integer from ${least} to ${most}.` }
  },
  list: (_row, value) => {
    if (value === 'any') return { value }
    const items: unknown[] = typeof value === 'string' ? value.split('+') : Array.isArray(value) ? value : []
    const isList = items.length > 0 && items.every((item) => typeof item === 'string' && item !== '')
    return isList ? { value: items } : { fault: "must be 'any' or a list such as one+two." }
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
      return { fault: `names '${operation}', which is none of ${Object.keys(OPERATIONS).join(', ')}.` }
    }
    const stranger = Array.isArray(models) ? models.find((model) => !known.has(model)) : models
    if (stranger !== undefined) return { fault: `names '${String(stranger)}', which is no model ID of the document.` }
  }
  return pairs.length === 0
    ? { fault: "must be 'all' or a map such as images:vendorc-4o." }
    : { value: Object.fromEntries(pairs) }
}
