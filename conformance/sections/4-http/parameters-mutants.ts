import { OPERATIONS, PARAMETERS } from '../../../contract/facts.ts'
import { isStreamRequest, matchAll, matchFields, matchOperation } from '../../mutation/change/match.ts'
import type { JsonExcerpt } from '../../findings/observed-facts.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchUnexpectedStatus } from '../../mutation/result-match.ts'

/*
 * These mutants are generated from the parameter tables of sections 4.2, 4.3 and 4.5. One mutant serves a request
 * without a required parameter. The others accept a value of an incorrect type.
 */

const JSON_OPERATIONS = ['chat', 'images', 'speech'] as const
type JsonOperation = (typeof JSON_OPERATIONS)[number]
type Parameter = (typeof PARAMETERS)[JsonOperation][number]

/**
 * Valid values that a lenient target uses instead of a missing or invalid one. If an optional parameter has no entry,
 * the mutant omits it.
 */
const SUBSTITUTES: Readonly<Record<string, unknown>> = {
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

/**
 * Describes a lenient target that accepts values that are falsy in some languages. `value` is the first one that the
 * check sends.
 */
function skipsFalsy(value: JsonExcerpt, values: readonly unknown[]): LenientValue {
  return { name: 'falsy', value, accepts: (sent) => values.includes(sent) }
}

const LENIENT_VALUES: Readonly<Record<Parameter['type'], readonly LenientValue[]>> = {
  string: [OBJECT, NUMBER, BOOLEAN, LIST, skipsFalsy(0, [0, false])],
  integer: [
    NUMERIC_TEXT,
    OBJECT,
    BOOLEAN,
    NUMBER_LIST,
    skipsFalsy('', ['', false]),
    { name: 'fraction', value: 1.5, accepts: (value) => Number(value) % 1 !== 0 && typeof value === 'number' },
  ],
  number: [NUMERIC_TEXT, OBJECT, BOOLEAN, NUMBER_LIST, skipsFalsy('', ['', false])],
  boolean: [
    { name: 'text', value: 'true', accepts: (value) => typeof value === 'string' },
    { name: 'number', value: 1, accepts: (value) => typeof value === 'number' },
    OBJECT,
    { ...LIST, value: [true] },
    skipsFalsy('', ['', 0]),
  ],
  array: [
    { name: 'text', value: 'hello', accepts: (value) => typeof value === 'string' },
    OBJECT,
    NUMBER,
    BOOLEAN,
    skipsFalsy('', ['', 0, false]),
  ],
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function idPrefixOf(operation: JsonOperation, name: string): string {
  return `${OPERATIONS[operation].section}/${name.replaceAll('_', '-')}`
}

function servesMissing(operation: JsonOperation, { name }: Parameter): Mutant {
  const address = idPrefixOf(operation, name)
  return {
    id: `${address}-assumed`,
    breaks: `${operation} without ${name} is served, with a value that was not requested`,
    kills: { [`${address}-missing`]: matchUnexpectedStatus(200) },
    hooks: rewriteFields(
      matchAll(
        matchOperation(operation),
        matchFields((fields) => !(name in fields)),
      ),
      () => ({ [name]: SUBSTITUTES[name] }),
    ),
  }
}

function servesWrongType(
  operation: JsonOperation,
  { name }: Parameter,
  { name: kind, value, accepts: takes }: LenientValue,
): Mutant {
  const address = idPrefixOf(operation, name)
  return {
    id: `${address}-${kind}-taken`,
    breaks: `${operation} accepts ${JSON.stringify(value)} for ${name}`,
    kills: {
      [`${address}-${kind === 'fraction' ? 'fraction' : 'wrong-type'}`]: matchUnexpectedStatus(200, {
        parameter: name,
        value,
      }),
    },
    hooks: rewriteFields(
      matchAll(
        matchOperation(operation),
        matchFields((fields) => takes(fields[name])),
      ),
      () => ({ [name]: SUBSTITUTES[name] }),
    ),
  }
}

/** Returns the mutant that does not validate the type of a parameter in streams. */
function servesWrongTypeInStreams({ name, type }: Parameter): Mutant {
  const address = idPrefixOf('chat', name)
  const value = type === 'array' ? false : []
  return {
    id: `${address}-taken-in-streams`,
    breaks: `streams accept ${JSON.stringify(value)} for ${name}`,
    kills: { [`${address}-wrong-type`]: matchUnexpectedStatus(200, { parameter: name, value }) },
    hooks: rewriteFields(
      matchAll(
        matchOperation('chat'),
        isStreamRequest,
        matchFields((fields) => (type === 'array' ? fields[name] === false : Array.isArray(fields[name]))),
      ),
      () => ({ [name]: SUBSTITUTES[name] }),
    ),
  }
}

const streamMutants = PARAMETERS.chat.filter(({ name }) => name !== 'stream').map(servesWrongTypeInStreams)

const tableMutants: readonly Mutant[] = JSON_OPERATIONS.flatMap((operation) => {
  const table: readonly Parameter[] = PARAMETERS[operation]
  return table.flatMap((parameter) => [
    ...(parameter.required ? [servesMissing(operation, parameter)] : []),
    ...LENIENT_VALUES[parameter.type].map((leniency) => servesWrongType(operation, parameter, leniency)),
  ])
})

export const parameterMutants: readonly Mutant[] = [...tableMutants, ...streamMutants]
