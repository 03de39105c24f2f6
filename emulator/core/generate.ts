import type { ScriptedResponse } from '../scripting/fixtures/scripted-response.ts'
import type { GeneratedResponse } from '../operations/operation.ts'
import type { Clock } from '../state/clock.ts'
import { createSeededRandom } from '../state/seeded-random.ts'
import type { RequestCounter } from '../state/request-counter.ts'
import { selectLatency, type LatencyProfile, createTokenSchedule, type TokenSchedule } from '../state/latency.ts'
import type { Reserved } from './hold.ts'
import { settle } from './settle.ts'

/** A request with its answer, not sent yet. */
export interface Generated extends Reserved {
  readonly answer: GeneratedResponse
  /** When each token of the answer is due. */
  readonly pace: TokenSchedule
}

/** What an answer is made from, beside the request. */
export interface Source {
  readonly seed: number
  readonly latency: LatencyProfile
  readonly ordinals: RequestCounter
  readonly clock: Clock
  /** Requests that are being answered, this one included. */
  readonly inFlight: number
  /** What the answer is to be, where that is scripted or recorded. */
  readonly script: ScriptedResponse | undefined
}

/**
 * Makes the answer and its pace from (seed, request, ordinal of that request for that key): never from the order of
 * arrival. A failure frees the hold and goes on up, to become a 500.
 */
export function generate(request: Reserved, from: Source): Generated {
  try {
    const { fingerprint, operation, model } = request.work
    const draw = createSeededRandom(from.seed, fingerprint, from.ordinals.next(request.account.id, fingerprint))
    const { script } = from
    const scripted = script?.kind === 'text' ? script.scripted : undefined
    const answer =
      script?.kind === 'answer' ? script.answer : request.work.generate(draw, from.clock.unixSeconds(), scripted)
    const factor = 1 + from.latency.slowdownPerRequest * from.inFlight
    const pace = createTokenSchedule(selectLatency(from.latency, operation, model), factor, draw)
    return Object.assign(request, { answer, pace: (script?.kind === 'answer' ? script.schedule : undefined) ?? pace })
  } catch (error) {
    settle(request, 0)
    throw error
  }
}
