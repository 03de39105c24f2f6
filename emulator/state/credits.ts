import { UNITS_PER_CREDIT } from '../../contract/facts.ts'

/** Number of fraction digits of a credit in the price table (section 2.1). */
const FRACTION_DIGITS = Math.log10(UNITS_PER_CREDIT)

/** Maximum balance in credits. Up to this balance, the number of units is an exact integer. */
export const MAX_CREDITS = 100_000_000_000

/**
 * Parses a decimal string such as `12.5` to units of 0.0001 credit.
 * @returns undefined unless the string is a plain decimal number from 0 to 10^11 with at most four fraction digits
 */
export function parseCredits(credits: string): number | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,4}))?$/.exec(credits)
  if (match === null) return undefined
  const units = Number(match[1]) * UNITS_PER_CREDIT + Number((match[2] ?? '').padEnd(FRACTION_DIGITS, '0'))
  return units <= MAX_CREDITS * UNITS_PER_CREDIT ? units : undefined
}

/** Formats units as a decimal string of credits without trailing zeros, for example 125000 units as `12.5`. */
export function formatUnits(units: number): string {
  const sign = units < 0 ? '-' : ''
  const digits = String(Math.abs(units)).padStart(FRACTION_DIGITS + 1, '0')
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '')
  return sign + digits.slice(0, -FRACTION_DIGITS) + (fraction === '' ? '' : `.${fraction}`)
}
