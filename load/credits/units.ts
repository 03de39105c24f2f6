import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { unitsPerToken } from '../../scenarios/lib/credits.ts'
import type { TokensResult } from '../../scenarios/lib/extension-result.ts'

/** Units as a decimal string: 12345 → 1.2345. */
export function creditsFromUnits(units: number): string {
  const whole = Math.floor(Math.abs(units) / UNITS_PER_CREDIT)
  const rest = String(Math.abs(units) % UNITS_PER_CREDIT)
    .padStart(4, '0')
    .replace(/0+$/, '')
  return `${units < 0 ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`
}

/** What the tokens of answers cost by the document's table; models that it does not list are left out, and named. */
export function countUnits(tokens: Readonly<Record<string, Pick<TokensResult, 'prompt' | 'completion'>>>): {
  readonly units: number
  readonly unlisted: readonly string[]
} {
  const unlisted: string[] = []
  let units = 0
  for (const [model, { prompt, completion }] of Object.entries(tokens)) {
    const price = unitsPerToken(model)
    if (price === undefined) unlisted.push(model)
    else units += (prompt + completion) * price
  }
  return { units, unlisted }
}
