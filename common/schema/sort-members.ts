import { isJsonObject } from '../json-object.ts'
import { findSchemaProblems } from './find-schema-problems.ts'
import type { JsonSchema } from './build-schema.ts'

/**
 * Returns a copy of a value with its members in the order of the schema. Members that the schema does not list follow,
 * sorted by name, so that equal content gives equal bytes.
 */
export function sortMembers(schema: JsonSchema, value: unknown): unknown {
  if (schema.anyOf !== undefined) {
    const form = schema.anyOf.find((candidate) => findSchemaProblems(candidate, value, '').length === 0)
    return form === undefined ? value : sortMembers(form, value)
  }
  if (Array.isArray(value)) {
    return schema.items === undefined ? value : value.map((item) => sortMembers(schema.items ?? {}, item))
  }
  return isJsonObject(value) ? sortOwnMembers(schema, value) : value
}

function sortOwnMembers(schema: JsonSchema, value: Readonly<Record<string, unknown>>): unknown {
  const { properties = {}, additionalProperties } = schema
  const named = Object.keys(properties).filter((name) => Object.hasOwn(value, name))
  const free = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  const entries = [...named, ...free.toSorted()].map((name) => {
    const form = properties[name] ?? (additionalProperties === false ? undefined : additionalProperties)
    return [name, form === undefined ? value[name] : sortMembers(form, value[name])] as const
  })
  return Object.fromEntries(entries)
}
