import type { JsonSchema } from './schema-builder.ts'

/** Number of errors after which a list or an object is not checked further. */
const MAX_ERRORS = 10

/**
 * Lists the differences between a value and its schema, such as `/checks/3/verdict: must be …`. Returns an empty list
 * for a valid value.
 */
export function findSchemaErrors(schema: JsonSchema, value: unknown, path = ''): string[] {
  if (schema.anyOf !== undefined) {
    return findErrorsOfClosestForm(schema.anyOf, value, path)
  }
  const error = findScalarError(schema, value)
  if (error !== undefined) return [`${path || '/'}: ${error}`]
  if (Array.isArray(value)) return findItemErrors(schema, value, path)
  return isRecord(value) ? findMemberErrors(schema, value, path) : []
}

/** Returns whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function findErrorsOfClosestForm(forms: readonly JsonSchema[], value: unknown, path: string): string[] {
  let nearest: string[] | undefined
  for (const form of forms) {
    const errors = findSchemaErrors(form, value, path)
    if (nearest === undefined || errors.length < nearest.length) nearest = errors
    if (errors.length === 0) break
  }
  return nearest ?? []
}

function findScalarError(schema: JsonSchema, value: unknown): string | undefined {
  if (schema.const !== undefined && value !== schema.const) return `must be ${JSON.stringify(schema.const)}`
  if (schema.enum !== undefined && !schema.enum.some((allowed) => allowed === value)) {
    return `must be one of ${schema.enum.map((allowed) => JSON.stringify(allowed)).join(', ')}`
  }
  if (schema.type !== undefined && !isOfType(schema.type, value)) return `must be of type ${schema.type}`
  if (schema.minimum !== undefined && typeof value === 'number' && value < schema.minimum) {
    return `must not be below ${schema.minimum}`
  }
  if (schema.pattern !== undefined && typeof value === 'string' && !new RegExp(schema.pattern, 'u').test(value)) {
    return `must look like ${schema.pattern}`
  }
  return undefined
}

function isOfType(type: NonNullable<JsonSchema['type']>, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'integer':
      return Number.isInteger(value)
    // NaN and Infinity are invalid, because JSON.stringify writes them as null.
    case 'number':
      return Number.isFinite(value)
    case 'string':
    case 'boolean':
      return typeof value === type
  }
}

function findItemErrors({ items }: JsonSchema, value: readonly unknown[], path: string): string[] {
  const errors: string[] = []
  for (const [index, item] of value.entries()) {
    if (items !== undefined) errors.push(...findSchemaErrors(items, item, `${path}/${index}`))
    if (errors.length >= MAX_ERRORS) break
  }
  return errors
}

function findMemberErrors(schema: JsonSchema, value: Readonly<Record<string, unknown>>, path: string): string[] {
  const { properties = {}, required = [], additionalProperties } = schema
  const errors = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${path || '/'}: must have the field ${JSON.stringify(name)}`)
  for (const [name, member] of Object.entries(value)) {
    if (errors.length >= MAX_ERRORS) break
    // A member with the value undefined is missing, because JSON.stringify omits it.
    if (member === undefined && !required.includes(name)) continue
    const form = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (form === false) errors.push(`${path || '/'}: must not have the field ${JSON.stringify(name.slice(0, 100))}`)
    else if (form !== undefined) errors.push(...findSchemaErrors(form, member, `${path}/${name.slice(0, 100)}`))
  }
  return errors
}
