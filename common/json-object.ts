/** A JSON object whose members have not been validated. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns an object unchanged, and an empty object for any other value. */
export function toJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Returns a copy without the properties that are undefined. `Value` may require only properties that are defined. */
export function omitUndefined<Value extends object>(value: {
  readonly [Name in keyof Value]: Value[Name] | undefined
}): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value
}

/** Returns a member of an object, but no property that every object inherits, such as `constructor`. */
export function getMember<Value>(value: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined
}
