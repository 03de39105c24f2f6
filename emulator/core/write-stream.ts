import type { Clock } from '../state/clock.ts'
import type { Scheduler } from '../state/scheduler.ts'
import type { StreamResponse } from './response.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Approximate maximum size of a write. Events that are due at the same time are joined up to this size. */
const MAX_WRITE_BYTES = 16 * 1024

/** Planned and actual write times of a stream's frames, in milliseconds since the arrival of the request. */
export interface FrameTimes {
  readonly plannedMs: number[]
  readonly writtenMs: number[]
}

/** Clock and scheduler of a stream, and the time from which its due times count. */
export interface StreamClock {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Arrival time of the request on the monotonic clock, in milliseconds. */
  readonly arrivedAtMs: number
  /** Called when the stream pauses, because the send buffer of the connection is full. */
  readonly onPause?: (() => void) | undefined
}

/**
 * Writes each frame when it is due, and pauses while the send buffer of the connection is full. Due times count from
 * the arrival of the request, so a late frame does not delay the next one.
 *
 * Calls `settle` once with the number of frames written to the socket, whether the stream completes, the client
 * disconnects or a frame throws. Does not call it if the writer rejects the header fields.
 *
 * Resolves when the stream ends or the client disconnects. If the header fields, a frame or `settle` throw, aborts the
 * connection and rejects.
 */
export function writeStream(
  writer: ResponseWriter,
  response: StreamResponse,
  { clock, scheduler, arrivedAtMs, onPause }: StreamClock,
  settle: (framesSent: number) => void,
): Promise<FrameTimes> {
  const times: FrameTimes = { plannedMs: [], writtenMs: [] }
  const how = response.abort?.how
  let sent = 0
  return new Promise((resolve, reject) => {
    let isOver = false
    let cancelTimer: () => void = () => undefined
    const stop = (conclude: () => void) => {
      if (isOver) return
      isOver = true
      cancelTimer()
      try {
        settle(sent)
        conclude()
        resolve(times)
      } catch (error) {
        reject(error)
        writer.abort()
      }
    }
    const finish = (last?: string) =>
      stop(() => (how === 'close' || how === 'reset' ? writer.abortAfterFlush(how) : writer.end(last)))
    let lastWriteAtMs = clock.nowMs()
    const writeDueFrames = () => {
      while (!isOver) {
        const nowMs = clock.nowMs()
        const dueAtMs = sent < response.frameCount ? arrivedAtMs + response.getFrameDueMs(sent) : -Infinity
        if (dueAtMs > nowMs) {
          cancelTimer = waitUntil(dueAtMs, lastWriteAtMs)
          return
        }
        const { chunk, frames } = joinDueFrames(response, sent, { arrivedAtMs, nowMs }, times)
        sent += frames
        lastWriteAtMs = nowMs
        const isLast = sent === response.frameCount
        if (isLast && how === undefined && response.bytesPerWrite === 'event') {
          finish(chunk) // Sends the last frame and the end of the body in one write.
          return
        }
        const takesMore = writer.write(isLast ? chunk + (response.partialEvent ?? '') : chunk)
        if (isLast && how === 'stall') {
          writer.stall?.() // A stalled stream ends when the client disconnects.
          return
        }
        if (isLast && (takesMore || how !== undefined)) finish()
        else if (!takesMore) {
          onPause?.()
          return // `onDrain` continues the stream.
        }
      }
    }
    const waitUntil = createFrameTimer(response, writer, { scheduler, onPause }, (atMs) => advance(atMs))
    /** @param wroteAtMs time from which the next silence counts */
    const advance = (wroteAtMs: number) => {
      lastWriteAtMs = wroteAtMs
      try {
        writeDueFrames()
      } catch (error) {
        stop(() => {
          throw error
        })
      }
    }
    if (writer.isClosed()) {
      finish()
      return
    }
    if (response.closesConnection) writer.closeAfterEnd?.()
    writer.start(response.status, response.headers) // If this throws, the promise rejects and the bill stays unsettled.
    writer.onDrain(() => advance(clock.nowMs())) // The client has just received data, so no heartbeat is overdue.
    writer.onClose(() => finish())
    advance(clock.nowMs())
  })
}

/**
 * Creates a function that waits for the next frame, or for the next heartbeat if that is due earlier.
 * @param onWake called with the current time when either is due; the heartbeat has then been written
 */
function createFrameTimer(
  { heartbeat }: StreamResponse,
  writer: ResponseWriter,
  { scheduler, onPause }: Pick<StreamClock, 'scheduler' | 'onPause'>,
  onWake: (atMs: number) => void,
): (dueAtMs: number, lastWriteAtMs: number) => () => void {
  return (dueAtMs, lastWriteAtMs) => {
    const heartbeatAtMs = heartbeat === undefined ? Infinity : lastWriteAtMs + heartbeat.intervalMs
    if (heartbeat === undefined || dueAtMs <= heartbeatAtMs) return scheduler.at(dueAtMs, () => onWake(dueAtMs))
    return scheduler.at(heartbeatAtMs, () => {
      if (writer.write(heartbeat.event)) onWake(heartbeatAtMs)
      else onPause?.() // `onDrain` continues the stream.
    })
  }
}

/**
 * Joins frames that are due, up to MAX_WRITE_BYTES, unless each of them is split. Starts with frame `first`, and appends
 * the times of the joined frames to `times`. A frame is due by its absolute time, as for the scheduler: the rounded
 * difference of two times can be less than a delay after that delay has passed.
 */
function joinDueFrames(
  response: StreamResponse,
  first: number,
  { arrivedAtMs, nowMs }: { readonly arrivedAtMs: number; readonly nowMs: number },
  times: FrameTimes,
): { chunk: string; frames: number } {
  let chunk = ''
  let index = first
  const maxBytes = response.bytesPerWrite === 'split' ? 1 : MAX_WRITE_BYTES
  while (index < response.frameCount && chunk.length < maxBytes) {
    const dueMs = response.getFrameDueMs(index)
    if (arrivedAtMs + dueMs > nowMs) break
    chunk += response.frame(index)
    times.plannedMs.push(dueMs)
    times.writtenMs.push(Math.max(dueMs, nowMs - arrivedAtMs))
    index += 1
  }
  return { chunk, frames: index - first }
}
