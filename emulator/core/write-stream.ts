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
  streamClock: StreamClock,
  settle: (framesSent: number) => void,
): Promise<FrameTimes> {
  return new Promise((resolve, reject) => {
    new StreamWriter(writer, response, streamClock, { settle, resolve, reject }).start()
  })
}

interface StreamEnd {
  settle(framesSent: number): void
  resolve(times: FrameTimes): void
  reject(reason: unknown): void
}

/** A stream that is being written. A class, because each open stream would keep a closure per function. */
class StreamWriter {
  readonly #writer: ResponseWriter
  readonly #response: StreamResponse
  readonly #clock: StreamClock
  readonly #end: StreamEnd
  readonly #times: FrameTimes = { plannedMs: [], writtenMs: [] }
  #sent = 0
  #lastWriteAtMs: number
  #isOver = false
  #cancelTimer: () => void = () => undefined

  constructor(writer: ResponseWriter, response: StreamResponse, streamClock: StreamClock, end: StreamEnd) {
    this.#writer = writer
    this.#response = response
    this.#clock = streamClock
    this.#end = end
    this.#lastWriteAtMs = streamClock.clock.nowMs()
  }

  start(): void {
    const writer = this.#writer
    const { status, headers, closesConnection } = this.#response
    if (writer.isClosed()) {
      this.#finish()
      return
    }
    if (closesConnection) writer.closeAfterEnd?.()
    writer.start(status, headers) // If this throws, the promise rejects and the bill stays unsettled.
    writer.onDrain(() => {
      this.#lastWriteAtMs = this.#clock.clock.nowMs() // The client has just received data, so no heartbeat is overdue.
      this.#advance()
    })
    writer.onClose(() => this.#finish())
    this.#advance()
  }

  #advance(): void {
    try {
      this.#writeDueFrames()
    } catch (error) {
      this.#stop(() => {
        throw error
      })
    }
  }

  #writeDueFrames(): void {
    const { frameCount, abort, bytesPerWrite, partialEvent = '' } = this.#response
    const { clock, arrivedAtMs, onPause } = this.#clock
    while (!this.#isOver) {
      const nowMs = clock.nowMs()
      const dueAtMs = this.#sent < frameCount ? arrivedAtMs + this.#response.getFrameDueMs(this.#sent) : -Infinity
      if (dueAtMs > nowMs) {
        this.#waitForFrame(dueAtMs)
        return
      }
      const { chunk, frames } = joinDueFrames(this.#response, this.#sent, { arrivedAtMs, nowMs }, this.#times)
      this.#sent += frames
      this.#lastWriteAtMs = nowMs
      const isLast = this.#sent === frameCount
      if (isLast && abort === undefined && bytesPerWrite === 'event') {
        this.#finish(chunk) // Sends the last frame and the end of the body in one write.
        return
      }
      const takesMore = this.#writer.write(isLast ? chunk + partialEvent : chunk)
      if (isLast && abort?.how === 'stall') {
        this.#writer.stall?.() // A stalled stream ends when the client disconnects.
        return
      }
      if (isLast && (takesMore || abort !== undefined)) this.#finish()
      else if (!takesMore) {
        onPause?.()
        return // `onDrain` continues the stream.
      }
    }
  }

  /** Waits for the next frame, or for the next heartbeat if that is due earlier. */
  #waitForFrame(dueAtMs: number): void {
    const { scheduler } = this.#clock
    const heartbeatAtMs = this.#lastWriteAtMs + (this.#response.heartbeat?.intervalMs ?? Infinity)
    this.#cancelTimer =
      dueAtMs <= heartbeatAtMs
        ? scheduler.at(dueAtMs, () => this.#advance())
        : scheduler.at(heartbeatAtMs, () => this.#writeHeartbeat(heartbeatAtMs))
  }

  #writeHeartbeat(atMs: number): void {
    this.#lastWriteAtMs = atMs
    if (this.#writer.write(this.#response.heartbeat?.event ?? '')) this.#advance()
    else this.#clock.onPause?.() // `onDrain` continues the stream.
  }

  #finish(last?: string): void {
    const how = this.#response.abort?.how
    this.#stop(() => (how === 'close' || how === 'reset' ? this.#writer.abortAfterFlush(how) : this.#writer.end(last)))
  }

  #stop(conclude: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelTimer()
    try {
      this.#end.settle(this.#sent)
      conclude()
      this.#end.resolve(this.#times)
    } catch (error) {
      this.#end.reject(error)
      this.#writer.abort()
    }
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
