import { isJsonObject } from '../../../common/json-object.ts'

export type JsonSchema = boolean | Readonly<Record<string, unknown>>

/**
 * Thrown for a schema for which the emulator cannot generate a value. The message is the end of a sentence about the
 * schema.
 */
export class UnsupportedSchemaError extends Error {}

/** Maximum value of `minItems`, `minLength`, `minProperties` and `minContains`. */
const MAX_MINIMUM = 1000
const MAX_DEPTH = 100
/** Maximum length of a text that a pattern requires. The generator exhausts the memory for `(a{1000}){1000000}`. */
const MAX_PATTERN_CHARACTERS = 10_000
/**
 * Maximum number of array items, or characters of a string, above the minimum of a schema. Applies only to schemas with
 * a maximum.
 */
const MAX_ABOVE_MINIMUM = { items: 3, characters: 40 } as const

/** Name of the format assigned to schemas of strings that have none of TEXT_KEYWORDS. */
export const PLAIN_TEXT_FORMAT = 'touchstone-text'

const MINIMUMS = ['minItems', 'minLength', 'minProperties', 'minContains']
const SCHEMA_KEYWORDS = new Set([
  'items',
  'additionalItems',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'not',
  'if',
  'then',
  'else',
])
const SCHEMA_LIST_KEYWORDS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const SCHEMA_MAP_KEYWORDS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords that restrict a string. If a schema has none of them, the generated string consists of words. */
const TEXT_KEYWORDS = ['enum', 'const', 'pattern', 'format', 'minLength', 'maxLength', 'not', 'allOf', 'anyOf', 'oneOf']

/**
 * Converts a schema of any draft from 4 to 2020-12 to draft 2020-12. Removes `$schema`, `$id` and `id`, renames a list in
 * `items` to `prefixItems`, and replaces boolean values of `exclusiveMinimum` and `exclusiveMaximum`.
 * @throws UnsupportedSchemaError if a nested schema is neither an object nor a boolean, or is nested too deeply
 */
export function convertSchema(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, convertObject)
}

/**
 * Narrows a converted schema, so that generated values are small and their strings consist of words.
 * @throws UnsupportedSchemaError if a minimum in the schema exceeds MAX_MINIMUM
 */
export function narrowSchema(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, narrowObject)
}

type Convert = (schema: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>

/** Converts a schema and all nested schemas, starting with the outermost. */
export function mapSchema(schema: unknown, convert: Convert, depth = 0): JsonSchema {
  if (typeof schema === 'boolean') return schema
  if (!isJsonObject(schema))
    throw new UnsupportedSchemaError('contains a schema that is neither an object nor a boolean')
  if (depth > MAX_DEPTH) throw new UnsupportedSchemaError(`is nested more than ${MAX_DEPTH} deep`)
  const inner = (value: unknown) => mapSchema(value, convert, depth + 1)
  const entries = Object.entries(convert(schema)).map(([keyword, value]): [string, unknown] => {
    if (SCHEMA_KEYWORDS.has(keyword)) return [keyword, inner(value)]
    if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) return [keyword, value.map(inner)]
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))]
    }
    return [keyword, value]
  })
  return Object.fromEntries(entries)
}

function convertObject(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, $id: _id, id: _draft4Id, items, additionalItems, ...rest } = schema
  const others = convertExclusive(convertExclusive(rest, 'minimum', 'exclusiveMinimum'), 'maximum', 'exclusiveMaximum')
  if (Array.isArray(items)) {
    return { ...others, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
  }
  return items === undefined ? others : { ...others, items }
}

/** Converts a boolean bound of draft 4, which OpenAPI 3.0 also uses, to the bound itself. */
function convertExclusive(schema: Readonly<Record<string, unknown>>, bound: string, exclusive: string) {
  if (typeof schema[exclusive] !== 'boolean') return schema
  const { [bound]: value, [exclusive]: isExclusive, ...others } = schema
  if (value === undefined) return others
  return { ...others, [isExclusive === true ? exclusive : bound]: value }
}

