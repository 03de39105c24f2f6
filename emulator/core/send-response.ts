import type { ResponseTiming } from './events.ts'
import type { RequestContext } from './request-context.ts'
import { addCommonHeaders, type ApiResponse, type StreamResponse, type WholeResponse } from './response.ts'
import type { ResponseWriter } from './response-writer.ts'
import type { CoreServices } from './services.ts'
import { writeStream } from './write-stream.ts'

/**
 * Sends a response when it is due and settles its bill. Synchronous if the response is due at once.
 * @returns the timing; undefined for a response that no operation produced
 */
export function sendResponse(
  response: ApiResponse,
  request: RequestContext,
  writer: ResponseWriter,
  core: CoreServices,
): ResponseTiming | undefined | Promise<ResponseTiming | undefined> {
  request.errorCode = response.errorCode
  if (response.faultId !== undefined) core.faults.trackResponse(writer)
  const headers = addCommonHeaders(response.headers, request.id, core.settings.behaviour)
  if (!('body' in response)) return sendStream(response, headers, request, writer, core)
  const dueAtMs = request.arrivedAtMs + response.dueMs
  if (dueAtMs <= core.clock.nowMs()) return sendWhole(response, headers, request, writer, core)
  return waitUntil(dueAtMs, writer, core).then(() => sendWhole(response, headers, request, writer, core))
}

function sendWhole(
  response: WholeResponse,
  headers: Readonly<Record<string, string>>,
  { arrivedAtMs, bill }: RequestContext,
  writer: ResponseWriter,
  { clock }: CoreServices,
): ResponseTiming | undefined {
  const { operation, dueMs, usedTokens = 0 } = response
  const writtenMs = clock.nowMs() - arrivedAtMs
  bill?.countTokens(usedTokens)
  writeWhole(writer, response, headers, () => bill?.settle(usedTokens))
  return operation === undefined
    ? undefined
    : { operation, isStream: false, plannedMs: [dueMs], writtenMs: [writtenMs] }
}

/**
 * Writes a whole response, or the part of it that a fault leaves.
 * @param onStart called once the header fields are accepted, even if the client has disconnected: the request is
 * charged anyway
 */
export function writeWhole(
  writer: ResponseWriter,
  { status, body, abort, headers: given }: WholeResponse,
  headers: Readonly<Record<string, string>> = given,
  onStart: () => void = () => undefined,
): void {
  if (writer.isClosed()) {
    onStart()
    return
  }
  if (abort?.afterBytes === undefined && abort !== undefined) {
    onStart()
  } else {
    writer.start(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
    onStart()
  }
  if (abort === undefined) {
    writer.end(body) // Head and body go out in one write.
    return
  }
  if (abort.afterBytes !== undefined) writer.write(Buffer.from(body).subarray(0, abort.afterBytes))
  if (abort.how !== 'stall') writer.abortAfterFlush(abort.how)
}

async function sendStream(
  response: StreamResponse,
  headers: Readonly<Record<string, string>>,
  { arrivedAtMs, bill }: RequestContext,
  writer: ResponseWriter,
  core: CoreServices,
): Promise<ResponseTiming> {
  const { clock, scheduler } = core
  await waitUntil(arrivedAtMs + (response.headDueMs ?? 0), writer, core)
  const times = await writeStream(writer, { ...response, headers }, { clock, scheduler, arrivedAtMs }, (framesSent) =>
    bill?.settle(response.usedTokensAfter(framesSent)),
  )
  return { operation: response.operation, isStream: true, ...times }
}

/** Waits until a monotonic time of the clock, or until the client disconnects. */
function waitUntil(dueAtMs: number, writer: ResponseWriter, { clock, scheduler }: CoreServices): Promise<void> {
  if (dueAtMs <= clock.nowMs() || writer.isClosed()) return Promise.resolve()
  return new Promise((resolve) => {
    const cancel = scheduler.at(dueAtMs, resolve)
    writer.onClose(() => {
      cancel()
      resolve()
    })
  })
}
