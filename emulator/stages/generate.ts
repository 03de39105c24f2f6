import type { Answer } from '../operations/operation.ts'
import type { Clock } from '../state/clock.ts'
import { createDraw } from '../state/draw.ts'
import type { Ordinals } from '../state/ordinals.ts'
import type { Reserved } from './reserve.ts'
import { settle } from './settle.ts'

/** A request with its answer, not sent yet. */
export interface Generated extends Reserved {
  readonly answer: Answer
}

/**
 * Makes the answer from (seed, request, ordinal of that request for that key): never from the order of arrival. A failure
 * frees the hold and goes on up, to become a 500.
 */
export function generate(request: Reserved, from: { seed: number; ordinals: Ordinals; clock: Clock }): Generated {
  try {
    const { fingerprint } = request.work
    const draw = createDraw(from.seed, fingerprint, from.ordinals.next(request.account.id, fingerprint))
    return { ...request, answer: request.work.generate(draw, from.clock.unixSeconds()) }
  } catch (error) {
    settle(request, 0)
    throw error
  }
}
