import { isJsonObject } from '../../../common/json-object.ts'
import { mapSchema, UnsupportedSchemaError, type JsonSchema } from './prepare-schema.ts'

/**
 * Checks that a converted schema has a finite value, as far as its references determine it. Starts with all nested
 * schemas, and removes each schema that requires no value of a remaining one.
 * @throws UnsupportedSchemaError if each value contains another value of the same schema, as with `{"$ref":"#"}`
 */
export function checkRecursion(root: JsonSchema): void {
  const open = new Set<unknown>()
  mapSchema(root, (schema) => {
    open.add(schema)
    return schema
  })
  for (let previous = Infinity; open.size < previous;) {
    previous = open.size
    for (const schema of open) if (isJsonObject(schema) && !requiresAny(schema, open, root)) open.delete(schema)
  }
  if (open.has(root)) throw new UnsupportedSchemaError('refers to itself without an end, so no finite value conforms')
}

/** Returns true if each value of a schema contains a value of a schema in `open`, or must conform to one. */
function requiresAny(schema: Readonly<Record<string, unknown>>, open: ReadonlySet<unknown>, root: JsonSchema): boolean {
  const isOpen = (one: unknown) => open.has(one)
  const { $ref, allOf, anyOf, oneOf, type, properties, required, items, minItems, prefixItems } = schema
  if (typeof $ref === 'string' && isOpen(findReferenced(root, $ref))) return true
  if (Array.isArray(allOf) && allOf.some(isOpen)) return true
  if ([anyOf, oneOf].some((list) => Array.isArray(list) && list.length > 0 && list.every(isOpen))) return true
  if (type === 'array') return prefixItems === undefined && Number(minItems) > 0 && isOpen(items)
  if (type !== 'object' || !isJsonObject(properties) || !Array.isArray(required)) return false
  return required.some((name) => Object.hasOwn(properties, name) && isOpen(properties[name]))
}

/** Finds the schema for a reference such as `#/$defs/node`. Returns undefined for anchors and other documents. */
function findReferenced(root: JsonSchema, reference: string): unknown {
  const [start, ...names] = reference.split('/')
  if (start !== '#') return undefined
  return names.reduce<unknown>((at, name) => Object(at)[decodePointer(name)], root)
}

function decodePointer(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return name // The compiler reports the malformed reference.
  }
}
