import { isJsonObject } from '../../../common/json-object.ts'

export type LimitAlgorithm = 'token-bucket' | 'fixed-window' | 'sliding-window'

/**
 * Rate limit of an account (section 7, status 429). Must contain `requestsPerMinute`, `tokensPerMinute` or both. The
 * specification leaves thresholds and windows open (section 8).
 */
export interface RateLimit {
  readonly requestsPerMinute?: number
  /** Maximum number of prompt and completion tokens per minute. */
  readonly tokensPerMinute?: number
  /** Algorithm of the limits. Default: `token-bucket`. */
  readonly algorithm?: LimitAlgorithm
  /**
   * Capacity of the token bucket: number of requests that can arrive at the same time. Only for `token-bucket`.
   * Default: 1.
   */
  readonly burst?: number
  /**
   * Length of a window in seconds, or the time in which the bucket of a token limit refills. From 0.1 to 86400.
   * Default: 60.
   */
  readonly windowSeconds?: number
}

export interface Quota {
  readonly capacity: number
  readonly refillPerMs: number
}

export interface ResolvedRateLimit {
  readonly algorithm: LimitAlgorithm
  readonly windowMs: number
  readonly requests: Quota | undefined
  readonly tokens: Quota | undefined
}

/** Valid range of rates, from one request in almost two years to more than any client sends. */
const [MIN_PER_MINUTE, MAX_PER_MINUTE] = [0.000001, 1_000_000_000]
const [MIN_WINDOW_SECONDS, MAX_WINDOW_SECONDS] = [0.1, 86_400]
const ALGORITHMS: readonly unknown[] = ['token-bucket', 'fixed-window', 'sliding-window'] satisfies LimitAlgorithm[]

export const RATE_LIMIT_FIELDS = [
  'requestsPerMinute',
  'burst',
  'tokensPerMinute',
  'windowSeconds',
  'algorithm',
] as const

/** Applies the defaults to a valid rate limit. */
export function resolveRateLimit(rateLimit: RateLimit): ResolvedRateLimit {
  const { requestsPerMinute, tokensPerMinute, algorithm = 'token-bucket', burst = 1, windowSeconds = 60 } = rateLimit
  const quota = (perMinute: number, capacity = Math.floor((perMinute * windowSeconds) / 60)) => ({
    capacity,
    refillPerMs: perMinute / 60_000,
  })
  const isBucket = algorithm === 'token-bucket'
  return {
    algorithm,
    windowMs: windowSeconds * 1000,
    requests: requestsPerMinute === undefined ? undefined : quota(requestsPerMinute, isBucket ? burst : undefined),
    tokens: tokensPerMinute === undefined ? undefined : quota(tokensPerMinute),
  }
}

/**
 * Parses a rate limit from a string such as `requestsPerMinute=60,burst=5`, or from an object with these fields.
 * @returns the rate limit, or a sentence that describes the error
 */
export function parseRateLimit(value: unknown): RateLimit | string {
  const given = isJsonObject(value) ? value : parseFields(String(value))
  const problem = findInvalidField(given)
  if (problem !== undefined) return problem
  const rateLimit = given as RateLimit // Every field was checked.
  return findContradiction(rateLimit) ?? rateLimit
}

function parseFields(text: string): object {
  const pairs = text.split(',').map((part): [string, unknown] => {
    const [name = '', value = ''] = part.split('=', 2)
    return [name.trim(), /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value.trim()]
  })
  return Object.fromEntries(pairs)
}

/**
 * Validates each field of a rate limit separately.
 * @returns a sentence that describes the first error, or undefined
 */
function findInvalidField(value: object): string | undefined {
  const unknown = Object.keys(value).find((name) => !RATE_LIMIT_FIELDS.some((known) => known === name))
  if (unknown !== undefined)
    return `A rate limit has no field "${unknown}". The fields are ${RATE_LIMIT_FIELDS.join(', ')}.`
  const given: { readonly [Name in keyof RateLimit]?: unknown } = value
  const { requestsPerMinute, burst, tokensPerMinute, windowSeconds = 60, algorithm = 'token-bucket' } = given
  if (requestsPerMinute === undefined && tokensPerMinute === undefined) {
    return 'A rate limit has "requestsPerMinute" or "tokensPerMinute" or both.'
  }
  for (const [name, rate] of Object.entries({ requestsPerMinute, tokensPerMinute })) {
    if (rate !== undefined && !isWithin(rate, MIN_PER_MINUTE, MAX_PER_MINUTE)) {
      return `"${name}" must be a number from ${MIN_PER_MINUTE} to ${MAX_PER_MINUTE}.`
    }
  }
  if (!ALGORITHMS.includes(algorithm)) return `"algorithm" must be ${ALGORITHMS.join(' or ')}.`
  if (!isWithin(windowSeconds, MIN_WINDOW_SECONDS, MAX_WINDOW_SECONDS)) {
    return `"windowSeconds" must be a number from ${MIN_WINDOW_SECONDS} to ${MAX_WINDOW_SECONDS}.`
  }
  if (burst !== undefined && !(isWithin(burst, 1, MAX_PER_MINUTE) && Number.isInteger(burst))) {
    return `"burst" must be an integer from 1 to ${MAX_PER_MINUTE}.`
  }
  return undefined
}

/**
 * Validates the combination of fields in a rate limit.
 * @returns a sentence that describes the first error, or undefined
 */
function findContradiction(rateLimit: RateLimit): string | undefined {
  const { algorithm = 'token-bucket', burst, requestsPerMinute, tokensPerMinute, windowSeconds } = rateLimit
  const isBucket = algorithm === 'token-bucket'
  if (burst !== undefined && !isBucket) return `"burst" applies only to token-bucket, not to ${algorithm}.`
  if (burst !== undefined && requestsPerMinute === undefined) return '"burst" needs "requestsPerMinute".'
  if (windowSeconds !== undefined && isBucket && tokensPerMinute === undefined) {
    return '"windowSeconds" applies to fixed-window, to sliding-window, and to "tokensPerMinute" with token-bucket. Omit it, or change the algorithm.'
  }
  const { requests, tokens } = resolveRateLimit(rateLimit)
  if (requests?.capacity === 0)
    return `A window of ${windowSeconds} s at ${requestsPerMinute} requests a minute allows no request. Increase windowSeconds or requestsPerMinute.`
  if (tokens?.capacity === 0)
    return `A window of ${windowSeconds ?? 60} s at ${tokensPerMinute} tokens a minute allows no token. Increase windowSeconds or tokensPerMinute.`
  return undefined
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max
}
