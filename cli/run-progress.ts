import type { RunProgress } from '../conformance/run-conformance.ts'
import { createProgressLine, type ProgressOutput } from '../reports/progress-line.ts'

/** Minimum remaining time for which the display announces the duration. */
const MIN_ANNOUNCED_MS = 30_000
/** Relative change of the duration at which the display announces it again. */
const MIN_RELATIVE_CHANGE = 0.5
/** Interval between progress lines if the output is not a terminal. */
const LINE_INTERVAL_MS = 60_000

export interface RunProgressDisplay {
  update(progress: RunProgress): void
  clear(): void
}

/**
 * Shows how many checks have ended. Shows a duration only if it follows from a rate limit.
 * @param nowMs monotonic clock in milliseconds
 */
export function createRunProgress(
  output: ProgressOutput,
  nowMs: () => number = () => performance.now(),
): RunProgressDisplay {
  const startMs = nowMs()
  const line = createProgressLine(output, nowMs)
  let announcedMs = 0
  let lineMs = startMs
  return {
    update({ done, total, limit }) {
      const elapsedMs = nowMs() - startMs
      const left = limit === undefined ? undefined : `at most ${describeMs(limit.remainingMs)} left`
      const totalMs = elapsedMs + (limit?.remainingMs ?? 0)
      const isChanged = Math.abs(totalMs - announcedMs) > MIN_RELATIVE_CHANGE * Math.max(announcedMs, MIN_ANNOUNCED_MS)
      if (limit !== undefined && limit.remainingMs >= MIN_ANNOUNCED_MS && isChanged) {
        announcedMs = totalMs
        lineMs = nowMs()
        line.clear()
        const rate = describeRate(limit.requestsPerMinute)
        output.write(`The run takes at most ${describeMs(totalMs)}, at about ${rate}.\n`)
      } else if (output.isTTY !== true && nowMs() - lineMs >= LINE_INTERVAL_MS) {
        lineMs = nowMs()
        const after = `${done} of ${total} checks after ${describeMs(elapsedMs)}`
        output.write(`${left === undefined ? after : `${after}, ${left}`}\n`)
      }
      line.update(done, total, left)
    },
    clear: () => line.clear(),
  }
}

function describeRate(perMinute: number): string {
  const rounded = perMinute < 10 ? Number(perMinute.toPrecision(2)) : Math.round(perMinute)
  return `${rounded} requests a minute`
}

const SECOND_MS = 1000
const MINUTE_MS = 60_000

function describeMs(ms: number): string {
  return ms < 2 * MINUTE_MS ? `${Math.max(1, Math.round(ms / SECOND_MS))} s` : `${Math.round(ms / MINUTE_MS)} min`
}
