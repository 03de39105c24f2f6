import type { StreamResponse } from './response.ts'
import type { Clock } from '../state/clock.ts'
import type { Scheduler } from '../state/scheduler.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Approximate size of a chunk. Frames that are due together are joined up to this size. */
const CHUNK_BYTES = 16 * 1024

/** When each frame was due and when it was handed to the socket, in milliseconds since arrival. */
export interface FrameTimes {
  readonly plannedMs: number[]
  readonly writtenMs: number[]
}

/** Clock and start time of a stream. */
export interface StreamTimebase {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Arrival of the request, in milliseconds of the clock's monotonic time. */
  readonly arrivedAtMs: number
}

/**
 * Writes each frame when it is due, and waits for a client that reads too slowly. Deadlines count from the arrival of
 * the request, so a late frame does not delay the next.
 *
 * Calls `settle` once with the number of frames handed to the socket, however the stream ends: complete, client gone,
 * or exception in a frame. Does not call it if the header fields are rejected.
 *
 * Resolves when the stream is over, also after the client disconnects. If header fields, a frame or `settle` throw, it
 * aborts the connection and rejects.
 */
export function writeStream(
  writer: ResponseWriter,
  response: StreamResponse,
  { clock, scheduler, arrivedAtMs }: StreamTimebase,
  settle: (framesSent: number) => void,
): Promise<FrameTimes> {
  const times: FrameTimes = { plannedMs: [], writtenMs: [] }
  const how = response.abort?.how
  let sent = 0
  return new Promise((resolve, reject) => {
    let isOver = false
    let cancelTimer: () => void = () => undefined
    const fail = (error: unknown) => {
      reject(error)
      writer.abort()
    }
    const stop = (conclude: () => void) => {
      if (isOver) return
      isOver = true
      cancelTimer()
      try {
        settle(sent)
        conclude()
        resolve(times)
      } catch (error) {
        fail(error)
      }
    }
    const finish = (last?: string) =>
      stop(() => (how === 'close' || how === 'reset' ? writer.abortAfterFlush(how) : writer.end(last)))
    const writeDueFrames = () => {
      while (!isOver) {
        const elapsedMs = clock.nowMs() - arrivedAtMs
        const dueMs = sent < response.frameCount ? response.frameDueMs(sent) : 0
        if (dueMs > elapsedMs) {
          cancelTimer = scheduler.at(arrivedAtMs + dueMs, advance)
          return
        }
        const { chunk, frames } = joinDueFrames(response, sent, elapsedMs, times)
        sent += frames
        const isLast = sent === response.frameCount
        if (isLast && how === undefined && !response.isBytewise) {
          finish(chunk) // The last frame and the end of the body go out in one write.
          return
        }
        const takesMore = response.isBytewise ? writeBytes(writer, chunk) : writer.write(chunk)
        if (isLast && how === 'stall') return // Waits until the client disconnects.
        if (isLast) finish()
        else if (!takesMore) return // Waits until the socket drains.
      }
    }
    const advance = () => {
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
    writer.start(response.status, response.headers) // An exception rejects and settles nothing.
    writer.onDrain(advance)
    writer.onClose(() => finish())
    advance()
  })
}

/** Writes each byte separately, for the option `bytes-per-write`. */
function writeBytes(writer: ResponseWriter, chunk: string): boolean {
  let takesMore = true
  for (const byte of Buffer.from(chunk)) takesMore = writer.write(Buffer.of(byte))
  return takesMore
}

/** Joins the frames that are due, starting with the first unsent one. */
function joinDueFrames(
  response: StreamResponse,
  first: number,
  elapsedMs: number,
  times: FrameTimes,
): { chunk: string; frames: number } {
  let chunk = ''
  let index = first
  while (index < response.frameCount && chunk.length < CHUNK_BYTES) {
    const dueMs = response.frameDueMs(index)
    if (dueMs > elapsedMs) break
    chunk += response.frame(index)
    times.plannedMs.push(dueMs)
    times.writtenMs.push(elapsedMs)
    index += 1
  }
  return { chunk, frames: index - first }
}
