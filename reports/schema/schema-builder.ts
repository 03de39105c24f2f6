/** The part of JSON Schema 2020-12 that the documents need. */
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

/** A schema with the TypeScript type of its values, which exists only at compile time. */
export interface SchemaOf<Value> {
  readonly json: JsonSchema
  readonly admits?: Value
}

/** The TypeScript type of a schema's values. */
export type ValueOfSchema<Schema> = Schema extends SchemaOf<infer Value> ? Value : never

type Members = Readonly<Record<string, SchemaOf<unknown>>>
type Required<Given extends Members> = { readonly [Name in keyof Given]: ValueOfSchema<Given[Name]> }
type Optional<Given extends Members> = { readonly [Name in keyof Given]?: ValueOfSchema<Given[Name]> }

export const text: SchemaOf<string> = { json: { type: 'string' } }
export const flag: SchemaOf<boolean> = { json: { type: 'boolean' } }
/** Any number, including negative ones. */
export const anyNumber: SchemaOf<number> = { json: { type: 'number' } }
/** A number of at least 0: a duration, a size, a price. */
export const amount: SchemaOf<number> = { json: { type: 'number', minimum: 0 } }
export const count: SchemaOf<number> = { json: { type: 'integer', minimum: 0 } }
/** ISO 8601, UTC. */
export const instant: SchemaOf<string> = {
  json: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$` },
}

/** Any JSON value. */
export const anything: SchemaOf<unknown> = { json: {} }

export function constant<const Value extends string | number | boolean>(value: Value): SchemaOf<Value> {
  return { json: { const: value } }
}

export function oneOf<const Value extends string>(...values: readonly Value[]): SchemaOf<Value> {
  return { json: { enum: values } }
}

export function list<Item>(items: SchemaOf<Item>): SchemaOf<readonly Item[]> {
  return { json: { type: 'array', items: items.json } }
}

/** An object with members of any name. */
export function map<Value>(values: SchemaOf<Value>): SchemaOf<Readonly<Record<string, Value>>> {
  return { json: { type: 'object', additionalProperties: values.json } }
}

export function either<A, B>(one: SchemaOf<A>, other: SchemaOf<B>): SchemaOf<A | B> {
  return { json: { anyOf: [one.json, other.json] } }
}

export function nullable<Value>(schema: SchemaOf<Value>): SchemaOf<Value | null> {
  return { json: { anyOf: [schema.json, { type: 'null' }] } }
}

/** An object with exactly these members; those of the second argument are optional. */
export function object<Needed extends Members, Free extends Members = Record<never, never>>(
  needed: Needed,
  free?: Free,
): SchemaOf<Required<Needed> & Optional<Free>> {
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

/** Builds the schema of a whole document, with a name. */
export function documentSchema<Value>(title: string, schema: SchemaOf<Value>): SchemaOf<Value> {
  return { json: { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema.json } }
}
