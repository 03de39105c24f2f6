/**
 * Parses Retry-After, given in seconds (also with a fraction) or as an HTTP date. Returns milliseconds, or undefined
 * for a missing or invalid field.
 * @param nowMs current Unix time in milliseconds
 */
export function parseRetryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  // Without the limit of digits, the number may be infinite.
  if (/^\d{1,12}(\.\d+)?$/.test(value)) {
    return Math.ceil(Number(value) * 1000)
  }
  // Requires the name of a weekday, with which every HTTP date starts, because Date.parse also accepts numbers and
  // other formats.
  const dateMs = /^[A-Z][a-z]{2,8}, /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}
