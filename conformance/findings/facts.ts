import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import type { ChatCharge, PriceReading, ObservedFact } from './observed-facts.ts'
import { formatExcerpt } from './json-excerpt.ts'
import { describeResponse, formatCount } from './responses.ts'

export function describeFact<Kind extends ObservedFact['kind']>(seen: SeenOf<Kind>): string {
  const describe: (seen: SeenOf<Kind>) => string = SEEN[seen.kind]
  return describe(seen)
}

type SeenOf<Kind extends ObservedFact['kind']> = Extract<ObservedFact, { kind: Kind }>

const SEEN: { readonly [Kind in ObservedFact['kind']]: (seen: SeenOf<Kind>) => string } = {
  response: (seen) => describeResponse(seen),
  'error-responses': (seen) =>
    `${seen.statuses.map((status) => `returned ${status}`).join(', ')}; the control request was served`,
  requests: (seen) => `${formatCount(seen.requests, 'request')}: none broke down`,
  'cached-completion': () =>
    'a different request got a different id, but an identical request got the same completion with the same id, so a cache sent it',
  tokens: (seen) => `${seen.tokens} tokens`,
  'short-text': (seen) => `${formatCount(seen.bytes, 'byte')} of text, so at most ${formatCount(seen.bytes, 'token')}`,
  'text-length': (seen) =>
    `${seen.characters} characters, about ${seen.tokens} tokens by the usage of other completions`,
  'every-response': ({ responses, otherStatuses = [] }) =>
    `true of all ${responses} responses${otherStatuses.length === 0 ? '' : `, some with ${otherStatuses.join(', ')}: the specification names no status for success`}`,
  'all-models': (seen) => `all ${seen.models} models returned a completion`,
  'listed-models': (seen) =>
    `${seen.served.length} of ${seen.served.length + seen.rejected.length} listed models returned a completion`,
  'all-streams': (seen) => `all ${seen.streams} were served`,
  'complete-streams': ({ streams, longestMs, isTooShort }) => {
    const end = isTooShort === undefined ? '' : ', which is too short to show a timeout'
    return `all ${streams} streams were complete; the longest took ${(longestMs / 1000).toFixed(1)} s${end}`
  },
  'texts-of-prompts': ({ differ }) =>
    differ ? 'different prompts get different texts' : 'every prompt gets the same text, or the start of it',
  'stream-text': ({ isSame }) =>
    isSame
      ? 'a stream has the same text as the completion of an identical request'
      : 'streams have different texts than completions of identical requests',
  'finish-reasons': (seen) => `finish_reason ${seen.reasons.map(formatExcerpt).join(' or ')}`,
  'common-limit': () => 'requests with other keys count toward the same limit',
  'uncompressed-stream': () => 'the stream is not compressed',
  'event-times': (seen) => `${seen.events} events over ${seen.overMs} ms, one by one`,
  'sdk-value': (seen) => `the response shows ${formatExcerpt(seen.value)}; the SDK returned the same`,
  'sdk-error': (seen) => `${seen.error}: ${seen.message}`,
  charge: (seen) => `${seen.bills.map(describeCharge).join(', ')}: ${describePrice(seen.reading)}`,
  price: (seen) => describePrice(seen.reading),
  'units-charged': (seen) => (seen.units === 0 ? 'nothing was charged' : `${formatCredits(seen.units)} were charged`),
  charged: () => 'something was charged',
  'within-balance': () => 'some were served within the balance, the others returned 402',
  limited: (seen) => `${seen.limited} of ${seen.requests} got a 429`,
  'models-without-credits': (seen) => `${seen.rejected} of ${seen.models} models returned 402, and none was served`,
  'retry-after': (seen) => `${seen.seconds} s`,
  recovered: (seen) =>
    seen.retryAfterS === undefined
      ? `served again after ${seen.waitedS} s, without a Retry-After`
      : `Retry-After was ${seen.retryAfterS} s; served again after ${seen.waitedS} s`,
  variants: (seen) => `${seen.served} of ${seen.variants} other requests were served, all with such a response`,
  header: (seen) => `returned ${seen.actualStatus}, ${seen.header}: ${seen.value ?? 'none'}`,
  challenge: (seen) =>
    seen.value === null
      ? `${seen.actualStatus} without WWW-Authenticate`
      : `${seen.actualStatus} with WWW-Authenticate: ${seen.value}`,
  'by-model': (seen) =>
    seen.responses.map((one) => `${one.model} for ${one.operation}: ${describeResponse(one)}`).join('; '),
  'stream-frames': (seen) => describeFrames(seen),
  'stream-usage': (seen) => STREAM_USAGE[seen.usage],
  sound: (seen) => `${(seen.durationMs / 1000).toFixed(1)} s of audio in ${seen.frames} frames`,
  transcript: (seen) => `returned ${seen.actualStatus}, with ${seen.heard} of the ${seen.spoken} spoken words`,
  connection: (seen) => describeConnection(seen),
  'error-body': (seen) => describeErrorBody(seen),
  'header-names': (seen) => (seen.names.length === 0 ? 'none' : seen.names.join(', ')),
  images: (seen) => `${seen.images} images`,
  'not-supported': (seen) => `not supported: returned ${seen.actualStatus}${NOT_SUPPORTED[seen.instead]}`,
  'tool-calls': ({ actualStatus, calls, finishReason }) => {
    const reason = finishReason === undefined ? '' : `, finish_reason ${formatExcerpt(finishReason)}`
    return `returned ${actualStatus} with ${calls === 0 ? 'no tool call' : formatCount(calls, 'tool call')}${reason}`
  },
  'tool-prompt-tokens': (seen) => `${seen.promptTokens} prompt tokens, and ${seen.without} without tools`,
  'prompt-tokens': (seen) => `returned ${seen.actualStatus}, ${seen.promptTokens} prompt tokens`,
}

