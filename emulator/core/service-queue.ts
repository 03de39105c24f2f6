import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { Scheduler } from '../state/scheduler.ts'
import type { RequestSlot, Slots } from '../state/slots.ts'
import type { ApiError } from './api-errors.ts'
import type { StreamResponse } from './response.ts'
import type { ResponseWriter } from './response-writer.ts'

/**
 * Creates the error for a request beyond the maximum length of the queue. Its status is unspecified: 429, or 503 if the
 * option `queue-full` selects it.
 */
export function createQueueFullError(slots: Slots, behaviour: BehaviourOptions): ApiError {
  const busy = slots.busy === 1 ? '1 request is' : `${slots.busy} requests are`
  const waiting = slots.waiting === 1 ? '1 request waits' : `${slots.waiting} requests wait`
  return {
    code: behaviour['queue-full'] === '503' ? 'overloaded' : 'queue-full',
    message: `The service is busy: ${busy} in progress, and ${waiting}. Retry later.`,
    retryAfterMs: slots.estimateWaitMs(),
  }
}

/**
 * Sends a response when the slot of its request is free: immediately, or later within the call that releases a slot. An
 * advance of a virtual clock therefore starts each request at the right time.
 *
 * If the client disconnects first, does not send the response, and removes the request from the queue. The response
 * then costs nothing.
 * @param send sends the response, given the time for which the request waited, in milliseconds
 */
export function sendInTurn<Result>(
  slot: RequestSlot,
  writer: Pick<ResponseWriter, 'isClosed' | 'onClose'>,
  send: (queuedMs: number) => Result | Promise<Result>,
): Result | Promise<Result | undefined> {
  const serve = () => {
    const sent = send(slot.queuedMs)
    writer.onClose(() => slot.release()) // After the listeners of `send`, which settle the bill.
    return sent
  }
  if (!slot.isWaiting()) return serve()
  return new Promise((resolve, reject) => {
    let isServed = false
    const leave = () => {
      if (isServed) return
      slot.release()
      resolve(undefined)
    }
    if (writer.isClosed()) {
      leave()
      return
    }
    writer.onClose(leave)
    slot.onStart(() => {
      if (writer.isClosed()) {
        leave()
        return
      }
      isServed = true
      try {
        resolve(serve())
      } catch (error) {
        reject(error)
      }
    })
  })
}

/**
 * Creates a function that schedules the release of a stream's slot for the time at which the last event is due. The
 * emulator calls it when the client reads too slowly, so that the slot does not depend on the client's speed. During an
 * advance of a virtual clock, no client reads.
 */
export function createSlotRelease(
  slot: RequestSlot,
  { frameCount, getFrameDueMs, abort }: Pick<StreamResponse, 'frameCount' | 'getFrameDueMs' | 'abort'>,
  { scheduler, arrivedAtMs }: { readonly scheduler: Scheduler; readonly arrivedAtMs: number },
): () => void {
  let isScheduled = abort?.how === 'stall' // A stalled stream never ends.
  return () => {
    if (isScheduled) return
    isScheduled = true
    scheduler.at(arrivedAtMs + getFrameDueMs(frameCount - 1), () => slot.release())
  }
}

/** Stores the due times of a stream's frames, so that `getFrameDueMs` can be called in any order. */
export function rememberDueTimes(response: StreamResponse): StreamResponse {
  const dueMs: number[] = []
  return {
    ...response,
    getFrameDueMs(index) {
      while (dueMs.length <= index) dueMs.push(response.getFrameDueMs(dueMs.length))
      return dueMs[index] ?? 0
    },
  }
}
