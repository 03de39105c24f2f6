/** Tells whether a value can be written as JSON: one that is nested too deeply, or in itself, cannot. */
export function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
