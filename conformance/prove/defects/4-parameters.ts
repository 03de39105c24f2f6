import { OPERATIONS, PARAMETERS } from '../../../contract/facts.ts'
import { all, to, withFields } from '../change/match.ts'
import { rewriteFields } from '../change/requests.ts'
import type { Defect } from '../defect.ts'

/*
 * From the tables of sections 4.2, 4.3 and 4.5: a target that fills in what is missing, and one that takes values of
 * another type for good ones, parameter by parameter.
 */

const JSON_OPERATIONS = ['chat', 'images', 'speech'] as const
type JsonOperation = (typeof JSON_OPERATIONS)[number]
type Parameter = (typeof PARAMETERS)[JsonOperation][number]

/** What a lenient target takes instead; an optional parameter that is not here is left out. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  model: 'vendora-v4-flash',
  messages: [{ role: 'user', content: 'Say hello.' }],
  prompt: 'A grey stone',
  input: 'Hello.',
}

interface Leniency {
  readonly name: string
  /** How the check shows the value that it tried. */
  readonly shown: string
  takes(value: unknown): boolean
}

const OBJECT: Leniency = { name: 'object', shown: '{}', takes: (value) => isPlainObject(value) }
const NUMBER: Leniency = { name: 'number', shown: '5', takes: (value) => typeof value === 'number' }
const NUMERIC_TEXT: Leniency = { name: 'text', shown: '"1"', takes: (value) => typeof value === 'string' }

const BOOLEAN: Leniency = { name: 'boolean', shown: 'true', takes: (value) => typeof value === 'boolean' }
const LIST: Leniency = { name: 'list', shown: '["x"]', takes: (value) => Array.isArray(value) }
const NUMBER_LIST: Leniency = { ...LIST, shown: '[1]' }

/** Looks at a value only where it counts as true: the first of these that a check tries is the one that it shows. */
function unlooked(shown: string, values: readonly unknown[]): Leniency {
  return { name: 'falsy', shown, takes: (value) => values.includes(value) }
}

const LENIENCIES: Readonly<Record<Parameter['type'], readonly Leniency[]>> = {
  string: [OBJECT, NUMBER, BOOLEAN, LIST, unlooked('0', [0, false])],
  integer: [
    NUMERIC_TEXT,
    OBJECT,
    BOOLEAN,
    NUMBER_LIST,
    unlooked('""', ['', false]),
    { name: 'fraction', shown: '1.5', takes: (value) => Number(value) % 1 !== 0 && typeof value === 'number' },
  ],
  number: [NUMERIC_TEXT, OBJECT, BOOLEAN, NUMBER_LIST, unlooked('""', ['', false])],
  boolean: [
    { name: 'text', shown: '"true"', takes: (value) => typeof value === 'string' },
    { name: 'number', shown: '1', takes: (value) => typeof value === 'number' },
    OBJECT,
    { ...LIST, shown: '[true]' },
    unlooked('""', ['', 0]),
  ],
  array: [
    { name: 'text', shown: '"hello"', takes: (value) => typeof value === 'string' },
    OBJECT,
    NUMBER,
    BOOLEAN,
    unlooked('""', ['', 0, false]),
  ],
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function addressOf(operation: JsonOperation, name: string): string {
  return `${OPERATIONS[operation].section}/${name.replaceAll('_', '-')}`
}

function assumed(operation: JsonOperation, { name }: Parameter): Defect {
  const address = addressOf(operation, name)
  return {
    id: `${address}-assumed`,
    breaks: `${operation} without ${name} is served, with one that nobody asked for`,
    kills: { [`${address}-missing`]: /^the request: answered 200$/ },
    wire: rewriteFields(
      all(
        to(operation),
        withFields((fields) => !(name in fields)),
      ),
      () => ({ [name]: STAND_INS[name] }),
    ),
  }
}

function lenient(operation: JsonOperation, { name }: Parameter, { name: kind, shown, takes }: Leniency): Defect {
  const address = addressOf(operation, name)
  const said = `${name}: ${shown}: answered 200`.replaceAll(/[{}.[\]]/g, String.raw`\$&`)
  return {
    id: `${address}-${kind}-taken`,
    breaks: `${operation} takes ${shown} for ${name}`,
    kills: { [`${address}-${kind === 'fraction' ? 'fraction' : 'wrong-type'}`]: new RegExp(`^${said}$`) },
    wire: rewriteFields(
      all(
        to(operation),
        withFields((fields) => takes(fields[name])),
      ),
      () => ({ [name]: STAND_INS[name] }),
    ),
  }
}

export const parameterDefects: readonly Defect[] = JSON_OPERATIONS.flatMap((operation) => {
  const table: readonly Parameter[] = PARAMETERS[operation]
  return table.flatMap((parameter) => [
    ...(parameter.required ? [assumed(operation, parameter)] : []),
    ...LENIENCIES[parameter.type].map((leniency) => lenient(operation, parameter, leniency)),
  ])
})
