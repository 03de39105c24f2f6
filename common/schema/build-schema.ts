/** The subset of JSON Schema 2020-12 that documents and files use. */
export interface JsonSchema {
  readonly $schema?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  /** Title of a document. For a pattern: describes the strings that match it, for messages. */
  readonly title?: string
  readonly description?: string
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'
  readonly const?: string | number | boolean
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | false
  readonly anyOf?: readonly JsonSchema[]
}

/** A JSON Schema, with the TypeScript type of its values. The type exists only at compile time. */
export interface Schema<Value> {
  readonly json: JsonSchema
  readonly admits?: Value
}

interface OptionalMember<Value> {
  readonly optional: Schema<Value>
}

/** TypeScript type of the values that a schema describes. */
export type ValueOf<Given> = Given extends Schema<infer Value> ? Value : never

type Members = Readonly<Record<string, Schema<unknown> | OptionalMember<unknown>>>
type Flat<Type> = { readonly [Name in keyof Type]: Type[Name] }
type ObjectOf<Given extends Members> = Flat<
  {
    readonly [Name in keyof Given as Given[Name] extends OptionalMember<unknown> ? never : Name]: ValueOf<Given[Name]>
  } & {
    readonly [Name in keyof Given as Given[Name] extends OptionalMember<unknown> ? Name : never]?: Given[Name] extends {
      readonly optional: infer Inner
    }
      ? ValueOf<Inner>
      : never
  }
>

export const string: Schema<string> = { json: { type: 'string' } }
export const boolean: Schema<boolean> = { json: { type: 'boolean' } }
/** Any number, including negative numbers. */
export const number: Schema<number> = { json: { type: 'number' } }
/** A number of at least 0, such as a duration, a size or a price. */
export const nonNegative: Schema<number> = { json: { type: 'number', minimum: 0 } }
export const count: Schema<number> = { json: { type: 'integer', minimum: 0 } }
/** A time in ISO 8601, UTC. */
export const timestamp: Schema<string> = {
  json: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$` },
}
export const anything: Schema<unknown> = { json: {} }

export function constant<const Value extends string | number | boolean>(value: Value): Schema<Value> {
  return { json: { const: value } }
}

export function oneOf<const Value extends string>(...values: readonly Value[]): Schema<Value> {
  return { json: { enum: values } }
}

export function list<Item>(items: Schema<Item>): Schema<readonly Item[]> {
  return { json: { type: 'array', items: items.json } }
}

/** Builds the schema of an object with arbitrary member names. */
export function map<Value>(values: Schema<Value>): Schema<Readonly<Record<string, Value>>> {
  return { json: { type: 'object', additionalProperties: values.json } }
}

export function anyOf<Value>(...forms: readonly Schema<Value>[]): Schema<Value> {
  return { json: { anyOf: forms.map(({ json }) => json) } }
}

export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  return { json: { anyOf: [schema.json, { type: 'null' }] } }
}

/** Marks a member that an object may lack. */
export function optional<Value>(schema: Schema<Value>): OptionalMember<Value> {
  return { optional: schema }
}

/** Builds the schema of an object with exactly these members. */
export function object<Given extends Members>(members: Given): Schema<ObjectOf<Given>> {
  const entries = Object.entries(members)
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(
        entries.map(([name, member]) => [name, 'optional' in member ? member.optional.json : member.json]),
      ),
      required: entries.filter(([, member]) => !('optional' in member)).map(([name]) => name),
      additionalProperties: false,
    },
  }
}

/** Builds the schema of an object that may have each of these members. */
export function partial<Name extends string, Value>(
  names: readonly Name[],
  value: Schema<Value>,
): Schema<Readonly<Partial<Record<Name, Value>>>> {
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, value.json])),
      required: [],
      additionalProperties: false,
    },
  }
}

/** Returns the schema without the condition that objects have no other members. A newer program may write more. */
export function allowOthers<Value>({ json }: Schema<Value>): Schema<Value> {
  const text = JSON.stringify(json, (name, value: unknown) =>
    name === 'additionalProperties' && value === false ? undefined : value,
  )
  return { json: JSON.parse(text) as JsonSchema } // It differs from a schema only by this condition.
}

/** Adds a title and the `$schema` URI to the schema of a document. */
export function document<Value>(title: string, schema: Schema<Value>): Schema<Value> {
  return { json: { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema.json } }
}
