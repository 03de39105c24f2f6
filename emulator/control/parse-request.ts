/** An error response of the control API, `{"error": "<sentence>"}`. */
export class ControlError extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

/**
 * Returns what a parser has returned, unless it is a sentence that describes an error.
 * @throws ControlError with status 400
 */
export function requireValid<Value extends object | number>(parsed: Value | string): Value {
  if (typeof parsed === 'string') throw new ControlError(400, parsed)
  return parsed
}

/**
 * Parses a query string.
 * @returns the values by name
 * @throws ControlError for an unknown or repeated parameter
 */
export function parseQuery<const Name extends string>(
  query: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const values: Partial<Record<Name, string>> = {}
  for (const [name, value] of Object.entries(query ?? {})) {
    const known = names.find((one) => one === name)
    if (known === undefined)
      throw new ControlError(400, `Unknown parameter '${name}'. The parameters are ${names.join(', ')}.`)
    if (typeof value !== 'string') throw new ControlError(400, `The parameter '${name}' must occur only once.`)
    values[known] = value
  }
  return values
}

/** Parses a decimal integer from `min` to `max`. Returns undefined for any other text. */
export function parseInteger(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}
