import type { ApiResponse, WholeResponse, StreamResponse } from '../../core/respond.ts'
import type { Fault } from './fault-injector.ts'
import { replacesResponse, type FaultAction } from './fault-rule.ts'
import { StringDecoder } from 'node:string_decoder'

/**
 * Injects a fault into the response of `serve`. A fault that replaces the response does not call `serve`, so that
 * nothing is held, charged or counted.
 */
export function injectFault({ id, rule }: Fault, serve: () => ApiResponse): ApiResponse {
  if (replacesResponse(rule)) return replaceResponse(id, rule)
  const reply = serve()
  const headers = { ...reply.headers, ...faultHeaders(rule) }
  if (!('body' in reply)) return { ...injectStreamFault(reply, id, rule), headers, fault: id }
  const { cutAfterBytes: afterBytes, delayMs = 0, reset } = rule
  const disturbed: WholeResponse = { ...reply, headers, dueMs: reply.dueMs + delayMs, fault: id }
  return afterBytes === undefined
    ? disturbed
    : { ...disturbed, breakOff: { how: reset ? 'reset' : 'close', afterBytes } }
}

function replaceResponse(id: string, rule: FaultAction): WholeResponse {
  const { status = 500, body = defaultBody(id), delayMs: dueMs = 0, reset } = rule
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = {
    'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
    ...faultHeaders(rule),
  }
  const reply: WholeResponse = { status, headers, body: text, dueMs, fault: id }
  return rule.status === undefined ? { ...reply, breakOff: { how: reset ? 'reset' : 'close' } } : reply
}

function faultHeaders({ contentType, retryAfterSeconds, headers }: FaultAction): Record<string, string> {
  const fields: Record<string, string> = {}
  if (contentType !== undefined) fields['content-type'] = contentType
  if (retryAfterSeconds !== undefined) fields['retry-after'] = String(retryAfterSeconds)
  for (const [name, value] of Object.entries(headers ?? {})) fields[name.toLowerCase()] = value
  return fields
}

/**
 * Default body of an injected error, in the shape that common client SDKs read; the specification shows none (section
 * 7).
 */
export function defaultBody(id: string): object {
  return {
    error: { message: `This failure was asked for: ${id}.`, type: 'server_error', param: null, code: 'injected_fault' },
  }
}

/**
 * Minimum time between repeated events of a response that never ends, so that one client cannot keep the emulator busy.
 */
const MIN_REPEAT_MS = 20

/** Maximum number of repeated events, which limits what is recorded. After them the connection only stays open. */
const MAX_REPEATS = 1_000_000

/** Injects a fault into a stream. The original events that were sent are charged, added ones are not. */
export function injectStreamFault(reply: StreamResponse, id: string, rule: FaultAction): StreamResponse {
  return changeEnding(truncateEvent(delayEvents(reply, rule), rule), id, rule)
}

function delayEvents(reply: StreamResponse, { delayMs = 0, gapMs = 0 }: FaultAction): StreamResponse {
  if (delayMs === 0 && gapMs === 0) return reply
  return {
    ...reply,
    headDueMs: delayMs,
    frameDueMs: (index) => reply.frameDueMs(index) + delayMs + (index + 1) * gapMs,
  }
}

function truncateEvent(reply: StreamResponse, { malformedEvent }: FaultAction): StreamResponse {
  if (malformedEvent === undefined) return reply
  const frame = (index: number) => {
    const whole = reply.frame(index)
    if (index !== malformedEvent - 1) return whole
    const text = whole.trimEnd()
    return text.slice(0, Math.ceil(text.length / 2)) + whole.slice(text.length)
  }
  return { ...reply, frame }
}

function changeEnding(reply: StreamResponse, id: string, rule: FaultAction): StreamResponse {
  const how = rule.reset ? 'reset' : 'close'
  if (rule.cutAfterEvents !== undefined) return { ...endAfter(reply, rule.cutAfterEvents), breakOff: { how } }
  if (rule.cutAfterBytes !== undefined) return { ...cutAfterBytes(reply, rule.cutAfterBytes), breakOff: { how } }
  if (rule.stallAfterEvents !== undefined) {
    return { ...endAfter(reply, rule.stallAfterEvents), breakOff: { how: 'stall' } }
  }
  if (rule.errorAfterEvents !== undefined) {
    const { body = defaultBody(id) } = rule
    const data = typeof body === 'string' ? body : JSON.stringify(body)
    return endAfter(reply, rule.errorAfterEvents, `data: ${data.replaceAll(/\r?\n|\r/g, '\ndata: ')}\n\n`)
  }
  return rule.neverEnds ? repeatForever(reply) : reply
}

/** Ends the stream after `events` events and, if given, the event `last`. */
function endAfter(reply: StreamResponse, events: number, last?: string): StreamResponse {
  const own = Math.min(events, reply.frameCount)
  return {
    ...reply,
    frameCount: last === undefined ? own : own + 1,
    frame: (index) => (index < own ? reply.frame(index) : (last ?? '')),
    frameDueMs: limitDueMs(reply, own),
    end: (framesSent) => reply.end(Math.min(framesSent, own)),
  }
}

/** Ends the stream after `bytes` bytes: whole events, then part of the next one without splitting a character. */
function cutAfterBytes(reply: StreamResponse, bytes: number): StreamResponse {
  let left = bytes
  for (let index = 0; index < reply.frameCount; index += 1) {
    const frame = Buffer.from(reply.frame(index))
    if (frame.length > left) return endAfter(reply, index, new StringDecoder('utf8').write(frame.subarray(0, left)))
    left -= frame.length
  }
  return reply
}

function repeatForever(reply: StreamResponse): StreamResponse {
  const own = countContentFrames(reply)
  const dueMs = limitDueMs(reply, own)
  let previousMs = 0
  let gapMs = MIN_REPEAT_MS
  return {
    ...reply,
    frameCount: own + MAX_REPEATS,
    frame: (index) => reply.frame(Math.min(index, own - 1)),
    frameDueMs(index) {
      const ownMs = dueMs(index)
      if (index < own) {
        if (index === own - 1) gapMs = Math.max(MIN_REPEAT_MS, ownMs - previousMs)
        previousMs = ownMs
        return ownMs
      }
      return ownMs + (index - own + 1) * gapMs
    },
    end: (framesSent) => reply.end(Math.min(framesSent, own)),
    breakOff: { how: 'stall' },
  }
}

/** Counts the events before those that end a completion. */
function countContentFrames(reply: StreamResponse): number {
  let own = reply.frameCount
  while (own > 1 && /\[DONE\]|"finish_reason":"|"choices":\[\]/.test(reply.frame(own - 1))) own -= 1
  return own
}

/** Returns due times in which events after the first `own` are due with the last of them. */
function limitDueMs(reply: StreamResponse, own: number): (index: number) => number {
  return (index) => reply.frameDueMs(Math.max(0, Math.min(index, own - 1)))
}
