/** The subset of JSON Schema (2020-12) that the schema of target files uses. */
export interface JsonSchema {
  readonly $ref?: string
  /** Description of the strings that match `pattern`, for messages. */
  readonly title?: string
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: false | JsonSchema
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly pattern?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/**
 * Returns a description of the first schema violation. Returns undefined for a valid value. The description contains
 * the path, but never the value.
 */
export function findSchemaProblem(root: JsonSchema, value: unknown): string | undefined {
  return problemAt(value, root, { root, path: '' })
}

interface Place {
  readonly root: JsonSchema
  /** JSON path of the value. Empty for the root. */
  readonly path: string
}

function problemAt(value: unknown, given: JsonSchema, place: Place): string | undefined {
  const schema = resolve(given, place.root)
  if (schema.anyOf !== undefined) {
    const problems = schema.anyOf.map((choice) => problemAt(value, choice, place))
    return problems.includes(undefined)
      ? undefined
      : (problems.at(selectClosest(schema.anyOf, value, place)) ?? problems[0])
  }
  const name = place.path === '' ? 'the file' : place.path
  if (!hasType(value, schema.type)) {
    return `${name} must be ${TYPE_WORDS[schema.type ?? 'object']}${listRequiredFields(schema)}`
  }
  if (typeof value === 'string') return textProblem(value, schema, name)
  if (typeof value === 'number') return numberProblem(value, schema, name)
  return Array.isArray(value) ? arrayProblem(value, schema, place) : objectProblem(value, schema, place)
}

/** Lists the required fields of an object: ` with the fields id and reason`. Empty if there are none. */
function listRequiredFields({ type, required = [] }: JsonSchema): string {
  if (type !== 'object' || required.length === 0) return ''
  return ` with the ${required.length === 1 ? 'field' : 'fields'} ${required.join(' and ')}`
}

const TYPE_WORDS = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
} as const

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace('#/$defs/', '')
  return name === undefined ? schema : (root.$defs?.[name] ?? {})
}

/** Returns the index of the alternative whose type matches the value, because its message helps most. */
function selectClosest(choices: readonly JsonSchema[], value: unknown, { root }: Place): number {
  return Math.max(
    0,
    choices.findIndex((choice) => hasType(value, resolve(choice, root).type)),
  )
}

function hasType(value: unknown, type: JsonSchema['type']): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case undefined:
      return true
    default:
      return typeof value === type
  }
}

function textProblem(
  text: string,
  { minLength = 0, pattern = '', title = '' }: JsonSchema,
  name: string,
): string | undefined {
  if (text.length < minLength) return `${name} must not be empty`
  return new RegExp(pattern).test(text) ? undefined : `${name} must be ${title}`
}

function numberProblem(value: number, schema: JsonSchema, name: string): string | undefined {
  const { minimum, maximum, exclusiveMinimum } = schema
  if (minimum !== undefined && value < minimum) return `${name} must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `${name} must be at most ${maximum}`
  return exclusiveMinimum !== undefined && value <= exclusiveMinimum
    ? `${name} must be more than ${exclusiveMinimum}`
    : undefined
}

function arrayProblem(values: readonly unknown[], schema: JsonSchema, place: Place): string | undefined {
  if (values.length < (schema.minItems ?? 0)) return `${place.path} must not be empty`
  const { items } = schema
  if (items === undefined) return undefined
  return firstOf(values, (value, index) => problemAt(value, items, { ...place, path: `${place.path}[${index}]` }))
}

function objectProblem(value: unknown, schema: JsonSchema, place: Place): string | undefined {
  const members = Object.entries(value ?? {})
  const below = (name: string): Place => ({ ...place, path: place.path === '' ? name : `${place.path}.${name}` })
  const missing = schema.required?.find((name) => members.every(([given]) => given !== name))
  if (missing !== undefined) return `${below(missing).path} is missing`
  return firstOf(members, ([name, member]) => {
    const allowed =
      schema.properties !== undefined && Object.hasOwn(schema.properties, name)
        ? schema.properties[name]
        : schema.additionalProperties
    if (allowed === false) {
      const fields = Object.keys(schema.properties ?? {}).join(', ')
      return `the field ${shortenName(below(name).path)} is unknown. ${place.path === '' ? 'The fields are' : `The fields of ${place.path} are`} ${fields}`
    }
    return allowed === undefined ? undefined : problemAt(member, allowed, below(name))
  })
}

/** Shortens a long property name in a path, because it may be a key in the wrong place. */
function shortenName(path: string): string {
  return path.length > 40 ? `${path.slice(0, 12)}…` : path
}

function firstOf<Value>(
  values: readonly Value[],
  problem: (value: Value, index: number) => string | undefined,
): string | undefined {
  for (const [index, value] of values.entries()) {
    const found = problem(value, index)
    if (found !== undefined) return found
  }
  return undefined
}
