import type { FaultedRequest, SelectedFault, ValidRequest } from '../../core/services.ts'
import {
  delayCompleteResponse,
  type ApiResponse,
  type CompleteResponse,
  type ConnectionLoss,
  type StreamResponse,
} from '../../core/response.ts'
import { toByteString } from '../../../common/byte-string.ts'
import { isChatOperation } from '../../operations/served-operations.ts'
import { whenReady } from '../../core/when-ready.ts'
import { createEmulatorError } from '../emulator-errors.ts'
import { countOriginalTokens, createFrameDueTimes, cutAfterBytes, endAfter } from './cut-stream.ts'
import { getLossPlace, replacesResponse, requiresStream, type FaultAction } from './fault-rule.ts'
import { loseResponse } from './lose-response.ts'

/** Default time for which the port refuses connections, in milliseconds. */
const DEFAULT_REFUSE_MS = 1000

/** Returns true if the action can apply to the response to a request: actions about events need a stream. */
export function isApplicable(action: FaultAction, { work, fields }: ValidRequest): boolean {
  return !requiresStream(action) || (isChatOperation(work.operation) && fields.values['stream'] === true)
}

/** Creates the fault that applies an action to the response to a request. `id` names it in the request log. */
export function createFault(id: string, action: FaultAction): SelectedFault {
  return { id, inject: (request) => injectFault(id, action, request) }
}

/**
 * Applies a fault to a response. If the fault replaces the response, does not call `respondAndBill`: no credits are
 * held or charged, and the request counter stays unchanged.
 */
function injectFault(id: string, rule: FaultAction, request: FaultedRequest): ApiResponse | Promise<ApiResponse> {
  if (replacesResponse(rule)) return replaceResponse(id, rule, request)
  return whenReady(request.respondAndBill(), (response) => changeResponse(response, id, rule))
}

function changeResponse(response: ApiResponse, id: string, rule: FaultAction): ApiResponse {
  const headers = { ...response.headers, ...buildFaultHeaders(rule) }
  const how = rule.reset ? 'reset' : 'close'
  if (!('body' in response)) return { ...injectStreamFault(response, id, rule), headers, faultId: id }
  const { cutAfterBytes: afterBytes, delayMs = 0 } = rule
  const changed: CompleteResponse = { ...delayCompleteResponse(response, delayMs), headers, faultId: id }
  const place = getLossPlace(rule)
  if (place !== undefined) return loseResponse(changed, place, how)
  return afterBytes === undefined ? changed : { ...changed, abort: { how, afterBytes } }
}

/** Creates a response that sends nothing. It has a status only because the type requires one. */
function loseRequest(id: string, { loseAt, refuseMs = DEFAULT_REFUSE_MS, delayMs: dueMs = 0, reset }: FaultAction) {
  const abort: ConnectionLoss =
    loseAt === 'connection' ? { how: 'reset', refuseMs } : { how: reset ? 'reset' : 'close' }
  return { status: 500, headers: {}, body: '', dueMs, faultId: id, abort }
}

function replaceResponse(id: string, rule: FaultAction, { createErrorResponse }: FaultedRequest): CompleteResponse {
  const { status, body, delayMs: dueMs = 0 } = rule
  if (status === undefined) return loseRequest(id, rule)
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
  return { status, headers, body: text, dueMs, faultId: id }
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
function injectStreamFault(response: StreamResponse, id: string, rule: FaultAction): ApiResponse {
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

function changeEnding(response: StreamResponse, id: string, rule: FaultAction): ApiResponse {
  const how = rule.reset ? 'reset' : 'close'
  const place = getLossPlace(rule)
  if (place !== undefined) return loseResponse(response, place, how)
  if (rule.cutAfterEvents !== undefined) return { ...endAfter(response, rule.cutAfterEvents), abort: { how } }
  if (rule.cutAfterBytes !== undefined) return { ...cutAfterBytes(response, rule.cutAfterBytes), abort: { how } }
  if (rule.stallAfterEvents !== undefined) {
    return { ...endAfter(response, rule.stallAfterEvents), abort: { how: 'stall' } }
  }
  if (rule.errorAfterEvents !== undefined) {
    const { body = buildFaultBody(id) } = rule
    const data = typeof body === 'string' ? body : JSON.stringify(body)
    return endAfter(
      response,
      rule.errorAfterEvents,
      `data: ${toByteString(data).replaceAll(/\r?\n|\r/g, '\ndata: ')}\n\n`,
    )
  }
  return rule.neverEnds ? repeatForever(response) : response
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
