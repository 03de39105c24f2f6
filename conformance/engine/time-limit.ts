const TIME_LIMIT = 'TimeoutError'

/** The longest that a timer runs: about 25 days. */
const LONGEST_MS = 2 ** 31 - 1

/** A signal that ends a run after so many seconds. It keeps no process alive. */
export function timeLimit(maxSeconds: number): AbortSignal {
  return AbortSignal.timeout(Math.min(maxSeconds * 1000, LONGEST_MS))
}

/** Ends a run as a time limit does that is kept elsewhere. */
export function endForTime(controller: AbortController): void {
  controller.abort(new DOMException('the time for this run was used up', TIME_LIMIT))
}

/** True when it was the time limit that ended the run, and not a person. */
export function isOutOfTime({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === TIME_LIMIT
}

/** Why a run ended early, as a sentence that says what to do. */
export function whyEnded(signal: AbortSignal): string {
  return isOutOfTime(signal)
    ? 'The time for this run was used up: give it longer with --max-seconds.'
    : 'The run was interrupted.'
}
