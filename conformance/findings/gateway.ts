import { defineFinding, formatList } from './define.ts'
import type { JsonExcerpt, ResponseParams } from './fact-params.ts'
import { formatExcerpt } from './json-excerpt.ts'
import { formatCount } from '../../common/format-count.ts'
import { describeResponse } from './responses.ts'

/*
 * Findings about a gateway, which compare its two ends: the client, and the upstream. `contract/gateway.md` contains the
 * sentences that they violate.
 */

/** Parts of a response or a request that a gateway forwards, as phrases in the singular. */
const PARTS = {
  text: 'text',
  'tool-calls': 'list of tool calls',
  'tool-call-ids': 'list of tool call IDs',
  'finish-reason': 'finish_reason',
  usage: 'usage',
  speech: 'audio file',
  transcription: 'text',
  file: 'uploaded file',
  'file-name': 'name of the uploaded file',
  'file-type': 'media type of the uploaded file',
  messages: 'list of messages',
  parameter: 'parameter',
  tools: 'list of tools',
} as const

export type ForwardedPart = keyof typeof PARTS

/** A part that did not arrive as it was sent. */
type ChangedPart = {
  readonly part: ForwardedPart
  readonly sent: JsonExcerpt
  readonly arrived?: JsonExcerpt
  readonly damage?: 'replaced-characters' | 'missing-end' | 'missing-part' | 'repeated-part' | 'other-text'
  readonly isStream?: boolean
  /** How the upstream sent its response, if not in its usual form: options of the emulator. */
  readonly form?: JsonExcerpt
  readonly name?: string
}

const DAMAGES = {
  'replaced-characters': 'characters are replaced with U+FFFD',
  'missing-end': 'the end is missing',
  'missing-part': 'a part is missing',
  'repeated-part': 'a part is repeated',
  'other-text': 'the texts differ',
} as const

/** How the upstream failed, as JSON that distinguishes its failures: a status, a body, or a place of a lost response. */
export interface UpstreamFailure {
  readonly status?: number
  readonly body?: 'json' | 'html' | 'empty' | 'broken'
  readonly lostAt?: string
  readonly errorEvent?: true
  readonly isStream: boolean
}

/** Describes a failure of the upstream as a predicate. */
export function describeFailure({ status, body, lostAt, errorEvent }: UpstreamFailure): string {
  if (status !== undefined)
    return `returned ${status}${body === undefined || body === 'json' ? '' : ` (${BODIES[body]})`}`
  if (errorEvent === true) return 'sent an error event'
  return LOSSES[lostAt ?? ''] ?? `closed the connection (${lostAt})`
}

const BODIES = { html: 'an HTML page', empty: 'an empty body', broken: 'incomplete JSON' } as const

const LOSSES: Readonly<Record<string, string>> = {
  'before-head': 'closed the connection before its response',
  'in-head': 'closed the connection within the head of its response',
  'before-first-token': 'closed the connection before the first token',
  'after-first-token': 'closed the connection after the first token',
  'in-event': 'closed the connection within an event',
  'in-body': 'closed the connection within the body',
}

const LEAKS = {
  key: "the upstream's key",
  address: "the upstream's address",
} as const

