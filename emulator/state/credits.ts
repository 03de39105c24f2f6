import { MODELS, UNITS_PER_CREDIT, type ModelId } from '../../contract/facts.ts'

/** Fraction digits of a credit, as in the price table (section 2.1). */
const FRACTION_DIGITS = Math.log10(UNITS_PER_CREDIT)

/** Maximum balance in credits; its units are still exact integers. */
export const MAX_CREDITS = 100_000_000_000

/**
 * Parses a decimal string such as `12.5` to units of 0.0001 credit.
 * @returns undefined unless it is a plain decimal number from 0 to 10^11 with up to four fraction digits
 */
export function parseCredits(credits: string): number | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,4}))?$/.exec(credits)
  if (match === null) return undefined
  const units = Number(match[1]) * UNITS_PER_CREDIT + Number((match[2] ?? '').padEnd(FRACTION_DIGITS, '0'))
  return units <= MAX_CREDITS * UNITS_PER_CREDIT ? units : undefined
}

/** Formats units as a decimal string without trailing zeros: 125000 units are `12.5`. */
export function formatUnits(units: number): string {
  const sign = units < 0 ? '-' : ''
  const digits = String(Math.abs(units)).padStart(FRACTION_DIGITS + 1, '0')
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '')
  return sign + digits.slice(0, -FRACTION_DIGITS) + (fraction === '' ? '' : `.${fraction}`)
}

const UNITS_PER_TOKEN: ReadonlyMap<string, number> = new Map(
  MODELS.map((model) => [model.id, parseCredits(model.creditsPerToken) ?? Number.NaN]),
)

/** Returns the price of a token in units of 0.0001 credit (table of section 2.1). */
export function unitsPerToken(model: ModelId): number {
  return UNITS_PER_TOKEN.get(model) ?? Number.NaN
}

/** Returns true for a model ID of section 2.1. */
export function isModelId(id: string): id is ModelId {
  return UNITS_PER_TOKEN.has(id)
}
