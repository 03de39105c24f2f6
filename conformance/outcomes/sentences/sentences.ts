import type { FindingCode, FindingWithCode, FindingParams, Outcome, StreamEnd, StreamProblem } from '../outcome.ts'
import type { MissingEvidence } from '../missing-evidence.ts'
import { type OptionNameFormatter, formatLibraryOption } from '../../options/option-names.ts'
import { RUN_OBSTACLE_SENTENCES } from '../run-obstacle.ts'
import { AGENT_SENTENCES } from './agents.ts'
import { describeExpectation } from './expectations.ts'
import { describeMp3 } from './media.ts'
import { formatKeyAdvice, KEY_NAMES } from './keys.ts'
import {
  formatCount,
  describeDifference,
  describeFlake,
  describeNoResponse,
  describeResponse,
  describeServedVariant,
  describeUnservedRequest,
} from './responses.ts'
import { describeCharge, describeFact, IMAGE_PROBLEMS } from './observed-facts.ts'
import type { BreakdownGroup } from '../observed-facts.ts'
import { formatExcerpt } from '../json-excerpt.ts'

/*
 * Formats the texts `expected` and `actual` of a document from an outcome. No other module writes these texts. The
 * texts of observations are a public interface, because target files may contain them (`declares`).
 */

/**
 * Texts of an outcome: one phrase for each alternative that meets the expectation, and the sentence for the finding.
 */
export interface OutcomeTexts {
  readonly expected: readonly string[]
  readonly actual: string
}

/** Renders the texts of an outcome. `name` formats the names of options. */
export function describeOutcome(outcome: Outcome, name: OptionNameFormatter = formatLibraryOption): OutcomeTexts {
  const { expected, difference } = outcome
  const found = describeFinding<FindingCode>(outcome, name)
  return {
    expected: expected === undefined ? [] : describeExpectation(expected),
    actual: difference === undefined ? found : `${describeDifference(difference)}: ${found}`,
  }
}

/** Formats the sentence for a finding. Omits how its request differs from the plain request. */
export function describeFinding<Code extends FindingCode>(
  { code, params }: FindingWithCode<Code>,
  name: OptionNameFormatter = formatLibraryOption,
): string {
  return SENTENCES[code](params, name)
}

