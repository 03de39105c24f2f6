import { MODELS, UNITS_PER_CREDIT } from '../../../contract/facts.ts'
import type { TokensResult } from '../extension-result.ts'

/** Price of a token in units of 0.0001 credit; undefined for a model that the document does not list. */
export function unitsPerToken(model: string): number | undefined {
  const price = MODELS.find(({ id }) => id === model)?.creditsPerToken
  return price === undefined ? undefined : Math.round(Number(price) * UNITS_PER_CREDIT)
}

/** Units as a decimal string: 12345 → 1.2345. */
export function creditsFromUnits(units: number): string {
  const whole = Math.floor(Math.abs(units) / UNITS_PER_CREDIT)
  const rest = String(Math.abs(units) % UNITS_PER_CREDIT)
    .padStart(4, '0')
    .replace(/0+$/, '')
  return `${units < 0 ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`
}

/** The reverse: exact for as many digits as a unit has. Undefined when the text is no such number. */
export function unitsFromCredits(text: string): number | undefined {
  const [, whole, rest = ''] = /^(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : Number(whole) * UNITS_PER_CREDIT + Number(rest.padEnd(4, '0'))
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