function narrowObject(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const name of MINIMUMS) {
    if (numberAt(schema, name) > MAX_MINIMUM) {
      throw new UnsupportedSchemaError(`has '${name}': ${String(schema[name])}, more than ${MAX_MINIMUM}`)
    }
  }
  for (const pattern of [schema['pattern'], ...Object.keys(Object(schema['patternProperties']))]) {
    if (typeof pattern === 'string' && countPatternCharacters(pattern) > MAX_PATTERN_CHARACTERS) {
      throw new UnsupportedSchemaError(`has a pattern that can require more than ${MAX_PATTERN_CHARACTERS} characters`)
    }
  }
  const isPlainText =
    [schema['type']].flat().includes('string') && TEXT_KEYWORDS.every((keyword) => !(keyword in schema))
  return {
    ...schema,
    ...narrowMaximum(schema, 'minItems', 'maxItems', MAX_ABOVE_MINIMUM.items),
    ...narrowMaximum(schema, 'minLength', 'maxLength', MAX_ABOVE_MINIMUM.characters),
    ...(isPlainText ? { format: PLAIN_TEXT_FORMAT } : {}),
    ...narrowPattern(schema),
    ...narrowDecimal(schema),
  }
}

/** Characters that the generator uses for a Unicode property in a pattern, by the name of the property. */
const PROPERTY_CHARACTERS: readonly (readonly [RegExp, string])[] = [
  [/^(Lu|Uppercase)/, 'A-Z'],
  [/^(Ll|Lowercase)/, 'a-z'],
  [/^(L|Alpha|Script=Latin|sc=Latn)/, 'a-zA-Z'],
  [/^(N|gc=N)/, '0-9'],
  [/^(Z|White_Space)/, ' '],
  [/^P/, '.,!'],
  [/^S/, '+='],
  [/^(Emoji|Extended_Pictographic)/, '\u2600'],
]

/**
 * Returns an upper bound of the length of a text that the generator creates for a pattern. The generator repeats a part
 * at most five times more often than the pattern requires.
 */
function countPatternCharacters(pattern: string): number {
  let [length, last] = [0, 0] // Length of the innermost open group, and of its last part, which a quantifier repeats.
  const outer: number[] = []
  for (const [token, min = '1'] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,\d*)?\}|./gs)) {
    if (token === '(') {
      outer.push(length)
      length = 0
    } else if (/^[*+{]/.test(token)) {
      length += last * (Number(min) + 4)
      last *= Number(min) + 5
    } else {
      last = token === ')' ? length : 1
      length = token === ')' ? (outer.pop() ?? 0) + last : length + last
    }
  }
  return length
}

/** Replaces Unicode properties such as `\p{L}` in a pattern, because the generator does not support them. */
function narrowPattern({ pattern }: Readonly<Record<string, unknown>>) {
  if (typeof pattern !== 'string' || !pattern.includes('\\p{')) return {}
  let isInClass = false
  const narrowed = pattern.replaceAll(/\\p\{([^}]*)\}|\\.|[[\]]/gs, (part, property: string | undefined) => {
    if (part === '[' || part === ']') isInClass = part === '['
    const characters = PROPERTY_CHARACTERS.find(([name]) => property !== undefined && name.test(property))?.[1]
    if (characters === undefined) return part
    return isInClass ? characters : `[${characters}]`
  })
  return { pattern: narrowed }
}

/**
 * Removes the alternative of an unrestricted string from `anyOf` if there is also a number. Pydantic describes a decimal
 * in this way, and accepts only strings that contain a number.
 */
function narrowDecimal({ anyOf }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(anyOf) || !anyOf.some((one) => isJsonObject(one) && one['type'] === 'number')) return {}
  const isString = (one: unknown) => isJsonObject(one) && one['type'] === 'string' && Object.keys(one).length === 1
  return { anyOf: anyOf.filter((one) => !isString(one)) }
}

function narrowMaximum(schema: Readonly<Record<string, unknown>>, min: string, max: string, above: number) {
  return max in schema ? { [max]: Math.min(numberAt(schema, max), numberAt(schema, min) + above) } : {}
}

function numberAt(schema: Readonly<Record<string, unknown>>, name: string): number {
  const value = schema[name]
  return typeof value === 'number' ? value : 0
}
