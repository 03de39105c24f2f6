import { isJsonObject } from '../../common/json-object.ts'

/**
 * Returns true if Node accepts the header fields: names must be tokens, and values must be Latin-1 text without control
 * characters other than tabs (RFC 9110, section 5). Rejects `trailer`, because Node does not allow it together with a
 * content length.
 */
export function areValidHeaders(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  return Object.entries(value).every(
    ([name, text]) =>
      /^(?!trailer$)[!#$%&'*+.^`|~\w-]+$/i.test(name) &&
      typeof text === 'string' &&
      /^[\t\x20-\x7e\x80-\xff]*$/.test(text),
  )
}

/** Returns true if JSON can represent the value. Rejects circular and too deeply nested values. */
export function isJsonValue(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
