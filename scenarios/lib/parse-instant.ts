/**
 * Parses an ISO 8601 time or Unix seconds into Unix milliseconds.
 * @throws Error with a sentence about the expected format
 */
export function parseInstant(text: string): number {
  const unixMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(unixMs)) throw new Error('It must be a time such as 2030-01-01T12:00:00Z, or Unix seconds')
  return unixMs
}
