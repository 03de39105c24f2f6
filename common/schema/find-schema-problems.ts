import { isJsonObject } from '../json-object.ts'
import type { JsonSchema } from './build-schema.ts'

/** Number of problems after which a list or an object is not checked further. */
const MAX_PROBLEMS = 10

/** Maximum number of fields that a message about an unknown field lists. */
const MAX_LISTED_FIELDS = 24
/** Number of required fields from which only programs write the value, so that nobody needs a list of the fields. */
const MIN_REQUIRED_OF_DOCUMENTS = 10

/** A difference between a value and its schema. */
export interface SchemaProblem {
  /** Names and positions that lead to the value, from the root. */
  readonly location: readonly (string | number)[]
  /** For example `checks[3].verdict must be "pass" or "fail"`. Never contains the value. */
  readonly text: string
}

interface Place {
  readonly root: JsonSchema
  readonly location: SchemaProblem['location']
  /** Path of the value, such as `checks[3].verdict`. Empty for the whole value. */
  readonly path: string
  /** Name of the whole value, for messages. */
  readonly whole: string
}

/**
 * Lists the first differences between a value and its schema, such as `checks[3].verdict must be "pass" or "fail"`.
 * Returns an empty list for a valid value. A message never contains the value.
 * @param whole name of the whole value, such as `the file`
 */
export function findSchemaProblems(root: JsonSchema, value: unknown, whole: string): string[] {
  return locateSchemaProblems(root, value, whole).map(({ text }) => text)
}

/** Like {@link findSchemaProblems}, with the location of each difference. */
export function locateSchemaProblems(root: JsonSchema, value: unknown, whole: string): SchemaProblem[] {
  return findProblems(root, value, { root, location: [], path: '', whole })
}

function findProblems(given: JsonSchema, value: unknown, place: Place): SchemaProblem[] {
  const schema = resolve(given, place.root)
  if (schema.anyOf !== undefined) return findProblemsOfClosestForm(schema.anyOf, value, place)
  const rule = findBrokenRule(schema, value)
  if (rule !== undefined) return [{ location: place.location, text: `${place.path || place.whole} must ${rule}` }]
  if (Array.isArray(value)) return findItemProblems(schema, value, place)
  return isJsonObject(value) ? findMemberProblems(schema, value, place) : []
}

/** Returns a schema with the fields of the definition that it refers to. Its own fields replace those of the definition. */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace('#/$defs/', '')
  const definition = name === undefined ? undefined : root.$defs?.[name]
  if (definition?.properties === undefined) return { ...definition, ...schema }
  return { ...definition, ...schema, properties: { ...definition.properties, ...schema.properties } }
}

/** Returns the problems of the form with the fewest, among those whose type matches the value. */
function findProblemsOfClosestForm(forms: readonly JsonSchema[], value: unknown, place: Place): SchemaProblem[] {
  const fitting = forms.filter((form) => hasType(resolve(form, place.root).type, value))
  const problems = (fitting.length === 0 ? forms : fitting).map((form) => findProblems(form, value, place))
  return problems.toSorted((a, b) => a.length - b.length)[0] ?? []
}

/** Returns the rule of a schema that a value breaks: `be at least 1`. */
function findBrokenRule(schema: JsonSchema, value: unknown): string | undefined {
  if (schema.const !== undefined && value !== schema.const) return `be ${JSON.stringify(schema.const)}`
  if (schema.enum !== undefined && !schema.enum.some((allowed) => allowed === value)) {
    return `be ${schema.enum.map((allowed) => JSON.stringify(allowed)).join(' or ')}`
  }
  if (!hasType(schema.type, value)) return `be ${TYPE_NAMES[schema.type ?? 'object']}${listRequiredFields(schema)}`
  if (typeof value === 'number') return findBrokenLimit(schema, value)
  const minLength = schema.minLength ?? schema.minItems ?? 0
  if ((typeof value === 'string' || Array.isArray(value)) && value.length < minLength) return 'not be empty'
  const { pattern, title } = schema
  const isMatch = pattern === undefined || typeof value !== 'string' || new RegExp(pattern, 'u').test(value)
  return isMatch ? undefined : `be ${title ?? `text like ${pattern}`}`
}

const TYPE_NAMES = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
} as const

/** Lists the required fields of an object: ` with the fields id and reason`. Empty if there are more than three. */
function listRequiredFields({ type, required = [] }: JsonSchema): string {
  if (type !== 'object' || required.length === 0 || required.length > 3) return ''
  return ` with the ${required.length === 1 ? 'field' : 'fields'} ${required.join(' and ')}`
}

function hasType(type: JsonSchema['type'], value: unknown): boolean {
  switch (type) {
    case undefined:
      return true
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isJsonObject(value)
    case 'integer':
      return Number.isInteger(value)
    // NaN and Infinity are invalid, because JSON.stringify writes them as null.
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

function findBrokenLimit({ minimum, maximum, exclusiveMinimum }: JsonSchema, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `be at most ${maximum}`
  return exclusiveMinimum !== undefined && value <= exclusiveMinimum ? `be more than ${exclusiveMinimum}` : undefined
}

function findItemProblems({ items }: JsonSchema, values: readonly unknown[], place: Place): SchemaProblem[] {
  const problems: SchemaProblem[] = []
  for (const [index, value] of values.entries()) {
    const item = { ...place, location: [...place.location, index], path: `${place.path}[${index}]` }
    if (items !== undefined) problems.push(...findProblems(items, value, item))
    if (problems.length >= MAX_PROBLEMS) break
  }
  return problems
}

function findMemberProblems(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  place: Place,
): SchemaProblem[] {
  const { properties = {}, required = [], additionalProperties } = schema
  const pathOf = (name: string) => (place.path === '' ? name : `${place.path}.${name}`)
  // A member with the value undefined is missing, because JSON.stringify omits it.
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const missing = required.filter((name) => members.every(([given]) => given !== name))
  const problems: SchemaProblem[] = missing.map((name) => ({
    location: place.location,
    text: `${pathOf(name)} is missing`,
  }))
  for (const [name, member] of members) {
    if (problems.length >= MAX_PROBLEMS) break
    const location = [...place.location, name]
    const form = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (form === false) {
      const others = required.length < MIN_REQUIRED_OF_DOCUMENTS ? listFields(Object.keys(properties), place) : ''
      problems.push({ location, text: `the field ${shorten(pathOf(name))} is unknown${others}` })
    } else if (form !== undefined) {
      problems.push(...findProblems(form, member, { ...place, location, path: pathOf(shorten(name)) }))
    }
  }
  return problems
}

function listFields(names: readonly string[], { path }: Place): string {
  return names.length > MAX_LISTED_FIELDS ? '' : `. The fields${path && ` of ${path}`} are ${names.join(', ')}`
}

/** Shortens a long name in a path, because it may be a key in the wrong place. */
function shorten(name: string): string {
  return name.length > 40 ? `${name.slice(0, 12)}…` : name
}