const SENTENCES: {
  readonly [Code in FindingCode]: (params: FindingParams[Code], name: OptionNameFormatter) => string
} = {
  'as-expected': (params) => (params.seen === undefined ? 'as expected' : describeFact(params.seen)),
  'bound-not-reached': (params) => `${params.actual} tokens: below max_tokens`,
  'observed-response': (params) => {
    const { tried, seen } = params
    return tried === undefined ? describeFact(seen) : `${tried}: ${describeFact(seen)}`
  },
  'unexpected-status': (params) => describeResponse(params),
  'no-response': describeNoResponse,
  'missing-field': (params) => `${params.path} is missing`,
  'wrong-type': (params) => `${params.path} is ${formatExcerpt(params.actual)}`,
  'wrong-value': (params) => {
    const { path, actual, unit, lacks } = params
    const reason =
      unit === 'ms' ? ': milliseconds, not seconds' : lacks === 'extension' ? ', without an image file extension' : ''
    return `${path} is ${formatExcerpt(actual)}${reason}`
  },
  'wrong-count': (params) => `${params.path} has ${formatCount(params.actualCount, 'item')}`,
  'bound-exceeded': (params) =>
    `${params.path} is ${params.actual}${params.bound === undefined ? '' : `, and the bound ${params.bound}`}`,
  'truncated-below-default': ({ actual }) =>
    `finish_reason is "length" after ${formatCount(actual, 'token')}, although the request has no max_tokens`,
  'text-exceeds-bound': (params) =>
    `no usage, but ${params.words} words${params.events === undefined ? '' : ` in ${params.events} events`}: a word is at least one token`,
  'duplicate-value': (params) => `both have the ${params.path} ${formatExcerpt(params.actual)}`,
  'model-listed-again': ({ model }) => `the list contains the id ${formatExcerpt(model)} more than once`,
  'models-not-listed': (params) => `not listed: ${params.missing.join(', ')}`,
  'served-only-otherwise': (params) =>
    `${describeResponse(params)}, but served the request ${describeServedVariant(params.servedWith)}`,
  'rejected-in-all-forms': (params) =>
    params.responses.map((one) => `${one.form}: ${describeResponse(one)}`).join('; '),
  'unexpected-media-type': (params) => `the media type is "${params.actualMediaType}"`,
  'missing-header': (params) => `the header ${params.header} is missing`,
  'wrong-header': (params) => `${params.header} is ${JSON.stringify(params.actual)}`,
  'wrong-body': (params) => WRONG_BODIES[params.problem],
  'stream-malformed': (params) => {
    const { problem, actual } = params
    return actual === undefined ? STREAM_PROBLEMS[problem] : `${STREAM_PROBLEMS[problem]}: ${formatExcerpt(actual)}`
  },
  ...AGENT_SENTENCES,
  'error-in-stream': (params) => `${STREAM_ERRORS[params.form]}: ${formatExcerpt(params.actual)}`,
  'stream-cut': (params) => `ends ${describeEnd(params.end)}; a single stream ends ${describeEnd(params.singleEnd)}`,
  'stream-in-bursts': (params) => {
    const { events, bursts, pauseMs, totalMs } = params
    return `${events} events arrived in ${bursts} bursts, about ${pauseMs} ms apart, over ${totalMs} ms`
  },
  'streams-timed-out': ({ streams, afterMs, events, complete }) => {
    const each = streams === 1 ? '' : 'each '
    const which = `${formatCount(streams, 'stream')} stopped before the end, ${each}after ${(afterMs / 1000).toFixed(1)} s`
    return `${which}, with ${events.join(', ')} events; ${formatCount(complete, 'shorter stream')} ${complete === 1 ? 'was' : 'were'} complete`
  },
  'streams-without-end': ({ streams, events, complete }) =>
    `${formatCount(streams, 'stream')} ended without [DONE] and without a finish_reason, after ${events.join(', ')} events; ${complete} ${complete === 1 ? 'was' : 'were'} complete`,
  'stream-held-back': (params) => {
    const { events, spreadMs, totalMs, growthMs } = params
    const seconds = (totalMs / 1000).toFixed(1)
    return `all ${events} events arrived within ${spreadMs} ms, after ${seconds} s; the target took ${growthMs} ms of this time to generate the completion`
  },
  'stream-later-than-plain': ({ events, spreadMs, totalMs, plainMs }) =>
    `all ${formatCount(events, 'event')} arrived within ${spreadMs} ms, after ${(totalMs / 1000).toFixed(1)} s; without stream the same request was complete after ${(plainMs / 1000).toFixed(1)} s`,
  'compressed-stream-buffered': ({ encoding, events, groups, firstMs, plainFirstMs }) => {
    const how = groups === 1 ? 'all at once' : `in ${groups} groups`
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
    return `${events} events compressed with ${encoding} arrived ${how}, the first after ${seconds(firstMs)}; without compression they arrived one by one, the first after ${seconds(plainFirstMs)}`
  },
  'cross-talk': (params) => {
    const { of, position, responses } = params
    return `response ${position} of ${responses} has the ${of} of another`
  },
  'words-lost': ({ words, of, lost }) =>
    `the stream lacks ${words} of the ${of} words of the completion of an identical request: ${formatExcerpt(lost)}`,
  'mp3-malformed': (params) => describeMp3(params),
  'wrong-image': (params) => describeImage(params),
  'key-without-prefix': () => 'a key without the prefix was accepted',
  'wrong-charge': (params) => `charged ${params.bills.map(describeCharge).join(', ')}`,
  'balance-exceeded': (params) => describeSpending(params),
  'balance-not-used-up': (params) => `${describeSpending(params)}: they were too short to use up the balance`,
  'limit-not-enforced': (params) => describeMissingLimit(params),
  'limit-shared-between-keys': () => 'the other key got a 429 during the burst, and was served without it',
  'not-recovered': (params) => {
    const { waitedS, retryAfterS } = params
    return retryAfterS === undefined
      ? `still 429 after ${waitedS} s`
      : `Retry-After was ${retryAfterS} s, but requests succeeded again only after ${waitedS} s`
  },
  'requests-broke-down': ({ broken, requests, by }) =>
    `${broken} of ${formatCount(requests, 'request')} broke down, even when repeated: ${describeGroups(by)}`,
  'requests-flaked': ({ flakes, incidents, requests, by, first }) => {
    const counted = incidents < flakes ? ` (${formatCount(incidents, 'incident')}: an outage counts once)` : ''
    const succeeded = 'succeeded when repeated'
    return `${flakes} of ${formatCount(requests, 'request')} broke down once, and ${succeeded}${counted}: ${describeGroups(by)}. The first: ${describeFlake(first)}`
  },
  'sdk-differs': (params) => {
    const { wire, sdk, error, message } = params
    const seen = wire === undefined ? 'nothing' : formatExcerpt(wire)
    const got =
      error === undefined
        ? `returned ${sdk === undefined ? 'nothing' : formatExcerpt(sdk)}`
        : `threw ${error}: ${message}`
    return `the response shows ${seen}; the SDK ${got}`
  },
  'sdk-error-differs': (params) => {
    const { actualStatus, error, message, body } = params
    if (body !== undefined) return `the response shows ${formatExcerpt(body)}; the SDK shows "${message}"`
    return `the response has status ${actualStatus}; the SDK threw ${error === undefined ? 'no error' : `${error}: ${message}`}`
  },
  'request-broke-down': (params) =>
    `the request broke down, even when repeated: the target ${describeResponse(params)}`,
  'request-not-served': (params, name) => describeUnservedRequest(params, name),
  'control-request-not-served': (params, name) =>
    `the control request was not served, so the error response proves nothing: ${describeUnservedRequest(params, name)}`,
  'no-evidence': (params, name) => MISSING_EVIDENCE[params.missing](name),
  'error-not-provoked': (params) => `there is no ${params.status} to check: the target ${describeResponse(params)}`,
  'plain-stream-is-none': (params) =>
    `the response to the plain request with stream: true is not a stream: the media type is "${params.actualMediaType}"`,
  'plain-response-deviates': (params, name) =>
    `the plain response deviates too: ${describeFinding<FindingCode>(params.deviation, name)}`,
  'image-unreadable': (params) => describeImage(params),
  'image-not-served': (params) => `the image: ${describeResponse(params)}`,
  'limit-not-reached': (params, name) => describeUnreachedLimit(params, name),
  'key-rate-limited': (params) =>
    `${KEY_NAMES[params.key]} is rate limited for ${params.retryAfterS} s, longer than the suite waits: run it again after that`,
  'key-invalid': (params, name) => `${KEY_NAMES[params.key]} is not valid (401): ${formatKeyAdvice(params.key, name)}`,
  'key-rejected': (params, name) =>
    `${KEY_NAMES[params.key]} ${describeResponse(params)}: ${formatKeyAdvice(params.key, name)}`,
  'keys-swapped': (params) =>
    `${KEY_NAMES[params.served]} was served, and ${KEY_NAMES[params.rejected]} got a 402: the two keys seem to be swapped`,
  'balance-unreadable': (params) =>
    `the balance at ${params.path} cannot be read: the target ${describeResponse(params)}`,
  'balance-not-a-number': (params) => {
    const { path, pointer, actual } = params
    return `the balance at ${path} has no number of credits at ${pointer}, but ${actual === undefined ? 'nothing' : formatExcerpt(actual)}`
  },
  'balance-too-large': (params) =>
    `${params.credits} credits are too many for ${params.requests} small chats: declare an account with fewer`,
  'balance-used-up': (params) => `the small key has no credits left: add ${params.credits} again`,
  'sdk-sent-nothing': (params) => `the SDK sent nothing: ${params.message}`,
  'check-crashed': (params) => `The check itself failed: ${params.name}: ${params.message}`,
  'too-many-requests': (params) => `The check sent ${params.sent} requests and declares at most ${params.declared}.`,
  'run-failed': (params) => `The suite itself failed: ${params.message}.`,
  ...RUN_OBSTACLE_SENTENCES,
}

