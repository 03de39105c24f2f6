/**
 * Reads a query of which each name may stand once.
 * @returns the values by name, or one sentence that says what is wrong
 */
export function parseQuery<const Name extends string>(
  query: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> | string {
  const values: Partial<Record<Name, string>> = {}
  for (const [name, value] of Object.entries(query ?? {})) {
    const known = names.find((one) => one === name)
    if (known === undefined) return `There is no parameter '${name}'; there are ${names.join(', ')}.`
    if (typeof value !== 'string') return `The parameter '${name}' can be given once only.`
    values[known] = value
  }
  return values
}

/** A whole number in a query, or undefined when it is none from `least` to `most`. */
export function parseCount(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return number >= least && number <= most ? number : undefined
}
