/**
 * Parses a query string. Rejects unknown and repeated parameters.
 * @returns the values by name, or a sentence that describes the error
 */
export function parseQuery<const Name extends string>(
  query: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> | string {
  const values: Partial<Record<Name, string>> = {}
  for (const [name, value] of Object.entries(query ?? {})) {
    const known = names.find((one) => one === name)
    if (known === undefined) return `Unknown parameter '${name}'. The parameters are ${names.join(', ')}.`
    if (typeof value !== 'string') return `The parameter '${name}' must occur only once.`
    values[known] = value
  }
  return values
}

/** Parses a decimal integer from `min` to `max`. Returns undefined for any other text. */
export function parseInteger(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}