function describeGroups(groups: readonly BreakdownGroup[]): string {
  return groups
    .map(({ endpoint, largeBody, invalidUtf8, stream, model, requests, ...response }) => {
      const request = `${endpoint}${largeBody === undefined ? '' : ' with a body of 2 MB'}${invalidUtf8 === undefined ? '' : ' with invalid UTF-8'}${stream === undefined ? '' : ` ${stream ? 'with' : 'without'} stream true`}${model === undefined ? '' : ` for ${model}`}`
      return `${request} ${describeResponse(response)} ${requests === 1 ? 'once' : `${requests} times`}`
    })
    .join('; ')
}

function describeSpending({ served, requests, credits, balance }: FindingParams['balance-exceeded']): string {
  return `${served} of ${requests} parallel chats were served, for at least ${credits} of ${balance} credits`
}

const WRONG_BODIES = {
  empty: 'the body is empty',
  'not-a-json-object': 'the body is not a JSON object',
  json: 'the body is JSON',
  present: 'the response has a body',
  'byte-order-mark': 'the body starts with a byte order mark',
} as const

const STREAM_PROBLEMS: Readonly<Record<StreamProblem, string>> = {
  'no-events': 'the body contains no event',
  'no-chunks': 'there is no event besides [DONE]',
  'no-choices': 'no event has choices',
  'not-json': 'an event is not a JSON object',
  'several-ids': 'the ids differ',
  'wrong-role': 'the role in the first delta is wrong',
  'no-role': 'the first delta has no role',
  'content-not-text': 'a delta.content is not a string',
  'no-spaces': 'the text of the deltas contains no space',
  'no-content': 'no delta has content',
  'no-finish-reason': 'the last chunk has no finish_reason',
  'early-finish-reason': 'an earlier chunk contains a finish_reason, and text follows it',
  'repeated-finish-reason': 'two chunks contain a finish_reason',
  'error-member': 'a chunk contains "error"',
  'empty-choices': 'an event has no choices',
  'no-done': 'there is no [DONE]',
  'event-after-done': 'events follow after [DONE]',
  'no-blank-line': 'the blank line after the last frame is missing',
}