const NOT_SUPPORTED = {
  error: '',
  'no-tool-call': ', without a tool call',
  'no-json': ', with text that is not JSON',
} as const

function describePrice(reading: PriceReading): string {
  if (reading === 'all-tokens') return 'prompt and completion at the price of the table'
  if (reading === 'completion-only') return 'the completion at the price of the table, the prompt free'
  const { byTable, otherUnits } = reading
  const other = byTable === 'prompt' ? 'completion' : 'prompt'
  return `the ${byTable} at the price of the table, the ${other} at ${formatCredits(otherUnits)} a token`
}

function describeFrames({ json, names, done, usage }: SeenOf<'stream-frames'>): string {
  return [
    json ? 'JSON events' : 'events that are not JSON',
    `named ${names.join(', ') || 'nothing'}`,
    done === 'none' ? 'no [DONE]' : `[DONE]${done === 'last' ? ' last' : ' not last'}`,
    usage ? 'with usage' : 'without usage',
  ].join(', ')
}

const STREAM_USAGE = {
  none: 'no usage',
  'without-choices': 'usage in an event without choices',
  'with-choices': 'usage in an event with choices',
} as const

function describeConnection(seen: SeenOf<'connection'>): string {
  switch (seen.after) {
    case 'kept':
      return 'both were served on it'
    case 'closed-unannounced':
      return 'the target closes it after a response, without announcing it'
    case 'closed':
      return `the target closes it after a response (connection: ${seen.header ?? 'none'})`
  }
}

function describeErrorBody({ actualStatus, members, error, code }: SeenOf<'error-body'>): string {
  if (members === null) return `a ${actualStatus} without a JSON object`
  const inError = error === undefined ? 'nothing' : 'value' in error ? formatExcerpt(error.value) : error.join(', ')
  const shownCode = code === undefined ? 'nothing' : formatExcerpt(code)
  return `a ${actualStatus} with the members ${members.join(', ')}; error: ${inError}; code ${shownCode}`
}

export function describeCharge({ prompt, completion, units }: ChatCharge): string {
  return `${formatCredits(units)} for ${prompt} prompt and ${completion} completion tokens`
}

/** Converts units to credits and formats them without trailing zeros. */
export function formatCredits(units: number): string {
  return `${Number((units / UNITS_PER_CREDIT).toFixed(6))} credits`
}
