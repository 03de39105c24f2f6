import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { parseCredits, getUnitsPerToken } from '../../scenarios/lib/credits.ts'
import type { TokensResult } from '../../scenarios/lib/extension-result.ts'

/** Formats units as a decimal string: 12345 → 1.2345. */
export function formatUnits(units: number): string {
  const whole = Math.floor(Math.abs(units) / UNITS_PER_CREDIT)
  const rest = String(Math.abs(units) % UNITS_PER_CREDIT)
    .padStart(4, '0')
    .replace(/0+$/, '')
  return `${units < 0 ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`
}

/**
 * Calculates the cost of tokens at the specification's prices. Skips models without a price, and returns their IDs as
 * `unlisted`.
 */
export function calculateTokenUnits(tokens: Readonly<Record<string, Pick<TokensResult, 'prompt' | 'completion'>>>): {
  readonly units: number
  readonly unlisted: readonly string[]
} {
  const unlisted: string[] = []
  let units = 0
  for (const [model, { prompt, completion }] of Object.entries(tokens)) {
    const price = getUnitsPerToken(model)
    if (price === undefined) unlisted.push(model)
    else units += (prompt + completion) * price
  }
  return { units, unlisted }
}

/** Adds decimal strings. Returns null if all of them are null. */
export function addCredits(amounts: readonly (string | null)[]): string | null {
  const known = amounts.flatMap((amount) => (amount === null ? [] : [parseCredits(amount) ?? 0]))
  return known.length === 0 ? null : formatUnits(known.reduce((sum, units) => sum + units, 0))
}