const STREAM_ERRORS = {
  'event-name': 'an event is named "error"',
  type: 'an event has the type "error"',
  'error-member': 'an event reports an error',
} as const

function describeEnd({ finishReason, done }: StreamEnd): string {
  return `${finishReason ? 'with' : 'without'} a finish_reason, ${done ? 'with' : 'without'} [DONE]`
}

function describeImage({
  problem,
  name,
  actualFormat,
  actualMediaType,
  actualSize,
}: FindingParams['wrong-image']): string {
  switch (problem) {
    case 'other-format':
      return `the file ${name} is ${actualFormat}`
    case 'other-media-type':
      return `the media type is "${actualMediaType}", and the file is ${actualFormat}`
    case 'other-size':
      return `the ${actualFormat} file is ${actualSize}`
    default:
      return name === undefined ? IMAGE_PROBLEMS[problem] : `${name}: ${IMAGE_PROBLEMS[problem]}`
  }
}

function describeMissingLimit({
  requests,
  rejected,
  actualStatus,
  servedAfterS,
  declared,
}: FindingParams['limit-not-enforced']): string {
  if (actualStatus === undefined) {
    const limit = declared === undefined ? '' : `; ${describeLimit(declared)}`
    return `none of ${requests} parallel chats got a 429, twice in a row${limit}`
  }
  const seen = `${rejected} of ${requests} got a ${actualStatus}`
  return servedAfterS === undefined
    ? `${seen}, and others were served`
    : `${seen}. The key has credits: its requests were served again after ${servedAfterS} s`
}

