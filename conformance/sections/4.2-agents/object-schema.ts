import type { Deviation } from '../../findings/families.ts'
import { createWrongType, createWrongValue } from '../shared/fields.ts'
import { isObject } from '../shared/response-access.ts'

/** The subset of JSON Schema that the suite uses: an object with properties of primitive types. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, PropertySchema>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

interface PropertySchema {
  readonly type: 'string' | 'integer'
  readonly enum?: readonly string[]
}

/** Finds the first deviation of a value from a schema. Each path starts with `name`. */
export function findSchemaDeviation(value: unknown, schema: ObjectSchema, name: string): Deviation | undefined {
  if (typeof value !== 'object' || value === null || !isObject(value)) return createWrongType([name], value)
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(value))
  const missing = schema.required.find((member) => !members.has(member))
  if (missing !== undefined) return createWrongType([name, missing], undefined)
  for (const [member, actual] of members) {
    const property = schema.properties[member]
    if (property === undefined) return { code: 'undeclared-field', params: { path: `${name}.${member}` } }
    const isOfType = property.type === 'integer' ? Number.isInteger(actual) : typeof actual === 'string'
    if (!isOfType) return createWrongType([name, member], actual)
    if (property.enum?.includes(String(actual)) === false) return createWrongValue([name, member], actual)
  }
  return undefined
}
