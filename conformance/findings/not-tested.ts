import type { OptionNameFormatter } from '../options/table-options.ts'
import type { KeyRole } from '../requests/api-request.ts'
import { type AnyFinding, defineFinding, defineRunFinding } from './define.ts'
import { describeFailure, type UpstreamFailure } from './gateway.ts'
import { formatExcerpt } from './json-excerpt.ts'
import { describeSpending, formatKeyAdvice, type Spending } from './keys-and-credits.ts'
import { type DeclaredRateLimit, describeLimit } from './limits.ts'
import { describeImage, type ImageProblem } from './media.ts'
import type { JsonExcerpt, ResponseParams } from './fact-params.ts'
import { BUFFERING_REMEDY } from './streams.ts'
import { describeResponse, describeUnservedRequest } from './responses.ts'

/*
 * Reasons why a check is not testable, and errors of the suite itself. A cause quotes the sentence of its first check.
 */

/** Evidence that a check requires and that is missing from a response or a run. */
const MISSING_EVIDENCE = {
  result: () => 'the target returned 2xx, but the body contains no part of a result of this operation',
  'whole-response': () => 'max_tokens truncated the response, so a part may be missing',
  usage: () => 'the response does not report its tokens: see 2.3/usage',
  'token-count': () => 'usage.completion_tokens is 0, although the completion contains text',
  'prompt-price': () =>
    'the chats are within the balance only if prompts are free, and no balance shows whether they are: declare the field balance in a target file',
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
    'too few events arrived, or they arrived too quickly, to show whether the target sends them during generation: declare a slower model (models.chat of a target file), or compare a gateway with its upstream (touchstone load --upstream)',
  'certain-bursts': () =>
    `the events of some streams arrived in bursts, but too few streams did so for a verdict. If a proxy buffers them, ${BUFFERING_REMEDY}. To be certain, compare a gateway with its upstream (touchstone load --upstream), or run on an idle machine`,
  'stream-length': () =>
    'the streams contain neither usage nor text that the suite can count: send usage in streams, or list this check in acceptedNotTestable of the target file',
  'recorded-response': () => 'no request of this run got a response that this check can evaluate',
  'recorded-stream': () => 'no request of this run got a stream that this check can evaluate',
  'texts-to-compare': () => 'the run has no stream with text whose request also ran without streaming',
  'recognizable-end': () =>
    'no stream ends with [DONE] or a finish_reason: a stream that was cut looks the same as a complete one',
  'stream-ends': () => 'some streams were cut, but not all after the same time: see 7/breakdown-chat',
  'cut-completion': () => 'no completion reached its max_tokens',
  'retry-after': () => 'requests with the key failed for half a minute, and no Retry-After header says when to retry',
  'completion-id': () => 'a completion has no id: see 2.3/id',
  request: () => 'no request was sent',
  'request-of-operation': () => 'this run sent no valid request of this operation',
  deadline: (name) => `requests of this operation timed out: increase ${name('timeoutMs')}`,
} as const satisfies Readonly<Record<string, (name: OptionNameFormatter) => string>>

export type MissingEvidence = keyof typeof MISSING_EVIDENCE

/** Values of the parameter `missing` of a finding. */
export const MISSING_EVIDENCE_NAMES: readonly string[] = Object.keys(MISSING_EVIDENCE)

type UnreachedLimit = { readonly requests: number; readonly declared?: DeclaredRateLimit }

function describeUnreachedLimit({ requests, declared }: UnreachedLimit, name: OptionNameFormatter): string {
  const seen = `none of ${requests} parallel chats got a 429`
  const advice = `set ${name('limitedBurst')} to a number that exceeds it`
  if (declared === undefined) {
    return `${seen}, and the limit of the key is not known: ${advice}, or declare the limit in the target file (limits.limitedKey)`
  }
  return requests > declared.requests
    ? `${seen}, but they took longer than the window: ${describeLimit(declared)}`
    : `${seen}, and ${describeLimit(declared)}: ${advice}`
}

function groupByResponse({ actualStatus, error, isErrorInStream, isErrorInBody }: ResponseParams): readonly unknown[] {
  return [error ?? actualStatus, isErrorInStream, isErrorInBody]
}

