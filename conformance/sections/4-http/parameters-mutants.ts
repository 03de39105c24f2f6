import type { PARAMETERS } from '../../../contract/facts.ts'
import { isStreamRequest, matchAll, matchFields, matchFieldsOf, matchOperation } from '../../mutation/change/match.ts'
import type { JsonOperation } from '../../requests/build-request.ts'
import type { JsonExcerpt } from '../../findings/fact-params.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchUnexpectedStatus } from '../../mutation/result-match.ts'

/*
 * These mutants are generated from the parameter tables of sections 4.2, 4.3 and 4.5. One mutant serves a request
 * without a required parameter. The others accept a value of an incorrect type.
 */

type Parameter = (typeof PARAMETERS)[JsonOperation][number]

interface ParameterRow {
  readonly operation: JsonOperation
  readonly name: Parameter['name']
  readonly type: Parameter['type']
  /** Prefix of the IDs of the mutants. */
  readonly prefix: string
  /** Checks that must catch the mutants. */
  readonly missing?: string
  readonly wrongType: string
  readonly fraction?: string
}

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

const PARAMETER_ROWS: readonly ParameterRow[] = [
  {
    operation: 'chat',
    name: 'model',
    type: 'string',
    prefix: '4.2/model',
    missing: '4.2/model-missing',
    wrongType: '4.2/model-wrong-type',
  },
  {
    operation: 'chat',
    name: 'messages',
    type: 'array',
    prefix: '4.2/messages',
    missing: '4.2/messages-missing',
    wrongType: '4.2/messages-wrong-type',
  },
  {
    operation: 'chat',
    name: 'max_tokens',
    type: 'integer',
    prefix: '4.2/max-tokens',
    wrongType: '4.2/max-tokens-wrong-type',
    fraction: '4.2/max-tokens-fraction',
  },
  {
    operation: 'chat',
    name: 'temperature',
    type: 'number',
    prefix: '4.2/temperature',
    wrongType: '4.2/temperature-wrong-type',
  },
  { operation: 'chat', name: 'stream', type: 'boolean', prefix: '4.2/stream', wrongType: '4.2/stream-wrong-type' },
  {
    operation: 'images',
    name: 'model',
    type: 'string',
    prefix: '4.3/model',
    missing: '4.3/model-missing',
    wrongType: '4.3/model-wrong-type',
  },
  {
    operation: 'images',
    name: 'prompt',
    type: 'string',
    prefix: '4.3/prompt',
    missing: '4.3/prompt-missing',
    wrongType: '4.3/prompt-wrong-type',
  },
  {
    operation: 'images',
    name: 'n',
    type: 'integer',
    prefix: '4.3/n',
    wrongType: '4.3/n-wrong-type',
    fraction: '4.3/n-fraction',
  },
  { operation: 'images', name: 'size', type: 'string', prefix: '4.3/size', wrongType: '4.3/size-wrong-type' },
  {
    operation: 'speech',
    name: 'model',
    type: 'string',
    prefix: '4.5/model',
    missing: '4.5/model-missing',
    wrongType: '4.5/model-wrong-type',
  },
  {
    operation: 'speech',
    name: 'input',
    type: 'string',
    prefix: '4.5/input',
    missing: '4.5/input-missing',
    wrongType: '4.5/input-wrong-type',
  },
  { operation: 'speech', name: 'voice', type: 'string', prefix: '4.5/voice', wrongType: '4.5/voice-wrong-type' },
]

function servesMissing({ operation, name, prefix }: ParameterRow, check: string): Mutant {
  return {
    id: `${prefix}-assumed`,
    breaks: `${operation} without ${name} is served, with a value that was not requested`,
    kills: { [check]: matchUnexpectedStatus(200) },
    hooks: rewriteFields(
      matchFieldsOf(operation, (fields) => !(name in fields)),
      { [name]: SUBSTITUTES[name] },
    ),
  }
}

function servesWrongType(
  { operation, name, prefix, wrongType, fraction = '' }: ParameterRow,
  { name: kind, value, accepts }: LenientValue,
): Mutant {
  return {
    id: `${prefix}-${kind}-taken`,
    breaks: `${operation} accepts ${JSON.stringify(value)} for ${name}`,
    kills: { [kind === 'fraction' ? fraction : wrongType]: matchUnexpectedStatus(200, { parameter: name, value }) },
    hooks: rewriteFields(
      matchFieldsOf(operation, (fields) => accepts(fields[name])),
      { [name]: SUBSTITUTES[name] },
    ),
  }
}

/** Returns the mutant that does not validate the type of a parameter in streams. */
function servesWrongTypeInStreams({ name, type, prefix, wrongType }: ParameterRow): Mutant {
  const value = type === 'array' ? false : []
  return {
    id: `${prefix}-taken-in-streams`,
    breaks: `streams accept ${JSON.stringify(value)} for ${name}`,
    kills: { [wrongType]: matchUnexpectedStatus(200, { parameter: name, value }) },
    hooks: rewriteFields(
      matchAll(
        matchOperation('chat'),
        isStreamRequest,
        matchFields((fields) => (type === 'array' ? fields[name] === false : Array.isArray(fields[name]))),
      ),
      { [name]: SUBSTITUTES[name] },
    ),
  }
}

export const parameterMutants: readonly Mutant[] = [
  ...PARAMETER_ROWS.flatMap((row) => [
    ...(row.missing === undefined ? [] : [servesMissing(row, row.missing)]),
    ...LENIENT_VALUES[row.type].map((leniency) => servesWrongType(row, leniency)),
  ]),
  ...PARAMETER_ROWS.filter(({ operation, name }) => operation === 'chat' && name !== 'stream').map(
    servesWrongTypeInStreams,
  ),
]
