import type { EncodedText } from '../../common/byte-string.ts'
import type { ServedOperationName } from '../operations/served-operations.ts'
import type { GeneratedResponse, GeneratedStream, PreparedOperation } from '../operations/operation.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { Clock } from '../state/clock.ts'
import type { TokenSchedule } from '../state/latency.ts'
import type { RequestHeaders } from './request-context.ts'
import { buildErrorBody, buildErrorHeaders, getErrorStatus, type ApiError, type ApiErrorCode } from './api-errors.ts'

/** A response that has not been sent. It is plain data, so that faults can change it. */
export type ApiResponse = CompleteResponse | StreamResponse

/** The end of an incomplete response that a fault injects. */
export type ConnectionAbort = ConnectionLoss | ConnectionStall

/** Stops sending, and keeps the connection open until the client disconnects. */
interface ConnectionStall {
  readonly how: 'stall'
}

/** Ends the connection before the response is complete. */
export interface ConnectionLoss {
  /** `close` closes the connection, like a service that crashes. `reset` sends a TCP RST. */
  readonly how: 'close' | 'reset'
  /**
   * Number of body bytes to send before the abort of a non-streaming response. If absent, not even the status line
   * is sent.
   */
  readonly afterBytes?: number
  /** True if only half of the status line and header fields is sent. */
  readonly isInHead?: true
  /** Time for which the port then refuses new connections, in milliseconds of the system clock. */
  readonly refuseMs?: number
}

interface ResponseBase {
  readonly headers: Readonly<Record<string, string>>
  readonly faultId?: string
  /** Injected connection abort; absent if the response ends normally. */
  readonly abort?: ConnectionAbort
}

/** A non-streaming response, due `dueMs` milliseconds after the arrival of the request. */
export interface CompleteResponse extends ResponseBase {
  readonly status: number
  readonly body: Buffer | string | EncodedText
  readonly dueMs: number
  /** True for a body in chunks (RFC 9112, section 7.1) instead of one with Content-Length. */
  readonly isChunked?: boolean
  /** Operation of a successful response; absent for errors. */
  readonly operation?: ServedOperationName
  readonly errorCode?: ApiErrorCode
  /** Tokens to charge when the response is sent. Default: none. */
  readonly usedTokens?: number
  /** Returns the number of reasoning tokens among `usedTokens` tokens to charge. Absent if the response has none. */
  countReasoningTokens?(usedTokens: number): number
  /**
   * Returns the number of tokens to charge if the client disconnects before the response is due. If absent,
   * `usedTokens` are charged.
   * @param elapsedMs time from the arrival of the request to the disconnect
   */
  usedTokensBefore?(elapsedMs: number): number
}

/** A stream of server-sent events. */
export interface StreamResponse extends ResponseBase {
  readonly status: 200
  readonly operation: ServedOperationName
  readonly errorCode?: undefined
  readonly frameCount: number
  /** Index of the first content event. Equals `contentEnd` if the stream has no content. */
  readonly contentStart: number
  /** Index of the event that follows the last content event. */
  readonly contentEnd: number
  /**
   * Time at which the header fields are due, in milliseconds since the arrival of the request. Default: 0. A socket
   * sends them together with the first frame.
   */
  readonly headDueMs?: number
  /** Beginning of a further event, which is sent after the last event and before an injected abort. */
  readonly partialEvent?: string
  /** What one write contains. */
  readonly bytesPerWrite: BehaviourOptions['bytes-per-write']
  /** Event to send after each pause of this duration, in milliseconds. */
  readonly heartbeat?: { readonly event: string; readonly intervalMs: number }
  /** True if the emulator closes the connection after the stream. */
  readonly closesConnection?: boolean
  frame(index: number): string
  /**
   * Returns the time at which a frame is due, in milliseconds since the arrival of the request. Must be called in
   * ascending order of frames.
   */
  getFrameDueMs(index: number): number
  /** Returns the number of tokens to charge after `framesSent` frames have been written to the socket. */
  usedTokensAfter(framesSent: number): number
  reasoningTokensAfter(framesSent: number): number
}

/** Body or stream of a generated response, and the times at which its tokens are due. */
export interface ScheduledResponse {
  readonly content: GeneratedResponse
  readonly schedule: TokenSchedule
}

export function createResponse(
  { content, schedule }: ScheduledResponse,
  { operation, promptTokens = 0 }: Pick<PreparedOperation, 'operation' | 'promptTokens'>,
  behaviour: BehaviourOptions,
): ApiResponse {
  if ('body' in content) {
    const { body, usedTokens, reasoningTokens = 0, contentType, lastToken } = content
    const headers = { 'content-type': contentType }
    const firstMs = schedule.getDueMs(0)
    const dueMs = schedule.getDueMs(lastToken)
    const usedTokensBefore = (elapsedMs: number) =>
      countBilledTokensBefore({ usedTokens, promptTokens, lastToken, firstMs, dueMs }, elapsedMs, behaviour)
    const isChunked = operation === 'chat' && behaviour['body-length'] === 'chunked'
    const response = { status: 200, headers, body, isChunked, operation, usedTokens, usedTokensBefore, dueMs }
    if (reasoningTokens === 0) return response
    // The reasoning precedes the text, so an aborted response contains the reasoning first.
    const countReasoningTokens = (tokens: number) =>
      tokens === usedTokens ? reasoningTokens : Math.min(reasoningTokens, Math.max(0, tokens - promptTokens))
    return { ...response, countReasoningTokens }
  }
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    operation,
    frameCount: content.frameCount,
    contentStart: content.contentStart,
    contentEnd: content.contentEnd,
    bytesPerWrite: behaviour['bytes-per-write'],
    closesConnection: behaviour['after-stream'] === 'closed',
    ...(content.heartbeat === undefined
      ? {}
      : { heartbeat: { event: content.heartbeat, intervalMs: behaviour['heartbeat-ms'] } }),
    frame: content.frame,
    getFrameDueMs: (index) => schedule.getDueMs(content.getTokenIndex(index)),
    usedTokensAfter: (framesSent) => countBilledTokens(content, framesSent, behaviour['abort-bill']),
    reasoningTokensAfter: content.reasoningTokensAfter,
  }
}

