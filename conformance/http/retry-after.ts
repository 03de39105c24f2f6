/** Parses Retry-After: seconds, also with a fraction, or an HTTP date. Returns milliseconds. */
export function parseRetryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  // Without the limit of digits, the number may be infinite.
  if (/^\d{1,12}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000)
  const dateMs = parseHttpDateMs(value)
  return dateMs === undefined ? undefined : Math.max(0, dateMs - readServerTimeMs(headers))
}

/** Returns the Unix time of a response in milliseconds, by its header `Date`, or else by the clock of this machine. */
export function readServerTimeMs(headers: Readonly<Record<string, string>>): number {
  return parseHttpDateMs(headers['date']?.trim() ?? '') ?? Date.now()
}

/** Parses an HTTP date. Requires a weekday, because Date.parse also accepts numbers and other formats. */
function parseHttpDateMs(value: string): number | undefined {
  const dateMs = /^[A-Z][a-z]{2,8}, /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : dateMs
}
