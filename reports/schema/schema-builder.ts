/** The subset of JSON Schema 2020-12 that the document schemas use. */
export interface JsonSchema {
  readonly $schema?: string
  readonly $id?: string
  readonly title?: string
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'
  readonly const?: string | number | boolean
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly pattern?: string
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | false
  readonly anyOf?: readonly JsonSchema[]
}

/** A JSON Schema, with the TypeScript type of its values. The type exists only at compile time. */
export interface TypedSchema<Value> {
  readonly json: JsonSchema
  readonly admits?: Value
}

/** TypeScript type of the values that a schema describes. */
export type ValueOfSchema<Schema> = Schema extends TypedSchema<infer Value> ? Value : never

type Members = Readonly<Record<string, TypedSchema<unknown>>>
type Required<Given extends Members> = { readonly [Name in keyof Given]: ValueOfSchema<Given[Name]> }
type Optional<Given extends Members> = { readonly [Name in keyof Given]?: ValueOfSchema<Given[Name]> }

export const stringSchema: TypedSchema<string> = { json: { type: 'string' } }
export const booleanSchema: TypedSchema<boolean> = { json: { type: 'boolean' } }
/** Schema of any number, including negative numbers. */
export const numberSchema: TypedSchema<number> = { json: { type: 'number' } }
/** Schema of a number of at least 0, such as a duration, a size or a price. */
export const nonNegativeNumberSchema: TypedSchema<number> = { json: { type: 'number', minimum: 0 } }
export const countSchema: TypedSchema<number> = { json: { type: 'integer', minimum: 0 } }
/** Schema of a time in ISO 8601, UTC. */
export const timestampSchema: TypedSchema<string> = {
  json: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$` },
}

export const anySchema: TypedSchema<unknown> = { json: {} }

export function constantSchema<const Value extends string | number | boolean>(value: Value): TypedSchema<Value> {
  return { json: { const: value } }
}

export function enumSchema<const Value extends string>(...values: readonly Value[]): TypedSchema<Value> {
  return { json: { enum: values } }
}

export function arraySchema<Item>(items: TypedSchema<Item>): TypedSchema<readonly Item[]> {
  return { json: { type: 'array', items: items.json } }
}

/** Builds the schema of an object with arbitrary member names. */
export function mapSchema<Value>(values: TypedSchema<Value>): TypedSchema<Readonly<Record<string, Value>>> {
  return { json: { type: 'object', additionalProperties: values.json } }
}

export function unionSchema<A, B>(one: TypedSchema<A>, other: TypedSchema<B>): TypedSchema<A | B> {
  return { json: { anyOf: [one.json, other.json] } }
}

export function nullableSchema<Value>(schema: TypedSchema<Value>): TypedSchema<Value | null> {
  return { json: { anyOf: [schema.json, { type: 'null' }] } }
}

/** Builds the schema of an object with exactly these members. Members of the second argument are optional. */
export function objectSchema<Needed extends Members, Free extends Members = Record<never, never>>(
  needed: Needed,
  free?: Free,
): TypedSchema<Required<Needed> & Optional<Free>> {
  const properties = Object.entries({ ...needed, ...free }).map(([name, { json }]) => [name, json] as const)
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: Object.keys(needed),
      additionalProperties: false,
    },
  }
}

/** Adds a title and the `$schema` URI to the schema of a document. */
export function documentSchema<Value>(title: string, schema: TypedSchema<Value>): TypedSchema<Value> {
  return { json: { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema.json } }
}
