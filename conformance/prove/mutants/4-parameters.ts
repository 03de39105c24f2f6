import { OPERATIONS, PARAMETERS } from '../../../contract/facts.ts'
import { all, to, withFields } from '../change/match.ts'
import type { JsonExcerpt } from '../../outcomes/seen.ts'
import { rewriteFields } from '../change/requests.ts'
import type { Mutant } from '../mutant.ts'
import { unexpectedStatus } from '../result-match.ts'

/*
 * Mutants from the tables of sections 4.2, 4.3 and 4.5: for each parameter, a target that fills in a missing value, and
 * a target that accepts a value of another type.
 */

const JSON_OPERATIONS = ['chat', 'images', 'speech'] as const
type JsonOperation = (typeof JSON_OPERATIONS)[number]
type Parameter = (typeof PARAMETERS)[JsonOperation][number]

/** Values that a lenient target uses instead; an optional parameter without an entry is omitted. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  model: 'vendora-v4-flash',
  messages: [{ role: 'user', content: 'Say hello.' }],
  prompt: 'A grey stone',
  input: 'Hello.',
}

interface Leniency {
  readonly name: string
  /** The first value of this kind that the check sends. */
  readonly value: JsonExcerpt
  takes(value: unknown): boolean
}

const OBJECT: Leniency = { name: 'object', value: {}, takes: (value) => isPlainObject(value) }
const NUMBER: Leniency = { name: 'number', value: 5, takes: (value) => typeof value === 'number' }
const NUMERIC_TEXT: Leniency = { name: 'text', value: '1', takes: (value) => typeof value === 'string' }

const BOOLEAN: Leniency = { name: 'boolean', value: true, takes: (value) => typeof value === 'boolean' }
const LIST: Leniency = { name: 'list', value: ['x'], takes: (value) => Array.isArray(value) }
const NUMBER_LIST: Leniency = { ...LIST, value: [1] }

/** Skips falsy values; `value` is the first of them that the check sends. */
function skipsFalsy(value: JsonExcerpt, values: readonly unknown[]): Leniency {
  return { name: 'falsy', value, takes: (sent) => values.includes(sent) }
}

const LENIENCIES: Readonly<Record<Parameter['type'], readonly Leniency[]>> = {
  string: [OBJECT, NUMBER, BOOLEAN, LIST, skipsFalsy(0, [0, false])],
  integer: [
    NUMERIC_TEXT,
    OBJECT,
    BOOLEAN,
    NUMBER_LIST,
    skipsFalsy('', ['', false]),
    { name: 'fraction', value: 1.5, takes: (value) => Number(value) % 1 !== 0 && typeof value === 'number' },
  ],
  number: [NUMERIC_TEXT, OBJECT, BOOLEAN, NUMBER_LIST, skipsFalsy('', ['', false])],
  boolean: [
    { name: 'text', value: 'true', takes: (value) => typeof value === 'string' },
    { name: 'number', value: 1, takes: (value) => typeof value === 'number' },
    OBJECT,
    { ...LIST, value: [true] },
    skipsFalsy('', ['', 0]),
  ],
  array: [
    { name: 'text', value: 'hello', takes: (value) => typeof value === 'string' },
    OBJECT,
    NUMBER,
    BOOLEAN,
    skipsFalsy('', ['', 0, false]),
  ],
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function addressOf(operation: JsonOperation, name: string): string {
  return `${OPERATIONS[operation].section}/${name.replaceAll('_', '-')}`
}

function assumed(operation: JsonOperation, { name }: Parameter): Mutant {
  const address = addressOf(operation, name)
  return {
    id: `${address}-assumed`,
    breaks: `${operation} without ${name} is served, with a value that was not requested`,
    kills: { [`${address}-missing`]: unexpectedStatus(200) },
    wire: rewriteFields(
      all(
        to(operation),
        withFields((fields) => !(name in fields)),
      ),
      () => ({ [name]: STAND_INS[name] }),
    ),
  }
}

function lenient(operation: JsonOperation, { name }: Parameter, { name: kind, value, takes }: Leniency): Mutant {
  const address = addressOf(operation, name)
  return {
    id: `${address}-${kind}-taken`,
    breaks: `${operation} accepts ${JSON.stringify(value)} for ${name}`,
    kills: {
      [`${address}-${kind === 'fraction' ? 'fraction' : 'wrong-type'}`]: unexpectedStatus(200, {
        parameter: name,
        value,
      }),
    },
    wire: rewriteFields(
      all(
        to(operation),
        withFields((fields) => takes(fields[name])),
      ),
      () => ({ [name]: STAND_INS[name] }),
    ),
  }
}

export const parameterMutants: readonly Mutant[] = JSON_OPERATIONS.flatMap((operation) => {
  const table: readonly Parameter[] = PARAMETERS[operation]
  return table.flatMap((parameter) => [
    ...(parameter.required ? [assumed(operation, parameter)] : []),
    ...LENIENCIES[parameter.type].map((leniency) => lenient(operation, parameter, leniency)),
  ])
})
