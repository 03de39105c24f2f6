import { logException, type ResponseTiming } from './events.ts'
import { runPipeline } from './pipeline.ts'
import { ClientDisconnectedError, RequestContext, type IncomingRequest } from './request-context.ts'
import { addCommonHeaders, buildErrorResponse } from './response.ts'
import { ObservedResponseWriter, type ResponseWriter } from './response-writer.ts'
import { sendResponse, writeCompleteResponse } from './send-response.ts'
import type { CoreServices } from './services.ts'

/**
 * Handles one request under /v1 from any transport. Resolves when the response ends; never rejects.
 *
 * Always releases the slot and the credits that are still on hold: after a complete response, a disconnect, a fault, a
 * shutdown or an exception. After an exception, charges only the stream events already sent.
 */
export async function handleRequest(
  incoming: IncomingRequest,
  transport: ResponseWriter,
  core: CoreServices,
): Promise<void> {
  const { load, settings } = core
  load.inFlight += 1
  load.received += 1
  const id = `req-${load.received}`
  let request: RequestContext | undefined
  let writer: ObservedResponseWriter | undefined
  let timing: ResponseTiming | undefined
  try {
    request = receive(id, incoming, transport, core)
    writer = new ObservedResponseWriter(transport, request, settings.behaviour)
    // `await` also defers values that are not promises, so the emulator writes the responses to concurrent requests
    // back to back. Without it, the client process wakes up for each response, which costs about 10 % more CPU time per
    // request.
    const response = await (core.proxy === undefined ? runPipeline(request, core) : core.proxy.forward(request, writer))
    if (response !== undefined) {
      const sent = sendResponse(response, request, writer, core)
      timing = sent instanceof Promise ? await sent : sent
    }
  } catch (error) {
    request?.bill?.release()
    if (error instanceof ClientDisconnectedError) return
    if (request !== undefined) request.errorCode = 'internal-error'
    sendInternalError(error, id, writer ?? transport, core)
  } finally {
    load.inFlight -= 1
    if (request !== undefined) finish(request, transport, timing, writer?.isAborted === true, core)
  }
}

function receive(id: string, incoming: IncomingRequest, transport: ResponseWriter, core: CoreServices): RequestContext {
  const { authenticator, endpoints, clock, load, observer } = core
  const authentication = authenticator.authenticate(incoming.headers.authorization, incoming.connection)
  const arrivedAtMs = incoming.arrivedAtMs ?? clock.nowMs()
  const arrival = { id, authentication, endpoints, arrivedAtMs, inFlight: load.inFlight }
  return new RequestContext(incoming, transport, arrival, observer)
}

/** Releases the slot and the credits that are still on hold, then reports the end of the request. */
function finish(
  request: RequestContext,
  transport: ResponseWriter,
  timing: ResponseTiming | undefined,
  isAborted: boolean,
  { scheduler }: CoreServices,
): void {
  try {
    try {
      request.bill?.release()
    } finally {
      request.slot?.release()
    }
    const end = { hasClientDisconnected: transport.isClosed(), timing }
    // A client may retry immediately after an abort, so the end of an aborted request is reported without delay.
    const reportEnd = () => request.notify((listener) => listener.onRequestEnd(end))
    if (timing?.isStream === true && !isAborted) scheduler.defer(reportEnd)
    else reportEnd()
  } catch (error) {
    logException(request.id, error)
  }
}

function sendInternalError(error: unknown, id: string, writer: ResponseWriter, core: CoreServices): void {
  logException(id, error)
  const internalError = { code: 'internal-error', message: 'The service failed unexpectedly.' } as const
  try {
    const { behaviour } = core.settings
    const response = buildErrorResponse(internalError, { behaviour, clock: core.clock })
    writeCompleteResponse(writer, response, addCommonHeaders(response.headers, id, behaviour))
  } catch {
    writer.abort() // The response had already started, so its status cannot change.
  }
}
