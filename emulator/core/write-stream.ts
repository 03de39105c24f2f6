import type { StreamResponse } from './respond.ts'
import type { Clock } from '../state/clock.ts'
import type { Scheduler } from '../state/scheduler.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Frames that are due together go out in pieces of about this size. */
const PIECE_BYTES = 16 * 1024

/** When each frame was due and when it was handed to the socket, in milliseconds since the request came in. */
export interface FrameTimes {
  readonly plannedMs: number[]
  readonly writtenMs: number[]
}

/** What a stream is sent with. */
export interface Pacing {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** On the clock's monotonic scale. */
  readonly startedAtMs: number
}

/**
 * Sends each frame when it is due, no faster than the client reads, and ends the stream exactly once with the number of
 * frames that were handed to the socket. Every frame has its deadline from the start of the request: a late one delays no
 * other. Resolves when the stream is over, also when the client left. Rejects when a frame cannot be made; what was sent is
 * settled then, and the connection broken off.
 */
export function writeStream(sink: ResponseWriter, reply: StreamResponse, pacing: Pacing): Promise<FrameTimes> {
  const { clock, scheduler, startedAtMs } = pacing
  const times: FrameTimes = { plannedMs: [], writtenMs: [] }
  const how = reply.breakOff?.how
  let sent = 0
  return new Promise((resolve, reject) => {
    let isOver = false
    let stopWaiting: () => void = () => undefined
    const stop = (conclude: () => void) => {
      if (isOver) return
      isOver = true
      stopWaiting()
      try {
        reply.end(sent)
        conclude()
        resolve(times)
      } catch (error) {
        sink.abort()
        reject(error)
      }
    }
    const finish = (last?: string) =>
      stop(() => (how === 'close' || how === 'reset' ? sink.abortAfterFlush(how) : sink.end(last)))
    const sendDue = () => {
      while (!isOver) {
        const elapsedMs = clock.nowMs() - startedAtMs
        const dueMs = sent < reply.frameCount ? reply.frameDueMs(sent) : 0
        if (dueMs > elapsedMs) {
          stopWaiting = scheduler.at(startedAtMs + dueMs, advance)
          return
        }
        const { piece, frames } = collect(reply, sent, elapsedMs, times)
        sent += frames
        const isLast = sent === reply.frameCount
        if (isLast && how === undefined && !reply.isCutToBytes) {
          finish(piece) // with the end of the body in the same write
          return
        }
        const takesMore = reply.isCutToBytes ? writeBytes(sink, piece) : sink.write(piece)
        if (isLast && how === 'stall') return // until the client leaves
        if (isLast) finish()
        else if (!takesMore) return // until it drains
      }
    }
    const advance = () => {
      try {
        sendDue()
      } catch (error) {
        stop(() => {
          throw error
        })
      }
    }
    sink.onDrain(advance)
    sink.onClose(() => finish())
    if (sink.isClosed()) {
      finish()
      return
    }
    sink.start(reply.status, reply.headers)
    advance()
  })
}

/** Hands each byte to the socket by itself: the decision `bytes-per-write`. */
function writeBytes(sink: ResponseWriter, piece: string): boolean {
  let takesMore = true
  for (const byte of Buffer.from(piece)) takesMore = sink.write(Buffer.of(byte))
  return takesMore
}

/** Joins the frames that are due, from the first not sent. */
function collect(
  reply: StreamResponse,
  first: number,
  elapsedMs: number,
  times: FrameTimes,
): { piece: string; frames: number } {
  let piece = ''
  let index = first
  while (index < reply.frameCount && piece.length < PIECE_BYTES) {
    const dueMs = reply.frameDueMs(index)
    if (dueMs > elapsedMs) break
    piece += reply.frame(index)
    times.plannedMs.push(dueMs)
    times.writtenMs.push(elapsedMs)
    index += 1
  }
  return { piece, frames: index - first }
}