/** Returns what to configure if a gateway does not forward a request because of its key or its model. */
function adviseOn({ actualStatus, error }: ResponseParams, name: OptionNameFormatter): string {
  if (error !== undefined) return ''
  if (actualStatus === 401 || actualStatus === 403)
    return `: set ${name('keys.funded')} to a key of the gateway, and configure a key of the emulator in the gateway`
  const mayBeModel = actualStatus === 400 || actualStatus === 404
  return mayBeModel ? ': name a model that the gateway forwards there with --model' : ''
}

export const NOT_TESTED = {
  'upstream-unusable': defineFinding<{
    readonly upstream: string
    readonly problem: string
    /** Present if the emulator rejected the control token, or got none. */
    readonly needsToken?: true
  }>({
    sentence: ({ upstream, problem, needsToken }, { name }) =>
      `the emulator at ${upstream} is not usable as an upstream: ${problem}. ${needsToken === true ? `Set ${name('upstreamToken')} to its control token` : `Start it with "touchstone emulator", or correct ${name('upstream')}`}`,
    groupBy: ({ upstream }) => [upstream],
  }),
  'upstream-not-reached': defineFinding<{ readonly upstream: string; readonly model: string }>({
    sentence: ({ upstream, model }) =>
      `a chat with the model ${model} did not arrive at ${upstream}: configure this address, a key of the emulator and the model in the gateway, or name a model that the gateway forwards there (models in a target file)`,
    groupBy: ({ upstream }) => [upstream],
  }),
  'request-not-forwarded': defineFinding<ResponseParams>({
    harm: 'status',
    sentence: (params, { name }) =>
      `the gateway ${describeResponse(params)}, and the request did not arrive at the upstream${adviseOn(params, name)}`,
    groupBy: groupByResponse,
  }),
  'gateway-hung': defineFinding<{ readonly failure: UpstreamFailure; readonly waitedMs: number }>({
    harm: 'hang',
    sentence: ({ failure, waitedMs }) =>
      `after the upstream ${describeFailure(failure)}, the gateway kept the client waiting for more than ${Math.round(waitedMs / 1000)} s: close the connection to the client when that of the upstream ends`,
  }),
  'gateway-not-recovered': defineFinding<{ readonly waitedMs: number }>({
    harm: 'status',
    sentence: ({ waitedMs }) =>
      `the gateway still rejects requests ${Math.round(waitedMs / 1000)} s after a failure of the upstream: shorten its cool-down for the test, or find out whether failures occupy its slots`,
  }),
  /** The request broke down twice, although it was not invalid. The breakdown check of the operation reports it. */
  'request-broke-down': defineFinding<ResponseParams>({
    harm: 'status',
    sentence: (params) => `the target ${describeResponse(params)}, even when the request was repeated`,
    groupBy: groupByResponse,
  }),
  /** The target did not serve a valid request, or the tester's account or network prevented a response. */
  'request-not-served': defineFinding<ResponseParams>({
    harm: 'status',
    sentence: (params, { name }) => describeUnservedRequest(params, name),
    groupBy: groupByResponse,
  }),
  'control-request-not-served': defineFinding<ResponseParams>({
    harm: 'status',
    sentence: (params, { name }) =>
      `the error response proves nothing, because the control request was not served: ${describeUnservedRequest(params, name, 'the target')}`,
    groupBy: groupByResponse,
  }),
  'no-evidence': defineRunFinding<{ readonly missing: MissingEvidence }>(({ missing }, name) => {
    const describe: (name: OptionNameFormatter) => string = MISSING_EVIDENCE[missing]
    return describe(name)
  }),
  'error-not-provoked': defineFinding<ResponseParams & { readonly status: number }>({
    harm: 'status',
    sentence: (params) => `there is no ${params.status} to check: the target ${describeResponse(params)}`,
    groupBy: (params) => [params.status, ...groupByResponse(params)],
  }),
  'status-not-seen': defineFinding<{ readonly status: number }>({
    harm: 'status',
    sentence: ({ status }) => `no request that the specification covers got a ${status}`,
    groupBy: ({ status }) => [status],
  }),
  'plain-stream-is-none': defineFinding<{ readonly actualMediaType: string }>({
    sentence: ({ actualMediaType }) =>
      `the response to the plain request with stream: true is not a stream: the media type is "${actualMediaType}"`,
  }),
  /** The response to the plain request already has this deviation, which a different check reports. */
  'plain-response-deviates': defineFinding<{ readonly deviation: AnyFinding }>({
    sentence: ({ deviation }, { describe }) =>
      `the response to the plain request has the same deviation: ${describe(deviation)}`,
    groupBy: ({ deviation }) => [deviation.code],
  }),
  'image-unreadable': defineRunFinding<{ readonly problem: ImageProblem }>(describeImage),
  'image-not-served': defineFinding<ResponseParams>({
    harm: 'status',
    sentence: (params) => `the target ${describeResponse(params)} for the url of the image`,
    groupBy: groupByResponse,
  }),
  /** A burst got no 429, but it also did not exceed the declared limit, if there is one. */
  'limit-not-reached': defineFinding<UnreachedLimit>({
    sentence: (params, { name }) => describeUnreachedLimit(params, name),
  }),
  'key-rate-limited': defineFinding<{ readonly key: KeyRole; readonly retryAfterS: number }>({
    sentence: ({ key, retryAfterS }) =>
      `the ${key} key is rate limited for ${retryAfterS} s, longer than the suite waits: run it again after that`,
    groupBy: ({ key }) => [key],
  }),
  'key-invalid': defineRunFinding<{ readonly key: KeyRole }>(
    ({ key }, name) => `the ${key} key is not valid (401): ${formatKeyAdvice(key, name)}`,
  ),
  'key-rejected': defineFinding<ResponseParams & { readonly key: KeyRole }>({
    sentence: (params, { name }) =>
      `the target ${describeResponse(params)} for the ${params.key} key: ${formatKeyAdvice(params.key, name)}`,
    groupBy: (params) => [params.key, ...groupByResponse(params)],
  }),
  'keys-swapped': defineFinding<{ readonly served: KeyRole; readonly rejected: KeyRole }>({
    sentence: ({ served, rejected }) =>
      `the ${served} key was served, and the ${rejected} key got a 402: the two keys seem to be swapped`,
  }),
  'balance-unreadable': defineFinding<ResponseParams & { readonly path: string }>({
    sentence: (params) => `the balance at ${params.path} cannot be read: the target ${describeResponse(params)}`,
    groupBy: groupByResponse,
  }),
  'balance-not-a-number': defineFinding<{
    readonly path: string
    readonly pointer: string
    readonly actual?: JsonExcerpt
  }>({
    sentence: ({ path, pointer, actual }) =>
      `the balance at ${path} has no number of credits at ${pointer}, but ${actual === undefined ? 'nothing' : formatExcerpt(actual)}`,
  }),
  'balance-too-large': defineFinding<{ readonly credits: number; readonly requests: number }>({
    sentence: ({ credits, requests }) =>
      `${credits} credits are too many for ${requests} small chats: declare an account with fewer`,
  }),
  'balance-used-up': defineFinding<{ readonly credits: number }>({
    sentence: ({ credits }) => `the small key has no credits left: add ${credits} again`,
  }),
  'balance-not-used-up': defineFinding<Spending>({
    sentence: (params) => `${describeSpending(params)}: they were too short to use up the balance`,
  }),
  'sdk-sent-nothing': defineRunFinding<{ readonly message: string }>(
    ({ message }) => `the SDK sent nothing: ${message}`,
  ),
} as const

export const SUITE_ERRORS = {
  'check-crashed': defineRunFinding<{ readonly name: string; readonly message: string }>(
    ({ name, message }) => `The check itself failed: ${name}: ${message}`,
  ),
  'too-many-requests': defineFinding<{ readonly sent: number; readonly declared: number }>({
    sentence: ({ sent, declared }) => `The check sent ${sent} requests and declares at most ${declared}.`,
  }),
  'run-failed': defineFinding<{ readonly message: string }>({
    sentence: ({ message }) => `The suite itself failed: ${message}.`,
  }),
} as const
