import type { FaultedRequest } from '../../core/services.ts'
import {
  delayCompleteResponse,
  type ApiResponse,
  type CompleteResponse,
  type StreamResponse,
} from '../../core/response.ts'
import { whenReady } from '../../core/when-ready.ts'
import { replacesResponse, type FaultAction } from './fault-rule.ts'
import { createEmulatorError } from '../emulator-errors.ts'
import { StringDecoder } from 'node:string_decoder'

export interface SelectedFaultRule {
  readonly id: string
  readonly rule: FaultAction
}

/**
 * Applies a fault to a response. If the fault replaces the response, does not call `respondAndBill`: no credits are
 * held or charged, and the request counter stays unchanged.
 */
export function injectFault(
  { id, rule }: SelectedFaultRule,
  request: FaultedRequest,
): ApiResponse | Promise<ApiResponse> {
  if (replacesResponse(rule)) return replaceResponse(id, rule, request)
  return whenReady(request.respondAndBill(), (response) => changeResponse(response, id, rule))
}

function changeResponse(response: ApiResponse, id: string, rule: FaultAction): ApiResponse {
  const headers = { ...response.headers, ...buildFaultHeaders(rule) }
  if (!('body' in response)) return { ...injectStreamFault(response, id, rule), headers, faultId: id }
  const { cutAfterBytes: afterBytes, delayMs = 0, reset } = rule
  const changed: CompleteResponse = { ...delayCompleteResponse(response, delayMs), headers, faultId: id }
  return afterBytes === undefined ? changed : { ...changed, abort: { how: reset ? 'reset' : 'close', afterBytes } }
}

function replaceResponse(id: string, rule: FaultAction, { createErrorResponse }: FaultedRequest): CompleteResponse {
  const { status = 500, body, delayMs: dueMs = 0, reset } = rule
  const error = createEmulatorError(status, `Injected fault: ${id}.`)
  if (error !== undefined && body === undefined) {
    const { headers, body: errorBody } = createErrorResponse(error)
    return { status, headers: { ...headers, ...buildFaultHeaders(rule) }, body: errorBody, dueMs, faultId: id }
  }
  const sent = body ?? buildFaultBody(id)
  const headers = {
    'content-type': typeof sent === 'string' ? 'text/plain' : 'application/json',
    ...buildFaultHeaders(rule),
  }
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
  const response: CompleteResponse = { status, headers, body: text, dueMs, faultId: id }
  return rule.status === undefined ? { ...response, abort: { how: reset ? 'reset' : 'close' } } : response
}

function buildFaultHeaders({ contentType, retryAfterSeconds, headers }: FaultAction): Record<string, string> {
  const fields: Record<string, string> = {}
  if (contentType !== undefined) fields['content-type'] = contentType
  if (retryAfterSeconds !== undefined) fields['retry-after'] = String(retryAfterSeconds)
  for (const [name, value] of Object.entries(headers ?? {})) fields[name.toLowerCase()] = value
  return fields
}

/**
 * Builds the default body of an injected error in the format that common SDKs read. The specification defines no format
 * (section 7).
 */
export function buildFaultBody(id: string): object {
  return {
    error: { message: `Injected fault: ${id}.`, type: 'server_error', param: null, code: 'injected_fault' },
  }
}

/**
 * Minimum time between repeated events of a stream that never ends. It prevents one client from keeping the emulator
 * busy.
 */
const MIN_REPEAT_MS = 20

/**
 * Maximum number of repeated events, which limits the size of the timing data. After the last event, the connection
 * stays open without further data.
 */
const MAX_REPEATS = 1_000_000

/** Applies a fault to a stream. Original events that were sent are charged; added events are free. */
export function injectStreamFault(response: StreamResponse, id: string, rule: FaultAction): StreamResponse {
  return changeEnding(truncateEvent(delayEvents(response, rule), rule), id, rule)
}

function delayEvents(response: StreamResponse, { delayMs = 0, itlMs = 0 }: FaultAction): StreamResponse {
  if (delayMs === 0 && itlMs === 0) return response
  return {
    ...response,
    headDueMs: delayMs,
    getFrameDueMs: (index) => response.getFrameDueMs(index) + delayMs + (index + 1) * itlMs,
  }
}

