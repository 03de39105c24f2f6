import { MODELS, UNITS_PER_CREDIT } from '../../contract/facts.ts'

/** Price of a token in units of 0.0001 credit; undefined for a model that the document does not list. */
export function unitsPerToken(model: string): number | undefined {
  const price = MODELS.find(({ id }) => id === model)?.creditsPerToken
  return price === undefined ? undefined : parseCredits(price)
}

/** Credits as a decimal string, in units: exact. Undefined when the text is no number of at most as many digits as a unit has. */
export function parseCredits(text: string): number | undefined {
  const [, whole, rest = ''] = /^(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : Number(whole) * UNITS_PER_CREDIT + Number(rest.padEnd(4, '0'))
}

/** The cheapest of the document: a load test that names no model is not to cost more than it must. */
export const CHEAPEST_MODEL = MODELS.reduce((best, model) =>
  Number(model.creditsPerToken) < Number(best.creditsPerToken) ? model : best,
).id
