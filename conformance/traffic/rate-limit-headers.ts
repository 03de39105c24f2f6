/** State of one of a key's rate limits, as the header fields of a response report it. */
export interface RateLimitState {
  /** Name of the limit, unique within a response, such as `tokens`. It is part of the names of the header fields. */
  readonly name: string
  readonly unit: 'requests' | 'tokens'
  /** Maximum per window, or the capacity of a token bucket. */
  readonly limit?: number
  readonly remaining: number
  /** Time until the full limit is available again, in milliseconds. */
  readonly resetMs?: number
}

/** Maximum length of the name of a field. The pattern takes quadratic time for long names. */
const MAX_NAME_CHARACTERS = 100
/** Matches names such as `x-ratelimit-remaining-tokens` and `anthropic-ratelimit-tokens-remaining`. */
const FIELD = /^(?:[a-z]+-)?rate-?limit-(?:(?<group>[a-z-]+)-)?(?<part>limit|remaining|reset)(?:-(?<suffix>[a-z-]+))?$/

/** Name of the IETF draft's structured header, e.g. `limit=100, remaining=50, reset=5` or `"default";r=50;t=5`. */
const STRUCTURED = 'ratelimit'

/** Parses the valid rate limits of a response. `nowMs` is the Unix time of the server, to convert a point in time. */
export function parseRateLimitHeaders(headers: Readonly<Record<string, string>>, nowMs: number): RateLimitState[] {
  const parts = new Map<string, Record<string, string>>()
  for (const [field, value] of Object.entries(headers)) {
    if (field.length > MAX_NAME_CHARACTERS) continue
    const { group = '', part, suffix = '' } = FIELD.exec(field)?.groups ?? {}
    if (part !== undefined) {
      const name = group + suffix
      parts.set(name, { ...parts.get(name), [part]: value })
    }
  }
  const structured = headers[STRUCTURED]
  return [
    ...[...parts].flatMap(([name, part]) => toReport(name, part, nowMs)),
    ...(structured === undefined ? [] : toReport(STRUCTURED, partsOf(structured), nowMs)),
  ]
}

function partsOf(structured: string): Record<string, string> {
  const value = (long: string, short: string): string =>
    new RegExp(`(?:^|[;,\\s])(?:${long}|${short})=(\\d+)`).exec(structured)?.[1] ?? ''
  return { limit: value('limit', 'q'), remaining: value('remaining', 'r'), reset: value('reset', 't') }
}

function toReport(name: string, part: Readonly<Record<string, string>>, nowMs: number): RateLimitState[] {
  const remaining = readNumber(part['remaining'])
  if (remaining === undefined) return []
  const limit = readNumber(part['limit'])
  const resetMs = readResetMs(part['reset'] ?? '', nowMs)
  return [
    {
      name,
      unit: name.includes('token') ? 'tokens' : 'requests',
      remaining,
      ...(limit === undefined || limit === 0 ? {} : { limit }),
      ...(resetMs === undefined ? {} : { resetMs }),
    },
  ]
}

/** Parses the first number of a list, because some services append the window, e.g. `100, 100;w=60`. */
function readNumber(value = ''): number | undefined {
  const digits = /^\s*(\d{1,15}(?:\.\d+)?)(?!\d)/.exec(value)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Maximum length of a reset: that of an HTTP date, with a margin. */
const MAX_TIME_CHARACTERS = 40
const MS_OF_UNIT: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
/** Minimum value of a reset that counts as a Unix time, in seconds. As a duration, it would exceed 30 years. */
const MIN_UNIX_SECONDS = 1e9
const MIN_UNIX_MS = 1e12

/** Parses a reset: `6m0s`, `350ms`, seconds, a Unix time or a date. Returns milliseconds from now. */
function readResetMs(value: string, nowMs: number): number | undefined {
  const text = value.trim()
  // A longer value is no time, and its numbers may be infinite.
  if (text.length > MAX_TIME_CHARACTERS) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text)
    if (number < MIN_UNIX_SECONDS) return number * 1000
    return Math.max(0, (number < MIN_UNIX_MS ? number * 1000 : number) - nowMs)
  }
  if (/^(\d+(\.\d+)?(ms|h|m|s))+$/.test(text)) {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)]
    return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (MS_OF_UNIT[unit ?? ''] ?? 0), 0)
  }
  const instantMs = /^\d{4}-\d\d-\d\dT|^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(instantMs) ? undefined : Math.max(0, instantMs - nowMs)
}