function truncateEvent(response: StreamResponse, { malformedEvent }: FaultAction): StreamResponse {
  if (malformedEvent === undefined) return response
  const frame = (index: number) => {
    const original = response.frame(index)
    if (index !== malformedEvent - 1) return original
    const text = original.trimEnd()
    return text.slice(0, Math.ceil(text.length / 2)) + original.slice(text.length)
  }
  return { ...response, frame }
}

function changeEnding(response: StreamResponse, id: string, rule: FaultAction): StreamResponse {
  const how = rule.reset ? 'reset' : 'close'
  if (rule.cutAfterEvents !== undefined) return { ...endAfter(response, rule.cutAfterEvents), abort: { how } }
  if (rule.cutAfterBytes !== undefined) return { ...cutAfterBytes(response, rule.cutAfterBytes), abort: { how } }
  if (rule.stallAfterEvents !== undefined) {
    return { ...endAfter(response, rule.stallAfterEvents), abort: { how: 'stall' } }
  }
  if (rule.errorAfterEvents !== undefined) {
    const { body = buildFaultBody(id) } = rule
    const data = typeof body === 'string' ? body : JSON.stringify(body)
    return endAfter(response, rule.errorAfterEvents, `data: ${data.replaceAll(/\r?\n|\r/g, '\ndata: ')}\n\n`)
  }
  return rule.neverEnds ? repeatForever(response) : response
}

/** Ends the stream after `events` original events. Appends the event `last` if it is given. */
function endAfter(response: StreamResponse, events: number, last?: string): StreamResponse {
  const own = Math.min(events, response.frameCount)
  return {
    ...response,
    frameCount: last === undefined ? own : own + 1,
    frame: (index) => (index < own ? response.frame(index) : (last ?? '')),
    getFrameDueMs: createFrameDueTimes(response, own),
    ...countOriginalTokens(response, own),
  }
}

/** Counts the tokens of a stream with `own` original events. Other events have no tokens. */
function countOriginalTokens(
  response: StreamResponse,
  own: number,
): Pick<StreamResponse, 'usedTokensAfter' | 'reasoningTokensAfter'> {
  return {
    usedTokensAfter: (framesSent) => response.usedTokensAfter(Math.min(framesSent, own)),
    reasoningTokensAfter: (framesSent) => response.reasoningTokensAfter(Math.min(framesSent, own)),
  }
}

/** Ends the stream after at most `bytes` bytes. The last event may be incomplete, but no character is split. */
function cutAfterBytes(response: StreamResponse, bytes: number): StreamResponse {
  let left = bytes
  for (let index = 0; index < response.frameCount; index += 1) {
    const frame = Buffer.from(response.frame(index))
    if (frame.length > left) return endAfter(response, index, new StringDecoder('utf8').write(frame.subarray(0, left)))
    left -= frame.length
  }
  return response
}

function repeatForever(response: StreamResponse): StreamResponse {
  const own = Math.max(1, response.contentEnd)
  const dueMs = createFrameDueTimes(response, own)
  let previousMs = 0
  let itlMs = MIN_REPEAT_MS
  return {
    ...response,
    frameCount: own + MAX_REPEATS,
    frame: (index) => response.frame(Math.min(index, own - 1)),
    getFrameDueMs(index) {
      const ownMs = dueMs(index)
      if (index < own) {
        if (index === own - 1) itlMs = Math.max(MIN_REPEAT_MS, ownMs - previousMs)
        previousMs = ownMs
        return ownMs
      }
      return ownMs + (index - own + 1) * itlMs
    },
    ...countOriginalTokens(response, own),
    abort: { how: 'stall' },
  }
}

/**
 * Returns a function that computes the due times of a stream with `own` original events. Additional events are due
 * together with the last original event.
 */
function createFrameDueTimes(response: StreamResponse, own: number): (index: number) => number {
  return (index) => response.getFrameDueMs(Math.max(0, Math.min(index, own - 1)))
}
