import type { StreamResponse } from './response.ts'
import type { Clock } from '../state/clock.ts'
import type { Scheduler } from '../state/scheduler.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Frames that are due together are written in chunks of about this size. */
const CHUNK_BYTES = 16 * 1024

/** When each frame was due and when it was handed to the socket, in milliseconds since arrival. */
export interface FrameTimes {
  readonly plannedMs: number[]
  readonly writtenMs: number[]
}

/** What the times of a stream are based on. */
export interface StreamTimebase {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Arrival of the request, on the clock's monotonic scale. */
  readonly arrivedAtMs: number
}

/**
 * Writes each frame when it is due, no faster than the client reads. Deadlines count from the arrival of the request: a late
 * frame delays no other.
 *
 * Calls `settle` once with the number of frames handed to the socket, however the stream ends: complete, client gone, or
 * a frame that throws; not when the header fields are rejected. Resolves when the stream is over, also when the client
 * left. Rejects when header fields, a frame or `settle` throw, and then aborts the connection.
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
          finish(chunk) // with the end of the body in the same write
          return
        }
        const takesMore = response.isBytewise ? writeBytes(writer, chunk) : writer.write(chunk)
        if (isLast && how === 'stall') return // until the client leaves
        if (isLast) finish()
        else if (!takesMore) return // until it drains
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
    writer.start(response.status, response.headers) // an exception rejects, and nothing is settled
    writer.onDrain(advance)
    writer.onClose(() => finish())
    advance()
  })
}

/** Writes each byte by itself: the option `bytes-per-write`. */
function writeBytes(writer: ResponseWriter, chunk: string): boolean {
  let takesMore = true
  for (const byte of Buffer.from(chunk)) takesMore = writer.write(Buffer.of(byte))
  return takesMore
}

/** Joins the frames that are due, from the first not sent. */
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
