/**
 * Tells whether a value is header fields that Node will send: tokens, and texts without control characters (RFC 9110,
 * section 5); no `trailer`, which Node refuses beside a length.
 */
export function isHeaderFields(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(
    ([name, text]) =>
      /^(?!trailer$)[!#$%&'*+.^`|~\w-]+$/i.test(name) &&
      typeof text === 'string' &&
      /^[\t\x20-\x7e\x80-\xff]*$/.test(text),
  )
}

/** Tells whether a value can be written as JSON: one that is nested too deeply, or in itself, cannot. */
export function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