export const GATEWAY = {
  'gateway-changed': defineFinding<ChangedPart>({
    harm: ({ part }) => (part === 'usage' ? 'money' : 'data'),
    sentence: (params) => describeChange(params),
    title: ({ part, isStream, damage, name }) => {
      const where = isStream === undefined ? '' : isStream ? ' in streams' : ' in complete responses'
      const what = damage === undefined ? 'changes' : 'damages'
      return `The gateway ${what} the ${name === undefined ? PARTS[part] : `parameter \`${name}\``}${where}${damage === undefined ? '' : `: ${DAMAGES[damage]}`}`
    },
    groupBy: ({ part, damage, name }) => [part, damage, name],
  }),
  /** The data of an event of a stream is neither JSON nor `[DONE]`. */
  'gateway-broke-event': defineFinding<{ readonly data: JsonExcerpt; readonly form?: JsonExcerpt }>({
    harm: 'data',
    sentence: ({ data, form }) =>
      `the data of an event is ${formatExcerpt(data)}, which is not JSON${describeForm(form)}`,
    title: () => 'The gateway sends events that are not JSON, at which clients stop reading a stream',
  }),
  'gateway-dropped-response': defineFinding<
    ResponseParams & { readonly isStream: boolean; readonly form?: JsonExcerpt }
  >({
    harm: 'data',
    sentence: ({ form, isStream, ...response }) =>
      `the upstream completed the ${isStream ? 'stream' : 'response'}, and the gateway ${describeResponse(response)}${describeForm(form)}`,
    title: ({ isStream }) =>
      `The gateway does not forward ${isStream ? 'streams' : 'responses'} that the upstream completed`,
    groupBy: ({ isStream, error, actualStatus }) => [isStream, error ?? actualStatus],
  }),
  'gateway-hid-failure': defineFinding<{
    readonly failures: readonly UpstreamFailure[]
    readonly actualStatus: number
    readonly end?: 'done' | 'finish-reason'
  }>({
    harm: 'hidden-error',
    sentence: ({ failures, actualStatus, end }) => {
      const [first = { isStream: false }, ...others] = failures
      const more = others.length === 0 ? '' : `; the same for ${formatCount(others.length, 'other failure')}`
      return `the upstream ${describeFailure(first)}, and the client got a complete response with status ${actualStatus}${end === undefined ? '' : ` and ${END_MARKS[end]}`}${more}`
    },
    title: ({ failures }) =>
      `A failure of the upstream reaches the client as a complete ${failures.every(({ isStream }) => isStream) ? 'stream' : 'response'}`,
    groupBy: ({ failures }) => [failures.some(({ lostAt }) => lostAt !== undefined)],
  }),
  /** The body of an error response is cut, or is not JSON, although that of the upstream was. */
  'gateway-lost-error': defineFinding<ResponseParams & { readonly failures: readonly UpstreamFailure[] }>({
    harm: 'status',
    sentence: ({ failures, ...response }) => {
      const [first = { isStream: false }, ...others] = failures
      const more = others.length === 0 ? '' : `; the same for ${formatCount(others.length, 'other failure')}`
      const what =
        response.error === undefined ? `${describeResponse(response)} without JSON` : describeResponse(response)
      return `the upstream ${describeFailure(first)}${first.isStream ? ' for a stream' : ''}, and the gateway ${what}${more}`
    },
    title: ({ failures }) =>
      `The gateway loses the error messages of the upstream${failures.every(({ isStream }) => isStream) ? ' for streams' : ''}`,
  }),
  'gateway-sent-again': defineFinding<{ readonly requests: number; readonly of: number; readonly times: number }>({
    harm: 'money',
    sentence: ({ requests, of, times }) =>
      `${requests} of ${formatCount(of, 'request')} arrived at the upstream ${times} times, although the upstream served the first one`,
    title: () => 'The gateway sends requests several times, which the upstream charges',
  }),
  'gateway-repeated-cut': defineFinding<{ readonly sent: JsonExcerpt; readonly arrived: JsonExcerpt }>({
    harm: 'data',
    sentence: ({ sent, arrived }) =>
      `the response to the repeated request is ${formatExcerpt(arrived)}, the start of a response that was cut, instead of ${formatExcerpt(sent)}`,
    title: () => 'The gateway caches responses that were cut',
  }),
  'gateway-mixed': defineFinding<{ readonly responses: number; readonly of: number; readonly isStream: boolean }>({
    harm: 'data',
    sentence: ({ responses, of }) =>
      `${responses} of ${formatCount(of, 'parallel response')} contain text of another request`,
    title: () => 'Parallel responses contain text of other requests',
  }),
  'gateway-leaked': defineFinding<{
    readonly secret: keyof typeof LEAKS
    readonly place: 'body' | 'header'
    readonly actualStatus: number
    readonly header?: string
  }>({
    harm: 'data',
    sentence: ({ secret, place, actualStatus, header }) =>
      `the ${place === 'header' ? `header ${header}` : 'body'} of a response with status ${actualStatus} contains ${LEAKS[secret]}`,
    title: ({ secret }) => `Responses contain ${LEAKS[secret]}`,
    groupBy: ({ secret }) => [secret],
  }),
  'gateway-kept-running': defineFinding<{
    readonly isStream: boolean
    readonly tokens: number
    readonly arrivals?: number
  }>({
    harm: 'money',
    sentence: ({ isStream, tokens, arrivals }) => {
      const what =
        arrivals === undefined
          ? `the upstream generated the whole response (${formatCount(tokens, 'token')})`
          : `the gateway sent the request ${arrivals} times`
      return `the client disconnected ${isStream ? 'during the stream' : 'before the response'}, and ${what}`
    },
    title: () => 'The gateway does not abort the upstream request when the client disconnects',
  }),
  'gateway-lost-slots': defineFinding<
    ResponseParams & { readonly after: keyof typeof BEFORE_LOSS; readonly requests: number }
  >({
    harm: 'hang',
    sentence: ({ after, requests, ...response }) =>
      `after ${formatCount(requests, BEFORE_LOSS[after])}, the gateway ${describeResponse(response)} for the next request`,
    title: ({ after }) => `The gateway serves no more requests after several ${BEFORE_LOSS[after]}s`,
    groupBy: ({ after }) => [after],
  }),
  /** While other clients disconnected, the gateway also ended a stream whose client was waiting. */
  'gateway-aborted-other': defineFinding<ResponseParams & { readonly requests: number }>({
    harm: 'data',
    sentence: ({ requests, ...response }) =>
      `while clients aborted ${requests} requests, the gateway also left the stream of another at the upstream, and ${describeResponse(response)}`,
    title: () => 'If a client disconnects, the gateway also aborts the requests of others',
  }),
  'gateway-cached-other-request': defineFinding<{ readonly parts: readonly string[] }>({
    harm: 'data',
    sentence: ({ parts }) =>
      `a request with another value of ${formatList(parts)} got a response from a cache, without a request to the upstream`,
    title: ({ parts }) => `The gateway has a cache that ignores ${formatList(parts)}`,
  }),
  'gateway-held-back': defineFinding<{ readonly events: number }>({
    harm: 'hang',
    sentence: ({ events }) =>
      `the gateway held back most of ${events} events for more than half of the time until the upstream sent the next one`,
    title: () => 'The gateway holds back the events of streams',
  }),
} as const

const BEFORE_LOSS = { aborts: 'aborted request', failures: 'failed response' } as const

const END_MARKS = { done: '[DONE]', 'finish-reason': 'a finish_reason' } as const

function describeChange({ part, sent, arrived, damage, form, name, isStream }: ChangedPart): string {
  const what = name === undefined ? PARTS[part] : `parameter ${name}`
  const how = describeForm(form)
  const where = isStream === true ? ' of the stream' : ''
  if (arrived === undefined) return `the ${what}${where} ${formatExcerpt(sent)} did not arrive${how}`
  const problem = damage === undefined ? '' : ` (${DAMAGES[damage]})`
  return `the ${what}${where} arrived as ${formatExcerpt(arrived)} instead of ${formatExcerpt(sent)}${problem}${how}`
}

function describeForm(form: JsonExcerpt | undefined): string {
  return form === undefined ? '' : `, if the upstream sends ${formatExcerpt(form)}`
}
