import { isJsonObject } from '../../common/json-object.ts'
import { KEY_PREFIX } from '../../contract/facts.ts'
import type { CreateAccountOptions } from './accounts.ts'
import { parseCredits } from './credits.ts'
import { parseRateLimit, RATE_LIMIT_FIELDS, type RateLimit } from './limits/rate-limit.ts'

/** Options of an account that a user creates, with the fields of its rate limit or with `rateLimit`. */
export interface NewAccount extends RateLimit {
  /** Initial credits as a decimal string with up to four fraction digits, for example `12.5`. */
  readonly credits: string
  readonly rateLimit?: RateLimit
  /** API key: `sk-svc-` and 4 to 200 letters, digits, `.`, `_`, `~` or `-`. Default: a random key. */
  readonly key?: string
}

/**
 * Parses `{"credits": "12.5", "key": "sk-svc-mine", "requestsPerMinute": 60, "burst": 5}`. Only `credits` is required.
 * The fields of the rate limit may also be in an object `rateLimit`. Without these fields, the account gets the default
 * rate limit of created accounts.
 * @returns the options, or a sentence that describes the error without the key
 */
export function parseNewAccount(value: unknown): CreateAccountOptions | string {
  if (!isJsonObject(value)) return 'Send a JSON object such as {"credits": "12.5"}.'
  const { credits, key, rateLimit, ...fields } = value
  const unknown = Object.keys(fields).find((name) => !RATE_LIMIT_FIELDS.some((known) => known === name))
  if (unknown !== undefined) {
    return `Unknown field "${unknown}". The fields are credits, key, ${RATE_LIMIT_FIELDS.join(', ')}.`
  }
  const startUnits = parseCreditsField(credits)
  if (startUnits === undefined) return describeCreditsField('credits')
  if (key !== undefined && !isAccountKey(key)) {
    return `"key" must be ${KEY_PREFIX} followed by 4 to 200 letters, digits, dots, underscores, tildes or hyphens.`
  }
  const options = { startUnits, ...(key === undefined ? {} : { key }) }
  const limit = Object.keys(fields).length === 0 ? rateLimit : fields
  if (limit === undefined) return options
  const parsed = parseRateLimit(limit)
  return typeof parsed === 'string' ? parsed : { ...options, rateLimit: parsed }
}

/**
 * Parses an amount of credits in a control API request, a decimal string. Returns units of 0.0001 credit, or undefined
 * if the amount is invalid.
 */
export function parseCreditsField(value: unknown): number | undefined {
  return typeof value === 'string' ? parseCredits(value) : undefined
}

export function describeCreditsField(name: string): string {
  return `"${name}" must be a decimal string from "0" to "100000000000" with at most four fraction digits.`
}

function isAccountKey(key: unknown): key is string {
  return typeof key === 'string' && key.startsWith(KEY_PREFIX) && /^[\w.~-]{4,200}$/.test(key.slice(KEY_PREFIX.length))
}
