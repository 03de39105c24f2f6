import { unitsFromCredits } from '../../scenarios/lib/credits.ts'
import { creditsFromUnits } from './units.ts'

/** The sum of decimal strings; null where none is known. */
export function addCredits(parts: readonly (string | null)[]): string | null {
  const known = parts.flatMap((part) => (part === null ? [] : [unitsFromCredits(part) ?? 0]))
  return known.length === 0 ? null : creditsFromUnits(known.reduce((sum, units) => sum + units, 0))
}
