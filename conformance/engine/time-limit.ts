import type { RunObstacle } from '../outcomes/run-obstacle.ts'

/** Maximum delay of a timer: about 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Returns a signal that aborts a run after `maxSeconds`. Its timer does not keep the process alive. */
export function timeLimit(maxSeconds: number): AbortSignal {
  return AbortSignal.timeout(Math.min(maxSeconds * 1000, MAX_TIMER_MS))
}

/** Describes why a run ended early: its time limit, or a person. */
export function abortReason({ reason }: AbortSignal): RunObstacle {
  const isTimeLimit = reason instanceof DOMException && reason.name === 'TimeoutError'
  return { code: isTimeLimit ? 'time-limit-reached' : 'run-interrupted', params: {} }
}
