import type { RunObstacle } from '../outcomes/run-obstacle.ts'

/** Maximum delay of a timer: about 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Returns a signal that aborts a run after `maxSeconds`. Its timer does not keep the process alive. */
export function timeLimit(maxSeconds: number): AbortSignal {
  return AbortSignal.timeout(Math.min(maxSeconds * 1000, MAX_TIMER_MS))
}

/** Reason with which the engine itself ends a run. */
export class RunEndedError extends Error {
  readonly obstacle: RunObstacle

  constructor(obstacle: RunObstacle) {
    super(`The run ended: ${obstacle.code}.`)
    this.obstacle = obstacle
  }
}

/** Describes why a run ended early: the target, its time limit, or a person. */
export function abortReason({ reason }: AbortSignal): RunObstacle {
  if (reason instanceof RunEndedError) return reason.obstacle
  const isTimeLimit = reason instanceof DOMException && reason.name === 'TimeoutError'
  return { code: isTimeLimit ? 'time-limit-reached' : 'run-interrupted', params: {} }
}
