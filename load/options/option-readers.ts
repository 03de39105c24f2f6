import { isJsonObject } from '../../common/json-object.ts'
import { tryToParseJson } from '../../common/parse-json.ts'
import { TIMED_OPERATIONS } from '../../contract/facts.ts'
import {
  type DeclaredLimit,
  type ModelChoice,
  MODEL_OPERATIONS,
  type OptionTypes,
  type RequestHeader,
  type RunSegment,
  type OperationWeights,
} from '../../scenarios/lib/option-values.ts'
import { type ChatMembers, findMembersProblem, findRunMember } from '../../scenarios/lib/prompt-file.ts'
import { parseInstant } from '../../scenarios/lib/parse-instant.ts'

/**
 * Parsers of the option types that are specific to load runs. They throw an error whose message starts with "It must
 * be".
 */
export const OPTION_READERS = {
  body: readBody,
  header: readHeader,
  instant: parseInstant,
  limit: readLimit,
  model: readModel,
  segment: readSegment,
  weights: readWeights,
} satisfies { readonly [Type in keyof OptionTypes]?: (text: string) => OptionTypes[Type] }

/** Parses members for the body of each chat request: `{"top_p": 0.9}`. */
function readBody(text: string): ChatMembers {
  const given = tryToParseJson(text)
  if (!isJsonObject(given)) throw new Error(`It must be a JSON object such as '{"top_p": 0.9}'`)
  const reserved = findRunMember(given)
  if (reserved !== undefined)
    throw new Error(`It must be an object without ${reserved}, which the load test sets itself`)
  const problem = findMembersProblem(given)
  if (problem !== undefined) throw new Error(`It must be a valid body, and it ${problem.replace(/\.$/, '')}`)
  return given
}

/** Parses a segment: `2/4` is the second of four. */
function readSegment(text: string): RunSegment {
  const [, number, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  if (number === undefined || Number(number) < 1 || Number(number) > Number(count)) {
    throw new Error('It must be a segment and the number of segments, such as 1/4')
  }
  return { index: Number(number) - 1, count: Number(count) }
}

/** Parses the weights of operations: `chat-stream=3,images=1`. */
function readWeights(text: string): OperationWeights {
  const names: readonly string[] = TIMED_OPERATIONS
  const pairs = text.split(',').map((pair) => /^\s*([\w-]+)=(\d+(?:\.\d+)?)\s*$/.exec(pair))
  const weights = Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2])]))
  const isValid =
    Object.keys(weights).every((name) => names.includes(name)) && Object.values(weights).some((weight) => weight > 0)
  if (!isValid) throw new Error(`It must be shares such as chat-stream=3,images=1, of ${names.join(', ')}`)
  return weights
}

const SECONDS = { s: 1, m: 60, h: 3600 } as const

/**
 * Parses a declared rate limit: `60/60s`. `,burst=5` declares a token bucket, and `,obey` a client that obeys
 * Retry-After.
 */
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

/** Headers that each request sets itself. */
const RESERVED_HEADERS = [
  'accept-encoding',
  'authorization',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'x-client-request-id',
]

/** Parses a header line, such as `x-tenant: blue` (RFC 9110, section 5). */
function readHeader(line: string): RequestHeader {
  const [, name, value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)$/.exec(line) ?? []
  // The message omits the line, which may contain a secret.
  if (name === undefined) throw new Error("It must be a header such as 'x-tenant: blue'")
  if (RESERVED_HEADERS.includes(name.toLowerCase())) {
    throw new Error(`It must be a header other than ${name}, which the load test sets itself`)
  }
  return { name, value: value.trim() }
}

/** Parses a model for one operation (`images=vendorc-4o`) or for all operations (`vendorc-4o`). */
function readModel(text: string): ModelChoice {
  const [, name, model] = /^(?:([^=]*)=)?(.*)$/s.exec(text) ?? []
  const operation = MODEL_OPERATIONS.find((known) => known === name)
  if (model === undefined || model === '' || (name !== undefined && operation === undefined)) {
    throw new Error(`It must be a model, or OPERATION=MODEL with one of the operations ${MODEL_OPERATIONS.join(', ')}`)
  }
  return { operation: operation ?? null, model }
}
