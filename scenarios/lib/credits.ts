import { MODELS, UNITS_PER_CREDIT } from '../../contract/facts.ts'

/**
 * Returns the price of a token in units of 0.0001 credit, or undefined for a model that the specification does not
 * list.
 */
export function getUnitsPerToken(model: string): number | undefined {
  const price = MODELS.find(({ id }) => id === model)?.creditsPerToken
  return price === undefined ? undefined : parseCredits(price)
}

/**
 * Parses credits, a decimal string, into units of 0.0001 credit without rounding. Returns undefined for other text, and
 * for more than four decimal places.
 */
export function parseCredits(text: string): number | undefined {
  const [, whole, rest = ''] = /^(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : Number(whole) * UNITS_PER_CREDIT + Number(rest.padEnd(4, '0'))
}

/** ID of the specification's cheapest model. Load tests use it by default, to keep their cost low. */
export const CHEAPEST_MODEL = MODELS.reduce((best, model) =>
  Number(model.creditsPerToken) < Number(best.creditsPerToken) ? model : best,
).id
