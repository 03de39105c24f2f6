import type { AccountOptions } from '../state/accounts.ts'
import { unitsFromCredits } from '../state/credits.ts'
import { RATE_LIMIT_NAMES, parseRateLimit } from '../state/limits/rate-limit.ts'

/**
 * Reads `{"credits": "12.5", "requestsPerMinute": 60, "burst": 5}`, where credits stand beside the settings of a rate limit;
 * without any of those the account has the rate limit of created accounts, if there is one.
 * @returns the terms, or one sentence that says what is wrong
 */
export function parseAccountOptions(body: unknown): AccountOptions | string {
  if (typeof body !== 'object' || body === null) return 'Send a JSON object such as {"credits": "12.5"}.'
  const { credits, ...others }: Record<string, unknown> = { ...body }
  const unknown = Object.keys(others).find((name) => !RATE_LIMIT_NAMES.some((known) => known === name))
  if (unknown !== undefined) {
    return `There is no setting "${unknown}"; there are credits, ${RATE_LIMIT_NAMES.join(', ')}.`
  }
  const startUnits = typeof credits === 'string' ? unitsFromCredits(credits) : undefined
  if (startUnits === undefined) {
    return '"credits" must be a decimal string from "0" to "100000000000" with at most four fraction digits.'
  }
  if (Object.keys(others).length === 0) return { startUnits }
  const rateLimit = parseRateLimit(others)
  return typeof rateLimit === 'string' ? rateLimit : { startUnits, rateLimit }
}
