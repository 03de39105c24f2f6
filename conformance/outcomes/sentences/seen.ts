import { UNITS_PER_CREDIT } from '../../../contract/facts.ts'
import type { Bill, ImageProblem, PriceReading, Seen } from '../seen.ts'
import { show } from '../shown.ts'
import { describeResponse, formatCount } from './responses.ts'

/** Describes facts from the responses. */
export function describeSeen(seen: Seen): string {
  switch (seen.kind) {
    case 'response':
      return describeResponse(seen)
    case 'error-responses':
      return `${seen.statuses.map((status) => `answered ${status}`).join(', ')}; the control request was served`
    case 'requests':
      return `${formatCount(seen.requests, 'request')}: none broke down`
    case 'tokens':
      return `${seen.tokens} tokens`
    case 'all-models':
      return `all ${seen.models} models answered`
    case 'listed-models':
      return `${seen.served.length} of ${seen.served.length + seen.rejected.length} listed models answered`
    case 'all-streams':
      return `all ${seen.streams} were served`
    case 'event-times':
      return seen.overMs === undefined
        ? `${seen.events} events, too quickly to tell`
        : `${seen.events} events over ${seen.overMs} ms, one by one`
    case 'sdk-value':
      return `the response shows ${show(seen.value)}; the SDK returned the same`
    case 'sdk-error':
      return `${seen.error}: ${seen.message}`
    case 'charge':
      return `${seen.bills.map(describeBill).join(', ')}: ${describePrice(seen.reading)}`
    case 'price':
      return describePrice(seen.reading)
    case 'units-charged':
      return seen.units === 0 ? 'nothing was charged' : `${formatCredits(seen.units)} were charged`
    case 'charged':
      return 'something was charged'
    case 'within-balance':
      return 'some were served within the balance, the others answered 402'
    case 'limited':
      return `${seen.limited} of ${seen.requests} were answered 429`
    case 'models-without-credits':
      return `${seen.rejected} of ${seen.models} models answered 402, and none was served`
    case 'retry-after':
      return `${seen.seconds} s`
    case 'recovered':
      return seen.retryAfterS === undefined
        ? `served again after ${seen.waitedS} s; no Retry-After said when`
        : `Retry-After said ${seen.retryAfterS} s; served again after ${seen.waitedS} s`
    case 'variants':
      return `${seen.served} of ${seen.variants} other requests were served, all with such a response`
    case 'no-size':
      return `no size to ask for could be read: ${seen.problem === 'not-served' ? 'the image was not served' : IMAGE_PROBLEMS[seen.problem]}`
    case 'header':
      return `answered ${seen.actualStatus}, ${seen.header}: ${seen.value ?? 'none'}`
    case 'challenge':
      return seen.value === null
        ? `${seen.actualStatus} without WWW-Authenticate`
        : `${seen.actualStatus} with WWW-Authenticate: ${seen.value}`
    case 'by-model':
      return seen.responses.map((one) => `${one.model} for ${one.operation}: ${describeResponse(one)}`).join('; ')
    case 'stream-frames':
      return describeFrames(seen)
    case 'stream-usage':
      return STREAM_USAGE[seen.usage]
    case 'image-url':
      return IMAGE_PROBLEMS[seen.problem]
    case 'sound':
      return `${(seen.durationMs / 1000).toFixed(1)} s of sound in ${seen.frames} frames`
    case 'transcript':
      return `answered ${seen.actualStatus}, with ${seen.heard} of the ${seen.spoken} words spoken`
    case 'connection':
      return describeConnection(seen)
    case 'error-body':
      return describeErrorBody(seen)
    case 'header-names':
      return seen.names.length === 0 ? 'none' : seen.names.join(', ')
    case 'images':
      return `${seen.images} images`
    case 'prompt-tokens':
      return `answered ${seen.actualStatus}, ${seen.promptTokens} prompt tokens`
  }
}

type SeenOf<Kind extends Seen['kind']> = Extract<Seen, { kind: Kind }>

function describePrice(reading: PriceReading): string {
  if (reading === 'all-tokens') return 'prompt and completion at the price of the table'
  if (reading === 'completion-only') return 'the completion at the price of the table, the prompt free'
  const { byTable, otherUnits } = reading
  const other = byTable === 'prompt' ? 'completion' : 'prompt'
  return `the ${byTable} at the price of the table, the ${other} at ${formatCredits(otherUnits)} a token`
}

function describeFrames({ json, names, done, usage }: SeenOf<'stream-frames'>): string {
  return [
    json ? 'JSON events' : 'events that are no JSON',
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
      return 'the target closes it after an answer, and does not say so'
    case 'closed':
      return `the target closes it after an answer (connection: ${seen.header ?? 'none'})`
  }
}

function describeErrorBody({ actualStatus, members, error, code }: SeenOf<'error-body'>): string {
  if (members === null) return `a ${actualStatus} without a JSON object`
  const inError = error === undefined ? 'nothing' : 'value' in error ? show(error.value) : error.join(', ')
  const shownCode = code === undefined ? 'nothing' : show(code)
  return `a ${actualStatus} with the members ${members.join(', ')}; error: ${inError}; code ${shownCode}`
}

export const IMAGE_PROBLEMS: Readonly<Record<ImageProblem, string>> = {
  'no-url': 'the answer has no url',
  'outside-base-address': 'the url does not begin with the base address: nothing else is contacted',
  'not-an-image': 'the file does not begin like an image',
  empty: 'the file is empty',
  'no-extension': 'the name has no image file extension',
  'no-size': 'the file does not tell its size',
}

/** Describes usage and charge of a chat. */
export function describeBill({ prompt, completion, units }: Bill): string {
  return `${formatCredits(units)} for ${prompt} prompt and ${completion} completion tokens`
}

/** Formats credits without trailing zeros. */
export function formatCredits(units: number): string {
  return `${Number((units / UNITS_PER_CREDIT).toFixed(6))} credits`
}
