/** Schema of a JSON value, as plain data. */
export type ValueSchema =
  | 'string'
  | 'number'
  | 'boolean'
  | 'unknown'
  | { readonly oneOf: readonly string[] }
  | { readonly nullable: ValueSchema }
  | { readonly list: ValueSchema }
  /** An object with any keys. */
  | { readonly map: ValueSchema }
  /** An object with these keys. Additional keys are allowed. */
  | {
      readonly fields: Readonly<Record<string, ValueSchema>>
      readonly optional?: Readonly<Record<string, ValueSchema>>
    }

/** TypeScript type of the values that conform to a schema. */
export type TypeOfSchema<Shape> = Shape extends 'string'
  ? string
  : Shape extends 'number'
    ? number
    : Shape extends 'boolean'
      ? boolean
      : Shape extends { readonly oneOf: readonly (infer Value)[] }
        ? Value
        : Shape extends { readonly nullable: infer Inner }
          ? TypeOfSchema<Inner> | null
          : Shape extends { readonly list: infer Item }
            ? readonly TypeOfSchema<Item>[]
            : Shape extends { readonly map: infer Value }
              ? Readonly<Record<string, TypeOfSchema<Value>>>
              : Shape extends { readonly fields: infer Fields }
                ? DescribedFields<Fields> &
                    DescribedOptional<Shape extends { readonly optional: infer Optional } ? Optional : object>
                : unknown

type DescribedFields<Fields> = { readonly [Name in keyof Fields]: TypeOfSchema<Fields[Name]> }

type DescribedOptional<Fields> = { readonly [Name in keyof Fields]?: TypeOfSchema<Fields[Name]> }

/**
 * Compares a value with a schema.
 * @param path path of the value for the message, such as `operations.chat.sent`
 * @returns the first difference, such as `operations.chat.sent is not a number`, or undefined if the value conforms
 */
export function findMismatch(schema: ValueSchema, value: unknown, path: string): string | undefined {
  if (schema === 'unknown') return undefined
  if (typeof schema === 'string') return typeof value === schema ? undefined : `${path} is not a ${schema}`
  if ('oneOf' in schema) {
    return schema.oneOf.some((known) => known === value) ? undefined : `${path} is none of ${schema.oneOf.join(', ')}`
  }
  if ('nullable' in schema) return value === null ? undefined : findMismatch(schema.nullable, value, path)
  if ('list' in schema) {
    if (!Array.isArray(value)) return `${path} is not a list`
    return firstOf(value.entries(), ([index, item]) => findMismatch(schema.list, item, `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${path || 'it'} is not an object`
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(value))
  const inner = (name: string) => (path === '' ? name : `${path}.${name}`)
  if ('map' in schema) return firstOf(members, ([name, item]) => findMismatch(schema.map, item, inner(name)))
  const check = ([name, field]: readonly [string, ValueSchema]) => findMismatch(field, members.get(name), inner(name))
  const present = Object.entries(schema.optional ?? {}).filter(([name]) => members.has(name))
  return firstOf([...Object.entries(schema.fields), ...present], check)
}

function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