/** Delays a response by the time for which its request waited. */
export function delayResponse(response: ApiResponse, delayMs: number): ApiResponse {
  if (delayMs === 0) return response
  if ('body' in response) return delayCompleteResponse(response, delayMs)
  return {
    ...response,
    headDueMs: (response.headDueMs ?? 0) + delayMs,
    getFrameDueMs: (index: number) => response.getFrameDueMs(index) + delayMs,
  }
}

export function delayCompleteResponse(response: CompleteResponse, delayMs: number): CompleteResponse {
  const { usedTokensBefore } = response
  return {
    ...response,
    dueMs: response.dueMs + delayMs,
    ...(usedTokensBefore === undefined
      ? {}
      : { usedTokensBefore: (elapsedMs: number) => usedTokensBefore(elapsedMs - delayMs) }),
  }
}

/**
 * Returns the number of tokens to charge for a stream. A complete stream is charged in full. The option `abort-bill`
 * determines the charge for an aborted stream.
 */
function countBilledTokens(
  stream: GeneratedStream,
  framesSent: number,
  abortBill: BehaviourOptions['abort-bill'],
): number {
  if (framesSent < stream.frameCount && abortBill === 'none') return 0
  return stream.usedTokensAfter(abortBill === 'all' ? stream.frameCount : framesSent)
}

/** Token usage of a non-streaming response, and the times at which its first and last tokens are due. */
interface WaitingResponse {
  readonly usedTokens: number
  readonly promptTokens: number
  readonly lastToken: number
  readonly firstMs: number
  readonly dueMs: number
}

/** Tolerance for rounding errors in a quotient of two times. */
const ROUNDING = 1e-9

/**
 * Returns the number of tokens to charge if the client disconnects before a non-streaming response is due. By
 * default, charges the prompt and the completion tokens that are due at that time, spread evenly between the first and
 * the last one. Operations other than chat have no prompt tokens; their only token is due together with the response.
 */
function countBilledTokensBefore(
  { usedTokens, promptTokens, lastToken, firstMs, dueMs }: WaitingResponse,
  elapsedMs: number,
  behaviour: BehaviourOptions,
): number {
  const rule = behaviour['unstreamed-abort-bill']
  if (rule !== 'due') return rule === 'all' ? usedTokens : 0
  if (elapsedMs < firstMs || dueMs <= firstMs) return Math.min(promptTokens, usedTokens)
  const dueTokens = 1 + Math.floor((lastToken * (elapsedMs - firstMs)) / (dueMs - firstMs) + ROUNDING)
  const share = Math.min(1, dueTokens / (lastToken + 1))
  return Math.min(usedTokens, promptTokens + Math.floor((usedTokens - promptTokens) * share + ROUNDING))
}

/** Options and clock that determine the body and headers of error responses. */
export interface ErrorResponseContext {
  readonly behaviour: BehaviourOptions
  readonly clock: Clock
}

/** Builds an error response. It is due immediately, without simulated latency. */
export function buildErrorResponse(
  error: ApiError,
  { behaviour, clock }: ErrorResponseContext,
): CompleteResponse & { readonly body: string } {
  const { body, contentType } = buildErrorBody(error, behaviour)
  const headers = { 'content-type': contentType, ...buildErrorHeaders(error, behaviour, clock) }
  return { status: getErrorStatus(error), headers, body, errorCode: error.code, dueMs: 0 }
}

/** Header fields that allow web pages of any origin to read a response. */
export const CORS_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' } as const

/**
 * Adds the header fields that every API response carries. Error responses to invalid HTTP do not carry them
 * (`http/protocol-errors.ts`).
 */
export function addCommonHeaders(
  headers: Readonly<Record<string, string>>,
  requestId: string,
  behaviour: BehaviourOptions,
): Record<string, string> {
  const all: Record<string, string> = { ...headers, 'x-request-id': requestId }
  if (behaviour.cors === 'any') Object.assign(all, CORS_HEADERS)
  if (behaviour.connection === 'closed') all['connection'] = 'close'
  return all
}

/** Matches a comma-separated list of header names (RFC 9110, section 5.6.1). */
const HEADER_NAMES = /^[!#$%&'*+.^`|~\w-]+( *, *[!#$%&'*+.^`|~\w-]+)*$/

/**
 * Builds the response to a browser's CORS preflight request. Allows every header field that the browser lists, because
 * SDKs send additional fields such as `x-stainless-lang`. Preflight requests carry no key.
 */
export function buildPreflightResponse(requestHeaders: RequestHeaders): CompleteResponse {
  const { 'access-control-request-headers': names } = requestHeaders
  const isList = typeof names === 'string' && HEADER_NAMES.test(names)
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': isList ? names : 'authorization, content-type',
      'access-control-max-age': '600',
      vary: 'access-control-request-headers',
    },
    body: '',
    dueMs: 0,
  }
}
