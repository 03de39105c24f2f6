/**
 * Parses Retry-After to milliseconds, from seconds (also with a fraction) or an HTTP date. Returns undefined for a
 * missing or invalid field. `nowMs` is Unix time in milliseconds.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) {
    return Math.ceil(Number(value) * 1000)
  }
  // Date.parse also accepts bare numbers and other words; an HTTP date starts with the name of a day.
  const dateMs = /^[A-Z][a-z]{2,8}, /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}
