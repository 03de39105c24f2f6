import { InvalidArgumentError } from 'commander'
import type { LoadOptions } from '../load/run-load.ts'

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 }

/** `30s`, `5m`, `1h`; in seconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const seconds = Number(amount) * (SECONDS[unit ?? ''] ?? Number.NaN)
  if (!(seconds > 0)) throw new InvalidArgumentError('It must be a time such as 30s, 5m or 1h')
  return seconds
}

/** Requests per second, more than none. */
export function parseRate(text: string): number {
  const rate = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
  if (!(rate > 0)) throw new InvalidArgumentError('It must be a number of requests per second, such as 20 or 0.5')
  return rate
}

/** `2/4`: the second of four parts. */
export function parseSegment(text: string): NonNullable<LoadOptions['segment']> {
  const [, part, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  if (part === undefined || Number(part) < 1 || Number(part) > Number(count)) {
    throw new InvalidArgumentError('It must be a part and their number, such as 1/4')
  }
  return { index: Number(part) - 1, count: Number(count) }
}

/** ISO 8601 or Unix seconds; in Unix milliseconds. */
export function parseStart(text: string): number {
  const unixMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(unixMs))
    throw new InvalidArgumentError('It must be a time such as 2030-01-01T12:00:00Z, or Unix seconds')
  return unixMs
}

const WEIGHED = ['models', 'chat', 'chat-stream', 'images', 'transcriptions', 'speech']

/** `chat-stream=3,images=1`. */
export function parseWeights(text: string): Readonly<Record<string, number>> {
  const pairs = text.split(',').map((part) => /^\s*([\w-]+)=(\d+(?:\.\d+)?)\s*$/.exec(part))
  const weights = Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2])]))
  const isRight =
    Object.keys(weights).every((name) => WEIGHED.includes(name)) && Object.values(weights).some((weight) => weight > 0)
  if (!isRight)
    throw new InvalidArgumentError(`It must be shares such as chat-stream=3,images=1, of ${WEIGHED.join(', ')}`)
  return weights
}

/** `60/60s`, with `,burst=5` for a bucket and `,obey` for a client that waits as it is told. */
export function parseLimit(text: string): NonNullable<LoadOptions['limit']> {
  const [, requests, window = '', burst, obey] =
    /^([1-9]\d*)\/(\d+(?:\.\d+)?(?:s|m|h))(?:,burst=([1-9]\d*))?(,obey)?$/.exec(text) ?? []
  if (requests === undefined) throw new InvalidArgumentError('It must be a limit such as 60/60s or 60/60s,burst=5')
  return {
    requests: Number(requests),
    windowS: parseDuration(window),
    ...(burst === undefined ? {} : { burst: Number(burst) }),
    obey: obey !== undefined,
  }
}
