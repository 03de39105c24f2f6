import { LOAD_OPERATIONS } from '../../scenarios/lib/load-operation.ts'
import {
  type DeclaredLimit,
  type ModelChoice,
  MODEL_OPERATIONS,
  type OptionTypes,
  type Segment,
  type Weights,
} from '../../scenarios/lib/option-values.ts'

/**
 * Reads the text of the types that are specific to load runs.
 * Each throws an error whose message starts with "It must be".
 */
export const OPTION_READERS = {
  instant: readInstant,
  limit: readLimit,
  model: readModel,
  segment: readSegment,
  weights: readWeights,
} satisfies { readonly [Type in keyof OptionTypes]?: (text: string) => OptionTypes[Type] }

/** `2/4`: the second of four segments. */
function readSegment(text: string): Segment {
  const [, number, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  if (number === undefined || Number(number) < 1 || Number(number) > Number(count)) {
    throw new Error('It must be a segment and their number, such as 1/4')
  }
  return { index: Number(number) - 1, count: Number(count) }
}

/** ISO 8601 or Unix seconds; in Unix milliseconds. */
function readInstant(text: string): number {
  const unixMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(unixMs)) throw new Error('It must be a time such as 2030-01-01T12:00:00Z, or Unix seconds')
  return unixMs
}

/** `chat-stream=3,images=1`. */
function readWeights(text: string): Weights {
  const names: readonly string[] = LOAD_OPERATIONS
  const pairs = text.split(',').map((pair) => /^\s*([\w-]+)=(\d+(?:\.\d+)?)\s*$/.exec(pair))
  const weights = Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2])]))
  const isValid =
    Object.keys(weights).every((name) => names.includes(name)) && Object.values(weights).some((weight) => weight > 0)
  if (!isValid) throw new Error(`It must be shares such as chat-stream=3,images=1, of ${names.join(', ')}`)
  return weights
}

const SECONDS = { s: 1, m: 60, h: 3600 } as const

/** `60/60s`, with `,burst=5` for a token bucket and `,obey` for a client that waits as a 429 says. */
function readLimit(text: string): DeclaredLimit {
  const [, requests, window = '', unit, burst, obey] =
    /^([1-9]\d*)\/(\d+(?:\.\d+)?)(s|m|h)(?:,burst=([1-9]\d*))?(,obey)?$/.exec(text) ?? []
  const windowS = Number(window) * (unit === 's' || unit === 'm' || unit === 'h' ? SECONDS[unit] : Number.NaN)
  if (requests === undefined || !(windowS > 0)) {
    throw new Error('It must be a limit such as 60/60s or 60/60s,burst=5')
  }
  return {
    requests: Number(requests),
    windowS,
    ...(burst === undefined ? {} : { burst: Number(burst) }),
    obey: obey !== undefined,
  }
}

/** `images=vendorc-4o`, or a model for all operations. */
function readModel(text: string): ModelChoice {
  const [name, model] = text.includes('=') ? text.split('=', 2) : [undefined, text]
  const operation = MODEL_OPERATIONS.find((known) => known === name)
  if (model === undefined || model === '' || (name !== undefined && operation === undefined)) {
    throw new Error(`It must be a model, or one of ${MODEL_OPERATIONS.join(', ')} before it, such as images=MODEL`)
  }
  return { operation: operation ?? null, model }
}
