/**
 * Returns true for header fields that Node accepts: token names, and values without control characters (RFC 9110,
 * section 5). `trailer` is rejected, because Node does not allow it with a content length.
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

/** Returns true if a value can be written as JSON. Values nested too deeply or in themselves cannot. */
export function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
