import { parseJson } from '../../http/decode-body.ts'
import { OPERATIONS, type Operation } from '../../../contract/facts.ts'
import type { CheckEntry } from '../../../reports/conformance-document.ts'
import type { ResponseParams } from '../observed-facts.ts'
import { findFailurePhrases, labelFailure } from '../sentences/failure-phrases.ts'
import type { CheckFinding } from './finding.ts'

/**
 * Formats a list, e.g. `a`, `a and b` or `a, b and c`. Lists at most `limit` items, and states the number of the
 * others.
 */
export function formatList(items: readonly string[], { limit = 5, last = 'and' } = {}): string {
  const shown = items.length > limit ? items.slice(0, limit - 1) : items
  const all = shown.length === items.length ? items : [...shown, `${items.length - shown.length} more`]
  const [end = '', ...before] = all.toReversed()
  return before.length === 0 ? end : `${before.toReversed().join(', ')} ${last} ${end}`
}

export function getMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

/** Formats the method and path of an operation as Markdown code, e.g. `GET /v1/models`. */
export function describeEndpoint(operation: Operation): string {
  const { method, path } = OPERATIONS[operation]
  return `\`${method} ${path}\``
}

/** Lists the operations of the findings, in the order of the specification. */
export function listOperations(findings: readonly CheckFinding[]): Operation[] {
  const found = new Set(findings.map(({ operation }) => operation))
  return ALL_OPERATIONS.filter((operation) => found.has(operation))
}

/** The five operations, in the order of the specification. */
export const ALL_OPERATIONS: readonly Operation[] = ['models', 'chat', 'images', 'transcriptions', 'speech']

/**
 * Formats the operations of the findings, e.g. ` on GET /v1/models`. Returns an empty string if no other operation
 * conforms. If fewer other operations conform than deviate, lists those instead, e.g. ` except on GET /v1/models`. If
 * all requests ask for a stream, names the streams.
 */
export function formatScope(members: readonly CheckFinding[], conforming: ReadonlySet<Operation>): string {
  const operations = listOperations(members)
  if (members.every(concernsStream)) return ON_STREAMS
  const others = ALL_OPERATIONS.filter((operation) => conforming.has(operation) && !operations.includes(operation))
  if (others.length === 0) return ''
  const isShorter = others.length < operations.length
  return ` ${isShorter ? 'except on' : 'on'} ${formatList((isShorter ? others : operations).map(describeEndpoint))}`
}

/** Place of findings that concern only streams. */
export const ON_STREAMS = ` on ${describeEndpoint('chat')} with \`stream: true\``

/**
 * Returns whether the last request that got a 2xx asks for a stream. Some targets also stream for other values of
 * `stream` that are true in their language, such as `"true"` or `[true]`.
 */
export function gotStream({ entry }: CheckFinding): boolean {
  const last = entry.evidence?.findLast(({ response }) => Math.floor((response?.status ?? 0) / 100) === 2)
  const value: unknown = getMember(parseJson(last?.request.body ?? ''), 'stream')
  return value !== undefined && value !== false
}

/** Returns whether the last request of the check asks for a stream. */
export function concernsStream({ entry }: CheckFinding): boolean {
  return getMember(parseJson(entry.evidence?.at(-1)?.request.body ?? ''), 'stream') === true
}

/** Formats a response as its status, e.g. `404`, as `2xx` for any success, or as the label of a failure. */
export function formatStatus({ actualStatus, error }: ResponseParams): string {
  if (error !== undefined) return labelFailure(error, actualStatus)
  return actualStatus >= 200 && actualStatus < 300 ? '2xx' : String(actualStatus)
}

/** Returns the noun phrase for a response, e.g. `400` or `no response in time`. */
export function formatResponseNoun(label: string): string {
  return findFailurePhrases(label)?.noun ?? label
}

/** Hint for a title. By default, nginx rejects requests beyond a limit with 503. */
export const LIMIT_WITH_503 = 'a rate limit that returns 503 instead of 429 has this effect'

/** Names of the operations' results, as subjects of titles. */
export const RESULT_NAMES: Readonly<Record<Operation, string>> = {
  models: 'The list of models',
  chat: 'Chat completions',
  images: 'Image results',
  transcriptions: 'Transcriptions',
  speech: 'Speech responses',
}

/** Returns whether the subject of a title is plural. All subjects except `The list of models` are. */
export function isPlural(subject: string): boolean {
  return !subject.startsWith('The ')
}

/** Returns `lack` or `lacks`, whichever agrees with the subject of a title. */
export function conjugateLack(subject: string): string {
  return isPlural(subject) ? 'lack' : 'lacks'
}

/** Describes a media type in a title, e.g. `the media type text/plain`. */
export function describeMediaType(mediaType: string): string {
  return mediaType === '' ? 'no media type' : `the media type \`${mediaType}\``
}

/** Detects the format of the last response of a check. */
export function detectResponseFormat({
  evidence = [],
}: CheckEntry): 'HTML' | 'JSON' | 'plain text' | 'empty' | 'a stream' | 'other' {
  const response = evidence.at(-1)?.response
  if (response === null || response === undefined) return 'other'
  if ((response.events ?? []).length > 0) return 'a stream'
  const body = response.body.trimStart()
  if (body === '') return 'empty'
  // Some servers, such as PHP, label JSON as HTML by default.
  if (/^[[{]/.test(body)) return 'JSON'
  const mediaType = response.headers['content-type'] ?? ''
  if (/^text\/html\b/i.test(mediaType) || /^<(?:!doctype|html)\b/i.test(body)) return 'HTML'
  return /^\(\d+ bytes, not text/.test(body) ? 'other' : 'plain text'
}

/** Detects the format of the last error response. In a burst, the last response may be a served one. */
export function detectErrorFormat(entry: CheckEntry): ReturnType<typeof detectResponseFormat> {
  const errors = (entry.evidence ?? []).filter(({ response }) => response !== null && response.status >= 400)
  return detectResponseFormat(errors.length === 0 ? entry : { ...entry, evidence: errors })
}

/** Names the last responses of the checks by their status, e.g. `429 responses`, if all have the same error status. */
export function nameErrorResponses(members: readonly CheckFinding[]): string | undefined {
  const [status = 0, ...others] = new Set(members.map(({ entry }) => entry.evidence?.at(-1)?.response?.status))
  return status >= 400 && others.length === 0 ? `${status} responses` : undefined
}
