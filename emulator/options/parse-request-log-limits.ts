import type { RequestLogChange, RequestLogLimits } from '../observability/request-log/request-log.ts'
import { MAX_KEPT_BODY_BYTES } from '../observability/request-record.ts'

const MAX_LIMITS: RequestLogLimits = {
  entries: 1_000_000,
  bytes: 1024 * 1024 * 1024,
  bodies: MAX_KEPT_BODY_BYTES,
  digests: 1,
}

/**
 * Parses limits of the request log: a string such as `entries=1000,bytes=1000000,bodies=2000,digests=1`, or an object
 * with these fields.
 * @returns the limits, or a sentence that describes the valid values
 */
export function parseRequestLogLimits(value: unknown): Partial<RequestLogLimits> | string {
  const pairs: [string, unknown][] =
    typeof value === 'string'
      ? value.split(',').map((part) => {
          const [name = '', text = ''] = part.split('=', 2)
          return [name.trim(), /^\d{1,12}$/.test(text.trim()) ? Number(text) : text]
        })
      : Object.entries(value ?? {})
  const bounds: Partial<Record<keyof RequestLogLimits, number>> = {}
  for (const [name, number] of pairs) {
    if (name !== 'entries' && name !== 'bytes' && name !== 'bodies' && name !== 'digests') {
      return 'It must have the form entries=1000,bytes=1000000,bodies=2000,digests=1; each part is optional.'
    }
    const max = MAX_LIMITS[name]
    if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > max) {
      return `The bound '${name}' must be an integer from 0 to ${max}.`
    }
    bounds[name] = number
  }
  return bounds
}

/**
 * Parses the limits of the request log that can change at run time: an object with `bodies`, `digests` or both.
 * @returns the limits, or a sentence that describes the valid values
 */
export function parseRequestLogChange(value: unknown): RequestLogChange | string {
  const names = Object.keys(Object(value)) // The names of a string or a list are numbers.
  if (names.length === 0 || names.some((name) => name !== 'bodies' && name !== 'digests')) {
    return 'Send {"bodies": 65536}, {"digests": 1} or both, because only these limits can change at run time.'
  }
  return parseRequestLogLimits(value)
}
