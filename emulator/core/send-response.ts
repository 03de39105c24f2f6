import type { ResponseTiming } from './events.ts'
import type { RequestContext } from './request-context.ts'
import {
  addCommonHeaders,
  delayResponse,
  type ApiResponse,
  type StreamResponse,
  type CompleteResponse,
} from './response.ts'
import type { ResponseWriter } from './response-writer.ts'
import { encodeBody } from '../../common/byte-string.ts'
import { createSlotRelease, rememberDueTimes, sendInTurn } from './service-queue.ts'
import type { CoreServices } from './services.ts'
import { SplittingResponseWriter } from './splitting-response-writer.ts'
import { writeStream } from './write-stream.ts'

/**
 * Sends a response when its request has a slot and the response is due, and settles its bill. Returns synchronously if
 * the response is due immediately.
 * @returns the write times, or undefined if no operation created the response, or if the client disconnected while the
 * request waited
 */
export function sendResponse(
  response: ApiResponse,
  request: RequestContext,
  writer: ResponseWriter,
  core: CoreServices,
): ResponseTiming | undefined | Promise<ResponseTiming | undefined> {
  request.errorCode = response.errorCode
  if (response.faultId !== undefined) core.faults.trackResponse(writer)
  if (request.slot === undefined) return sendWhenDue(response, request, writer, core)
  return sendInTurn(request.slot, writer, (queuedMs) =>
    sendWhenDue(delayResponse(response, queuedMs), request, writer, core),
  )
}

function sendWhenDue(
  response: ApiResponse,
  request: RequestContext,
  writer: ResponseWriter,
  core: CoreServices,
): ResponseTiming | undefined | Promise<ResponseTiming | undefined> {
  const headers = addCommonHeaders(response.headers, request.id, core.settings.behaviour)
  if (!('body' in response)) return sendStream(response, headers, request, writer, core)
  return runAt(request.arrivedAtMs + response.dueMs, writer, core, () =>
    sendCompleteResponse(response, headers, request, writer, core),
  )
}

function sendCompleteResponse(
  response: CompleteResponse,
  headers: Readonly<Record<string, string>>,
  { arrivedAtMs, bill }: RequestContext,
  writer: ResponseWriter,
  { clock, faults }: CoreServices,
): ResponseTiming | undefined {
  const { operation, dueMs, abort } = response
  const nowMs = clock.nowMs()
  const isAborted = arrivedAtMs + dueMs > nowMs && writer.isClosed()
  const writtenMs = isAborted ? nowMs - arrivedAtMs : Math.max(dueMs, nowMs - arrivedAtMs)
  const usedTokens = (isAborted ? response.usedTokensBefore?.(writtenMs) : undefined) ?? response.usedTokens ?? 0
  bill?.countTokens(usedTokens)
  // The port closes before the connection, so that an immediate retry of the client is refused.
  if (abort?.how !== 'stall' && abort?.refuseMs !== undefined && !writer.isClosed()) {
    faults.refuseConnections(abort.refuseMs)
  }
  const reasoningTokens = response.countReasoningTokens?.(usedTokens)
  writeCompleteResponse(writer, response, headers, () => bill?.settle(usedTokens, reasoningTokens))
  return operation === undefined
    ? undefined
    : { operation, isStream: false, plannedMs: [dueMs], writtenMs: [writtenMs] }
}

/**
 * Writes a non-streaming response, or the part of it that precedes an injected abort.
 * @param onStart called when the writer has accepted the header fields; also called if the client has disconnected,
 * because the request is charged anyway
 */
export function writeCompleteResponse(
  writer: ResponseWriter,
  { status, body, abort, isChunked, headers: given }: CompleteResponse,
  headers: Readonly<Record<string, string>> = given,
  onStart: () => void = () => undefined,
): void {
  if (writer.isClosed()) {
    onStart()
    return
  }
  const bytes = encodeBody(body)
  const head = isChunked ? headers : { ...headers, 'content-length': String(bytes.length) }
  if (abort === undefined || abort.how === 'stall') {
    writer.start(status, head)
    onStart()
    if (abort === undefined) writer.end(bytes) // Sends head and body in one write.
    return
  }
  const { how, afterBytes, isInHead } = abort
  if (afterBytes === undefined) {
    if (isInHead) writer.abortInHead(status, head, how)
    else writer.abortAfterFlush(how)
    onStart()
    return
  }
  writer.start(status, head)
  onStart()
  writer.write(typeof bytes === 'string' ? bytes.slice(0, afterBytes) : bytes.subarray(0, afterBytes))
  writer.abortAfterFlush(how)
}

function sendStream(
  response: StreamResponse,
  headers: Readonly<Record<string, string>>,
  { arrivedAtMs, bill, slot }: RequestContext,
  writer: ResponseWriter,
  core: CoreServices,
): ResponseTiming | undefined | Promise<ResponseTiming | undefined> {
  const { clock, scheduler } = core
  const { status, abort, headDueMs = 0 } = response
  const settle = (framesSent: number) =>
    bill?.settle(response.usedTokensAfter(framesSent), response.reasoningTokensAfter(framesSent))
  if (abort?.how !== 'stall' && abort?.isInHead) {
    return runAt(arrivedAtMs + headDueMs, writer, core, () => {
      if (!writer.isClosed()) writer.abortInHead(status, headers, abort.how)
      settle(0)
      return undefined
    })
  }
  const write = async () => {
    const { bytesPerWrite } = response
    const out = bytesPerWrite === 'event' ? writer : new SplittingResponseWriter(writer, bytesPerWrite)
    const stream = { ...(slot === undefined ? response : rememberDueTimes(response)), headers }
    const onPause = slot && createSlotRelease(slot, stream, { scheduler, arrivedAtMs })
    const times = await writeStream(out, stream, { clock, scheduler, arrivedAtMs, onPause }, settle)
    return { operation: response.operation, isStream: true, ...times }
  }
  return runAt(arrivedAtMs + headDueMs, writer, core, write)
}

/**
 * Runs `task` when the monotonic clock reaches a given time, or when the client disconnects. An advance of a virtual
 * clock runs it at that time, not afterwards.
 */
function runAt<Result>(
  dueAtMs: number,
  writer: ResponseWriter,
  { clock, scheduler }: CoreServices,
  task: () => Result | Promise<Result>,
): Result | Promise<Result> {
  if (dueAtMs <= clock.nowMs() || writer.isClosed()) return task()
  return new Promise((resolve, reject) => {
    let hasRun = false
    const run = () => {
      if (hasRun) return
      hasRun = true
      cancel()
      try {
        resolve(task())
      } catch (error) {
        reject(error)
      }
    }
    const cancel = scheduler.at(dueAtMs, run)
    writer.onClose(run)
  })
}
