import { answer, type EmulatorInstance } from './pipeline.ts'
import { receive, type Transported } from './receive.ts'
import { errorResponse, type ApiResponse, type StreamResponse, type WholeResponse } from './respond.ts'
import { answerPreflight, commonHeaders } from './common-headers.ts'
import { ClientDisconnected } from '../http/read-body.ts'
import type { ResponseWriter } from './response-writer.ts'
import { tellLimits } from './rate-limit-headers.ts'
import { writeStream } from './write-stream.ts'
import { writeWhole } from './write-response.ts'

/** What is recorded of a request while its answer is sent. */
interface Arrival {
  readonly requestId: string
  /** On the clock's monotonic scale. */
  readonly startedAtMs: number
  /** Requests that were being answered then, this one included. */
  readonly inFlight: number
}

/** Answers one request under /v1, whatever it came by. Resolves when the answer is over; never rejects. */
export async function serve(
  transported: Transported,
  socket: ResponseWriter,
  instance: EmulatorInstance,
): Promise<void> {
  const { load, records, scheduler } = instance
  const { decisions } = instance.settings
  load.inFlight += 1
  load.received += 1
  const { inFlight } = load
  const notes = records.open(`req-${load.received}`, transported)
  const arrival = { requestId: notes.requestId, startedAtMs: notes.arrived.atMs, inFlight }
  const sink = tellLimits(records.watch(socket, notes), notes, instance)
  let recordStream: (() => void) | undefined
  try {
    const received = receive(notes)
    if (instance.recorder !== undefined) {
      await instance.recorder.proxy(received, sink)
      return
    }
    const reply = answerPreflight(received, decisions) ?? (await answer(received, instance))
    notes.refused = reply.refused
    const headers = { ...reply.headers, 'x-request-id': arrival.requestId, ...commonHeaders(decisions) }
    const sending = deliver({ ...reply, headers }, sink, arrival, instance)
    if (sending !== undefined) recordStream = (await sending) ?? undefined
  } catch (error) {
    if (error instanceof ClientDisconnected) return
    notes.refused = 'internal-error'
    failWith(error, sink, arrival, instance)
  } finally {
    load.inFlight -= 1
    const isGone = sink.isClosed()
    const book = () => {
      recordStream?.()
      records.close(notes, isGone)
    }
    // What was broken off may come again at once, and is to be known by then.
    if (recordStream === undefined || notes.isBrokenOff) book()
    else scheduler.defer(book)
  }
}

/** Sends an answer when it is due. @returns a promise where that is not at once */
function deliver(
  reply: ApiResponse,
  sink: ResponseWriter,
  arrival: Arrival,
  instance: EmulatorInstance,
): Promise<void | (() => void)> | undefined {
  if (reply.fault !== undefined) instance.faults.trackResponse(sink)
  if (!('body' in reply)) return deliverStream(reply, sink, arrival, instance)
  const dueAtMs = arrival.startedAtMs + reply.dueMs
  if (dueAtMs > instance.clock.nowMs()) {
    return waitUntil(dueAtMs, sink, instance).then(() => deliverWhole(reply, sink, arrival, instance))
  }
  deliverWhole(reply, sink, arrival, instance)
  return undefined
}

/** Sends an answer that is due, and records how punctual that is. */
function deliverWhole(
  reply: WholeResponse,
  sink: ResponseWriter,
  arrival: Arrival,
  { clock, timings }: EmulatorInstance,
): void {
  const { dueMs, operation } = reply
  if (operation !== undefined) {
    timings.add({ ...arrival, operation, plannedMs: [dueMs], writtenMs: [clock.nowMs() - arrival.startedAtMs] })
  }
  writeWhole(sink, reply)
}

/** @returns what is to be recorded of it */
async function deliverStream(
  reply: StreamResponse,
  sink: ResponseWriter,
  arrival: Arrival,
  instance: EmulatorInstance,
): Promise<() => void> {
  const { clock, scheduler, timings, records } = instance
  const { startedAtMs } = arrival
  await waitUntil(startedAtMs + (reply.headDueMs ?? 0), sink, instance)
  const { plannedMs, writtenMs } = await writeStream(sink, reply, { clock, scheduler, startedAtMs })
  return () => {
    timings.add({ ...arrival, operation: reply.operation, plannedMs, writtenMs })
    records.tallies.observeLateness(plannedMs, writtenMs)
  }
}

/** Waits for a moment on the clock's monotonic scale, or until nobody waits for the answer any more. */
function waitUntil(dueAtMs: number, sink: ResponseWriter, { clock, scheduler }: EmulatorInstance): Promise<void> {
  if (dueAtMs <= clock.nowMs() || sink.isClosed()) return Promise.resolve()
  return new Promise((resolve) => {
    const stopWaiting = scheduler.at(dueAtMs, resolve)
    sink.onClose(() => {
      stopWaiting()
      resolve()
    })
  })
}

/** An exception is a 500 of which the client learns nothing more; the operator reads the rest. */
function failWith(
  error: unknown,
  sink: ResponseWriter,
  { requestId }: Arrival,
  { settings, clock }: EmulatorInstance,
): void {
  const detail = error instanceof Error ? error.stack : String(error)
  process.stderr.write(`touchstone emulator: unexpected failure of ${requestId}: ${detail}\n`)
  const refusal = { code: 'internal-error', message: 'Something went wrong in the service.' } as const
  const reply = errorResponse(refusal, { decisions: settings.decisions, clock })
  try {
    writeWhole(sink, { ...reply, headers: { ...reply.headers, 'x-request-id': requestId } })
  } catch {
    sink.abort() // the answer had begun
  }
}
