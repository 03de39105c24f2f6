import { answer, type World } from './pipeline.ts'
import { receive, type Transported } from './receive.ts'
import { respondRefusal, type Reply, type StreamedReply, type WholeReply } from './respond.ts'
import { answerPreflight, commonHeaders } from './common-headers.ts'
import { ClientGone } from '../http/read-body.ts'
import type { Sink } from './response-writer.ts'
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
export async function serve(transported: Transported, socket: Sink, world: World): Promise<void> {
  const { traffic, records, scheduler } = world
  const { decisions } = world.settings
  traffic.inFlight += 1
  traffic.received += 1
  const { inFlight } = traffic
  const notes = records.open(`req-${traffic.received}`, transported)
  const arrival = { requestId: notes.requestId, startedAtMs: notes.arrived.atMs, inFlight }
  const sink = tellLimits(records.watch(socket, notes), notes, world)
  let recordStream: (() => void) | undefined
  try {
    const received = receive(notes)
    if (world.recorder !== undefined) {
      await world.recorder.proxy(received, sink)
      return
    }
    const reply = answerPreflight(received, decisions) ?? (await answer(received, world))
    notes.refused = reply.refused
    const headers = { ...reply.headers, 'x-request-id': arrival.requestId, ...commonHeaders(decisions) }
    const sending = deliver({ ...reply, headers }, sink, arrival, world)
    if (sending !== undefined) recordStream = (await sending) ?? undefined
  } catch (error) {
    if (error instanceof ClientGone) return
    notes.refused = 'internal-error'
    failWith(error, sink, arrival, world)
  } finally {
    traffic.inFlight -= 1
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
function deliver(reply: Reply, sink: Sink, arrival: Arrival, world: World): Promise<void | (() => void)> | undefined {
  if (reply.fault !== undefined) world.faults.trackResponse(sink)
  if (!('body' in reply)) return deliverStream(reply, sink, arrival, world)
  const dueAtMs = arrival.startedAtMs + reply.dueMs
  if (dueAtMs > world.clock.nowMs()) {
    return waitUntil(dueAtMs, sink, world).then(() => deliverWhole(reply, sink, arrival, world))
  }
  deliverWhole(reply, sink, arrival, world)
  return undefined
}

/** Sends an answer that is due, and records how punctual that is. */
function deliverWhole(reply: WholeReply, sink: Sink, arrival: Arrival, { clock, timings }: World): void {
  const { dueMs, operation } = reply
  if (operation !== undefined) {
    timings.add({ ...arrival, operation, plannedMs: [dueMs], writtenMs: [clock.nowMs() - arrival.startedAtMs] })
  }
  writeWhole(sink, reply)
}

/** @returns what is to be recorded of it */
async function deliverStream(reply: StreamedReply, sink: Sink, arrival: Arrival, world: World): Promise<() => void> {
  const { clock, scheduler, timings, records } = world
  const { startedAtMs } = arrival
  await waitUntil(startedAtMs + (reply.headDueMs ?? 0), sink, world)
  const { plannedMs, writtenMs } = await writeStream(sink, reply, { clock, scheduler, startedAtMs })
  return () => {
    timings.add({ ...arrival, operation: reply.operation, plannedMs, writtenMs })
    records.tallies.observeLateness(plannedMs, writtenMs)
  }
}

/** Waits for a moment on the clock's monotonic scale, or until nobody waits for the answer any more. */
function waitUntil(dueAtMs: number, sink: Sink, { clock, scheduler }: World): Promise<void> {
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
function failWith(error: unknown, sink: Sink, { requestId }: Arrival, { settings, clock }: World): void {
  const detail = error instanceof Error ? error.stack : String(error)
  process.stderr.write(`touchstone emulator: unexpected failure of ${requestId}: ${detail}\n`)
  const refusal = { refused: 'internal-error', message: 'Something went wrong in the service.' } as const
  const reply = respondRefusal(refusal, { decisions: settings.decisions, clock })
  try {
    writeWhole(sink, { ...reply, headers: { ...reply.headers, 'x-request-id': requestId } })
  } catch {
    sink.abort() // the answer had begun
  }
}