function describeLimit({ requests, seconds }: { readonly requests: number; readonly seconds: number }): string {
  return `the declared limit is ${requests} requests in ${seconds} s`
}

function describeUnreachedLimit(
  { requests, declared }: FindingParams['limit-not-reached'],
  name: OptionNameFormatter,
): string {
  const seen = `none of ${requests} parallel chats got a 429`
  const advice = `set ${name('limitedBurst')} to a number that exceeds it`
  if (declared === undefined) {
    return `${seen}, and the limit of the key is not known: ${advice}, or declare the limit in the target file (limits.limitedKey)`
  }
  return requests > declared.requests
    ? `${seen}, but they took longer than the window: ${describeLimit(declared)}`
    : `${seen}, and ${describeLimit(declared)}: ${advice}`
}

const MISSING_EVIDENCE: Readonly<Record<MissingEvidence, (name: OptionNameFormatter) => string>> = {
  result: () => 'the target returned 2xx, but the body contains no part of a result of this operation',
  'whole-response': () => 'max_tokens truncated the response, so a part may be missing',
  usage: () => 'the response does not report its tokens: see 2.3/usage',
  'token-count': () => 'usage.completion_tokens is 0, although the completion contains text',
  'served-model': () => 'no model of the list served the request',
  'listed-model': () => 'the list of models is empty: see 2.1/all-listed',
  'unsized-image': () => 'the target generated no image for a request without a size',
  'accepted-size': () => 'the target accepted no size that the suite tried',
  'limited-response': (name) =>
    `no request of the burst got a 429: see 7/rate-limit-exceeded, or set ${name('limitedBurst')} to a higher number`,
  'other-key-served-alone': () => 'the funded key was not served without a burst either',
  'steady-balance': (name) =>
    `other requests change the balance: set ${name('keys.funded')} to a key of an account that nothing else uses`,
  'response-402': () => 'no model returned 402: see the checks of single operations',
  'timely-retry': () => 'the suite sent the retry too late: in time, the target might have rejected it',
  'event-times': () =>
    'too few events arrived, or they arrived too quickly, to show whether the target sends them during generation',
  'stream-length': () =>
    'the streams contain neither usage nor text that the suite can count: send usage in streams, or list this check in acceptedNotTestable of the target file',
  'recorded-response': () =>
    'the run has no response for this check, which evaluates the responses to other checks of the operation',
  'conforming-chat-errors': () =>
    'the error bodies of chat deviate too, or no other operation returned an error: see 7/error-body-400',
  'recorded-stream': () =>
    'the run has no stream for this check, which evaluates the streams that other checks request',
  'texts-to-compare': () => 'the run has no stream with text whose request also ran without streaming',
  'recognizable-end': () =>
    'no stream ends with [DONE] or a finish_reason: a stream that was cut looks the same as a complete one',
  'stream-ends': () => 'some streams were cut, but not all after the same time: see 7/breakdown-chat',
  'cut-completion': () => 'no completion reached its max_tokens',
  'retry-after': () => 'requests with the key failed for half a minute, and no Retry-After header says when to retry',
  'completion-id': () => 'a completion has no id: see 2.3/id',
  'own-id': () => 'the responses contain neither an id nor the text of their requests, so they cannot be distinguished',
  request: () => 'no request was sent',
  'request-of-operation': () => 'this run sent no valid request of this operation',
  deadline: (name) => `requests of this operation timed out: increase ${name('timeoutMs')}`,
}
