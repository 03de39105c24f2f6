import { PARAMETERS } from '../../../contract/facts.ts'
import { isStreamRequest, matchFields, matchFieldsOf, matchOperation } from '../../mutation/change/match.ts'
import { JSON_OPERATIONS, type JsonOperation } from '../../requests/build-request.ts'
import type { JsonExcerpt } from '../../findings/fact-params.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchUnexpectedStatus } from '../../mutation/result-match.ts'

// Mutants that serve a request without a required parameter, or with a value of an incorrect type.

type Parameter = (typeof PARAMETERS)[JsonOperation][number]

interface ParameterRow extends Pick<Parameter, 'name' | 'type' | 'required'> {
  readonly operation: JsonOperation
  /** Start of the IDs of the checks and of the mutants. */
  readonly prefix: string
}

const SECTIONS: Readonly<Record<JsonOperation, string>> = { chat: '4.2', images: '4.3', speech: '4.5' }

/** Valid values that a lenient target uses instead. An optional parameter without an entry is omitted. */
export const SUBSTITUTES: Readonly<Record<string, unknown>> = {
  model: 'vendora-v4-flash',
  messages: [{ role: 'user', content: 'Say hello.' }],
  prompt: 'A grey stone',
  input: 'Hello.',
}

interface LenientValue {
  readonly name: string
  /** First value of this kind that the check sends. */
  readonly value: JsonExcerpt
  accepts(value: unknown): boolean
}

const OBJECT: LenientValue = { name: 'object', value: {}, accepts: (value) => isPlainObject(value) }
const NUMBER: LenientValue = { name: 'number', value: 5, accepts: (value) => typeof value === 'number' }
const NUMERIC_TEXT: LenientValue = { name: 'text', value: '1', accepts: (value) => typeof value === 'string' }

const BOOLEAN: LenientValue = { name: 'boolean', value: true, accepts: (value) => typeof value === 'boolean' }
const LIST: LenientValue = { name: 'list', value: ['x'], accepts: (value) => Array.isArray(value) }
const NUMBER_LIST: LenientValue = { ...LIST, value: [1] }

/** Describes a lenient target that accepts a value that is falsy in some languages. */
function skipsFalsy(value: JsonExcerpt): LenientValue {
  return { name: 'falsy', value, accepts: (sent) => sent === value }
}

const LENIENT_VALUES: Readonly<Record<Parameter['type'], readonly LenientValue[]>> = {
  string: [OBJECT, NUMBER, BOOLEAN, LIST, skipsFalsy(false)],
  integer: [
    NUMERIC_TEXT,
    OBJECT,
    BOOLEAN,
    NUMBER_LIST,
    skipsFalsy(''),
    { name: 'fraction', value: 1.5, accepts: (value) => Number(value) % 1 !== 0 && typeof value === 'number' },
  ],
  number: [NUMERIC_TEXT, OBJECT, BOOLEAN, NUMBER_LIST, skipsFalsy('')],
  boolean: [
    { name: 'text', value: 'true', accepts: (value) => typeof value === 'string' },
    { name: 'number', value: 1, accepts: (value) => typeof value === 'number' },
    OBJECT,
    { ...LIST, value: [true] },
    skipsFalsy(''),
  ],
  array: [
    { name: 'text', value: 'hello', accepts: (value) => typeof value === 'string' },
    OBJECT,
    NUMBER,
    BOOLEAN,
    skipsFalsy(false),
  ],
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const PARAMETER_ROWS: readonly ParameterRow[] = JSON_OPERATIONS.flatMap((operation) => {
  const table: readonly Parameter[] = PARAMETERS[operation]
  return table.map(({ name, type, required }) => {
    const prefix = `${SECTIONS[operation]}/${name.replace('_', '-')}`
    return { operation, name, type, required, prefix }
  })
})

function servesMissing({ operation, name, prefix }: ParameterRow): Mutant {
  return {
    id: `${prefix}-assumed`,
    breaks: `${operation} without ${name} is served, with a value that was not requested`,
    kills: { [`${prefix}-missing`]: matchUnexpectedStatus(200) },
    hooks: rewriteFields(
      matchFieldsOf(operation, (fields) => !(name in fields)),
      { [name]: SUBSTITUTES[name] },
    ),
  }
}

function servesWrongType(
  { operation, name, prefix }: ParameterRow,
  { name: kind, value, accepts }: LenientValue,
): Mutant {
  return {
    id: `${prefix}-${kind}-taken`,
    breaks: `${operation} accepts ${JSON.stringify(value)} for ${name}`,
    kills: {
      [`${prefix}-${kind === 'fraction' ? kind : 'wrong-type'}`]: matchUnexpectedStatus(200, {
        parameter: name,
        value,
      }),
    },
    hooks: rewriteFields(
      matchFieldsOf(operation, (fields) => accepts(fields[name])),
      { [name]: SUBSTITUTES[name] },
    ),
  }
}

/** Returns the mutant that does not validate the type of a parameter in streams. */
function servesWrongTypeInStreams({ name, type, prefix }: ParameterRow): Mutant {
  const value = type === 'array' ? false : []
  return {
    id: `${prefix}-taken-in-streams`,
    breaks: `streams accept ${JSON.stringify(value)} for ${name}`,
    kills: { [`${prefix}-wrong-type`]: matchUnexpectedStatus(200, { parameter: name, value }) },
    hooks: rewriteFields(
      matchOperation(
        'chat',
        isStreamRequest,
        matchFields((fields) => (type === 'array' ? fields[name] === false : Array.isArray(fields[name]))),
      ),
      { [name]: SUBSTITUTES[name] },
    ),
  }
}

export const parameterMutants: readonly Mutant[] = [
  ...PARAMETER_ROWS.flatMap((row) => [
    ...(row.required ? [servesMissing(row)] : []),
    ...LENIENT_VALUES[row.type].map((leniency) => servesWrongType(row, leniency)),
  ]),
  ...PARAMETER_ROWS.filter(({ operation, name }) => operation === 'chat' && name !== 'stream').map(
    servesWrongTypeInStreams,
  ),
]
