import { isJsonObject } from '../../common/json-object.ts'
import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import type { ChatCharge, JsonExcerpt, PriceReading, ResponseParams, UnsupportedFeature } from './fact-params.ts'
import { formatExcerpt } from './json-excerpt.ts'
import { formatCount } from '../../common/format-count.ts'
import { BODY_LIMIT_REMEDY, describeResponse } from './responses.ts'

/** Defines a kind of fact. `Params` are its parameters, which the document contains. */
function defineFact<Params = unknown>(sentence: (params: Readonly<Params>) => string): typeof sentence {
  return sentence
}

const CONNECTION_ENDS = {
  kept: 'keeps it',
  closed: 'closes it as announced',
  'closed-unannounced': 'closes it without announcing this',
  'closed-during-request': 'closes it without announcing this, so that the next request gets no response',
} as const

export type ConnectionEnd = keyof typeof CONNECTION_ENDS

/** Facts about responses that the report shows. */
const FACTS = {
  /** What a gateway does in several cases, by case. */
  policy: defineFact<{ cases: Readonly<Record<string, JsonExcerpt>> }>(({ cases }) =>
    Object.entries(cases)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : formatExcerpt(value)}`)
      .join('; '),
  ),
  response: defineFact<ResponseParams>(describeResponse),
  /** The target rejected a large body with an error that client SDKs can read. */
  'body-limit': defineFact<ResponseParams>(
    (response) => `${describeResponse(response)}. To accept larger bodies, ${BODY_LIMIT_REMEDY}`,
  ),
  'error-responses': defineFact<{ statuses: readonly number[] }>(
    ({ statuses }) => `${statuses.map((status) => `returned ${status}`).join(', ')}; the control request was served`,
  ),
  requests: defineFact<{ requests: number }>(({ requests }) => `${formatCount(requests, 'request')}: none broke down`),
  'cached-completion': defineFact<{ responses: number }>(
    ({ responses }) =>
      `of ${responses} completions, only those of identical requests have the same id: a cache sends them again`,
  ),
  tokens: defineFact<{ tokens: number }>(({ tokens }) => `${tokens} tokens`),
  /** Length of a completion without usage, in bytes. This is an upper bound of its tokens. */
  'short-text': defineFact<{ bytes: number }>(
    ({ bytes }) => `${formatCount(bytes, 'byte')} of text, so at most ${formatCount(bytes, 'token')}`,
  ),
  /** Length of a completion without usage, with an estimate of its tokens from a completion with usage. */
  'text-length': defineFact<{ characters: number; tokens: number }>(
    ({ characters, tokens }) => `${characters} characters, about ${tokens} tokens by the usage of other completions`,
  ),
  /** `otherStatuses` contains the success statuses other than 200, as the specification names none. */
  'every-response': defineFact<{ responses: number; otherStatuses?: readonly number[] }>(
    ({ responses, otherStatuses = [] }) =>
      `true of all ${responses} responses${otherStatuses.length === 0 ? '' : `, some with ${otherStatuses.join(', ')}: the specification names no status for success`}`,
  ),
  'all-models': defineFact<{ models: number }>(({ models }) => `all ${models} models returned a completion`),
  'listed-models': defineFact<{ served: readonly string[]; rejected: readonly string[] }>(
    ({ served, rejected }) =>
      `${served.length} of ${served.length + rejected.length} listed models returned a completion`,
  ),
  'all-streams': defineFact<{ streams: number }>(({ streams }) => `all ${streams} were served`),
  /** `isTooShort` means that all streams were too short to reach a possible timeout. */
  'complete-streams': defineFact<{ streams: number; longestMs: number; isTooShort?: true }>(
    ({ streams, longestMs, isTooShort }) => {
      const end = isTooShort === undefined ? '' : ', which is too short to show a timeout'
      return `all ${streams} streams were complete; the longest took ${(longestMs / 1000).toFixed(1)} s${end}`
    },
  ),
  /** `differ` is false if every completion is the same text or its start. */
  'texts-of-prompts': defineFact<{ differ: boolean }>(({ differ }) =>
    differ ? 'different prompts get different texts' : 'every prompt gets the same text, or the start of it',
  ),
  'stream-text': defineFact<{ isSame: boolean }>(({ isSame }) =>
    isSame
      ? 'a stream has the same text as the completion of an identical request'
      : 'streams have different texts than completions of identical requests',
  ),
  'finish-reasons': defineFact<{ reasons: readonly JsonExcerpt[] }>(
    ({ reasons }) => `finish_reason ${reasons.map(formatExcerpt).join(' or ')}`,
  ),
  'common-limit': defineFact(() => 'requests with other keys count toward the same limit'),
  'uncompressed-stream': defineFact(() => 'the stream is not compressed'),
  'event-times': defineFact<{ events: number; overMs: number }>(
    ({ events, overMs }) => `${events} events over ${overMs} ms, one by one`,
  ),
  'ascii-text': defineFact(() => 'no response contains a character outside ASCII'),
  /** Streams and other completions contain U+FFFD, and other characters outside ASCII too. */
  'replaced-characters': defineFact<{ responses: number; of: number }>(
    ({ responses, of }) =>
      `${responses} of ${of} responses contain U+FFFD, streamed or not: the model may have generated incomplete characters`,
  ),
  'after-aborts': defineFact<{ aborted: number }>(
    ({ aborted }) => `the target served the next request after ${formatCount(aborted, 'aborted stream')}`,
  ),
  /** A whole stream arrived within a time that users do not notice. */
  'fast-stream': defineFact<{ events: number; afterMs: number }>(
    ({ events, afterMs }) =>
      `${formatCount(events, 'event')} within ${afterMs} ms after the request, which is too fast to show a buffer`,
  ),
  'sdk-value': defineFact<{ value: JsonExcerpt }>(
    ({ value }) => `the response shows ${formatExcerpt(value)}; the SDK returned the same`,
  ),
  'sdk-error': defineFact<{ error: string; message: string }>(({ error, message }) => `${error}: ${message}`),
  charge: defineFact<{ bills: readonly ChatCharge[]; reading: PriceReading }>(
    ({ bills, reading }) => `${bills.map(describeCharge).join(', ')}: ${describePrice(reading)}`,
  ),
  price: defineFact<{ reading: PriceReading }>(({ reading }) => describePrice(reading)),
  'units-charged': defineFact<{ units: number }>(({ units }) =>
    units === 0 ? 'nothing was charged' : `${formatCredits(units)} were charged`,
  ),
  charged: defineFact(() => 'something was charged'),
  'charged-again': defineFact(() => 'something was charged, and later charged again'),
  'within-balance': defineFact(() => 'some were served within the balance, the others returned 402'),
  limited: defineFact<{ limited: number; requests: number }>(
    ({ limited, requests }) => `${limited} of ${requests} got a 429`,
  ),
  'models-without-credits': defineFact<{ rejected: number; models: number }>(
    ({ rejected, models }) => `${rejected} of ${models} models returned 402, and none was served`,
  ),
  'retry-after': defineFact<{ seconds: number }>(({ seconds }) => `${seconds} s`),
  recovered: defineFact<{ waitedS: number; retryAfterS?: number }>(({ waitedS, retryAfterS }) =>
    retryAfterS === undefined
      ? `served again after ${waitedS} s, without a Retry-After`
      : `Retry-After was ${retryAfterS} s; served again after ${waitedS} s`,
  ),
  variants: defineFact<{ served: number; variants: number }>(
    ({ served, variants }) => `${served} of ${variants} other requests were served, all with such a response`,
  ),
  header: defineFact<{ actualStatus: number; header: string; value: string | null }>(
    ({ actualStatus, header, value }) => `returned ${actualStatus}, ${header}: ${value ?? 'none'}`,
  ),
  challenge: defineFact<{ actualStatus: number; value: string | null }>(({ actualStatus, value }) =>
    value === null ? `${actualStatus} without WWW-Authenticate` : `${actualStatus} with WWW-Authenticate: ${value}`,
  ),
  'by-model': defineFact<{
    responses: readonly (ResponseParams & { model: string; operation: string })[]
  }>(({ responses }) =>
    responses.map((one) => `${one.model} for ${one.operation}: ${describeResponse(one)}`).join('; '),
  ),
  'stream-frames': defineFact<{
    json: boolean
    names: readonly string[]
    done: 'last' | 'not-last' | 'none'
    usage: boolean
  }>(({ json, names, done, usage }) =>
    [
      json ? 'JSON events' : 'events that are not JSON',
      `named ${names.join(', ') || 'nothing'}`,
      done === 'none' ? 'no [DONE]' : `[DONE]${done === 'last' ? ' last' : ' not last'}`,
      usage ? 'with usage' : 'without usage',
    ].join(', '),
  ),
  'stream-usage': defineFact<{ usage: keyof typeof STREAM_USAGE }>(({ usage }) => STREAM_USAGE[usage]),
  sound: defineFact<{ frames: number; durationMs: number }>(
    ({ frames, durationMs }) => `${(durationMs / 1000).toFixed(1)} s of audio in ${frames} frames`,
  ),
  transcript: defineFact<{ actualStatus: number; heard: number; spoken: number }>(
    ({ actualStatus, heard, spoken }) => `returned ${actualStatus}, with ${heard} of the ${spoken} spoken words`,
  ),
  connection: defineFact<{ afterStream: ConnectionEnd; afterChat: ConnectionEnd }>(({ afterStream, afterChat }) => {
    if (afterStream === afterChat) return `the target ${CONNECTION_ENDS[afterStream]} after each response`
    return `the target ${CONNECTION_ENDS[afterStream]} after a stream, and ${CONNECTION_ENDS[afterChat]} after a chat`
  }),
  /** `members` are the names of the body's properties, or null if the body is not a JSON object. */
  'error-body': defineFact<{
    actualStatus: number
    members: readonly string[] | null
    error?: readonly string[] | { value: JsonExcerpt }
    code?: JsonExcerpt
  }>(({ actualStatus, members, error, code }) => {
    if (members === null) return `a ${actualStatus} without a JSON object`
    const inError = error === undefined ? 'nothing' : 'value' in error ? formatExcerpt(error.value) : error.join(', ')
    const shownCode = code === undefined ? 'nothing' : formatExcerpt(code)
    return `a ${actualStatus} with the members ${members.join(', ')}; error: ${inError}; code ${shownCode}`
  }),
  'header-names': defineFact<{ names: readonly string[] }>(({ names }) =>
    names.length === 0 ? 'none' : names.join(', '),
  ),
  images: defineFact<{ images: number }>(({ images }) => `${images} images`),
  'not-supported': defineFact<UnsupportedFeature>(
    ({ actualStatus, instead }) => `not supported: returned ${actualStatus}${NOT_SUPPORTED[instead]}`,
  ),
  'tool-calls': defineFact<{ actualStatus: number; calls: number; finishReason?: string }>(
    ({ actualStatus, calls, finishReason }) => {
      const reason = finishReason === undefined ? '' : `, finish_reason ${formatExcerpt(finishReason)}`
      return `returned ${actualStatus} with ${calls === 0 ? 'no tool call' : formatCount(calls, 'tool call')}${reason}`
    },
  ),
  'tool-prompt-tokens': defineFact<{ promptTokens: number; without: number }>(
    ({ promptTokens, without }) => `${promptTokens} prompt tokens, and ${without} without tools`,
  ),
  'prompt-tokens': defineFact<{ actualStatus: number; promptTokens: number }>(
    ({ actualStatus, promptTokens }) => `returned ${actualStatus}, ${promptTokens} prompt tokens`,
  ),
}

/** A fact about responses: its kind with its parameters. */
export type ObservedFact = {
  [Kind in keyof typeof FACTS]: { readonly kind: Kind } & Parameters<(typeof FACTS)[Kind]>[0]
}[keyof typeof FACTS]

/** Facts that depend only on the implementation of the target, so that a target file can record them. */
const STABLE_FACTS: ReadonlySet<unknown> = new Set<ObservedFact['kind']>([
  'response',
  'body-limit',
  'header',
  'header-names',
  'challenge',
  'connection',
  'stream-frames',
  'stream-usage',
  'error-body',
  'transcript',
  'images',
  'prompt-tokens',
])

export function isStableFact(fact: unknown): boolean {
  return isJsonObject(fact) && STABLE_FACTS.has(fact['kind'])
}

export function describeFact(seen: ObservedFact): string {
  // A fact has the parameters of its kind, see `ObservedFact`.
  const sentence = FACTS[seen.kind] as (seen: ObservedFact) => string
  return sentence(seen)
}

const STREAM_USAGE = {
  none: 'no usage',
  'without-choices': 'usage in an event without choices',
  'with-choices': 'usage in an event with choices',
} as const

const NOT_SUPPORTED = {
  error: '',
  'no-tool-call': ', without a tool call',
  'no-json': ', with text that is not JSON',
} as const

/** Names of facts and of their values, which documents and target files contain. */
export const FACT_NAMES = [FACTS, CONNECTION_ENDS, STREAM_USAGE, NOT_SUPPORTED].flatMap((table) => Object.keys(table))

function describePrice(reading: PriceReading): string {
  if (reading === 'all-tokens') return 'prompt and completion at the price of the table'
  if (reading === 'completion-only') return 'the completion at the price of the table, the prompt free'
  const { byTable, otherUnits } = reading
  const other = byTable === 'prompt' ? 'completion' : 'prompt'
  return `the ${byTable} at the price of the table, the ${other} at ${formatCredits(otherUnits)} a token`
}

export function describeCharge({ prompt, completion, units }: ChatCharge): string {
  return `${formatCredits(units)} for ${prompt} prompt and ${completion} completion tokens`
}

/** Converts units to credits and formats them without trailing zeros. */
export function formatCredits(units: number): string {
  return `${Number((units / UNITS_PER_CREDIT).toFixed(6))} credits`
}
