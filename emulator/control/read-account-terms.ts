import type { AccountTerms } from '../state/accounts.ts'
import { unitsFromCredits } from '../state/credits.ts'
import type { RateLimit } from '../state/token-bucket.ts'

/** Used when an account names requestsPerMinute alone. */
const DEFAULT_BURST = 1

/**
 * Reads `{"credits": "12.5", "requestsPerMinute": 60, "burst": 5}`; without the last two there is no rate limit.
 * @returns the terms, or one sentence that says what is wrong
 */
export function readAccountTerms(body: unknown): AccountTerms | string {
  if (typeof body !== 'object' || body === null) return 'Send a JSON object such as {"credits": "12.5"}.'
  const { credits, requestsPerMinute, burst, ...others }: Record<string, unknown> = { ...body }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return `There is no setting "${unknown}"; there are credits, requestsPerMinute and burst.`
  const startUnits = typeof credits === 'string' ? unitsFromCredits(credits) : undefined
  if (startUnits === undefined) {
    return '"credits" must be a decimal string from "0" to "100000000000" with at most four fraction digits.'
  }
  const rateLimit = readRateLimit(requestsPerMinute, burst)
  if (typeof rateLimit === 'string') return rateLimit
  return rateLimit === undefined ? { startUnits } : { startUnits, rateLimit }
}

function readRateLimit(requestsPerMinute: unknown, burst: unknown): RateLimit | string | undefined {
  if (requestsPerMinute === undefined && burst === undefined) return undefined
  if (typeof requestsPerMinute !== 'number' || !Number.isFinite(requestsPerMinute) || requestsPerMinute <= 0) {
    return '"requestsPerMinute" must be a number above 0.'
  }
  if (burst === undefined) return { requestsPerMinute, burst: DEFAULT_BURST }
  if (typeof burst !== 'number' || !Number.isSafeInteger(burst) || burst < 1) {
    return '"burst" must be an integer of at least 1.'
  }
  return { requestsPerMinute, burst }
}
