import type { RunProgress } from '../conformance/run-conformance.ts'
import { createProgressLine, type ProgressOutput } from '../reports/progress-line.ts'

/** Minimum remaining time for which the display announces the expected duration. */
const MIN_ANNOUNCED_MS = 30_000
/** Relative change of the expected duration at which the display announces the duration again. */
const MIN_RELATIVE_CHANGE = 0.5
/** Bounds of the actual duration, as multiples of a rough estimate. */
const ROUGH_FROM = 1 / 2
const ROUGH_TO = 2
/** Interval between progress lines if the output is not a terminal. */
const LINE_INTERVAL_MS = 60_000

export interface RunProgressDisplay {
  update(progress: RunProgress): void
  clear(): void
}

/** @param nowMs monotonic clock in milliseconds */
export function createRunProgress(
  output: ProgressOutput,
  nowMs: () => number = () => performance.now(),
): RunProgressDisplay {
  const startMs = nowMs()
  const line = createProgressLine(output, nowMs)
  let announcedMs = 0
  let isRange = false
  let lineMs = startMs
  const announce = (progress: RunProgress, totalMs: number): void => {
    announcedMs = totalMs
    isRange = progress.isRough === true
    lineMs = nowMs()
    line.clear()
    output.write(`${describeExpectation(progress, totalMs)}\n`)
  }
  return {
    update(progress) {
      const { done, total, remainingMs } = progress
      const elapsedMs = nowMs() - startMs
      const left = remainingMs === undefined ? undefined : `about ${describeMs(remainingMs)} left`
      const totalMs = elapsedMs + (remainingMs ?? 0)
      const isChanged = Math.abs(totalMs - announcedMs) > MIN_RELATIVE_CHANGE * Math.max(announcedMs, MIN_ANNOUNCED_MS)
      const isNarrower = isRange && progress.isRough !== true
      if (remainingMs !== undefined && remainingMs >= MIN_ANNOUNCED_MS && (isChanged || isNarrower)) {
        announce(progress, totalMs)
      } else if (output.isTTY !== true && left !== undefined && nowMs() - lineMs >= LINE_INTERVAL_MS) {
        lineMs = nowMs()
        output.write(`${done} of ${total} checks after ${describeMs(elapsedMs)}, ${left}\n`)
      }
      line.update(done, total, left)
    },
    clear: () => line.clear(),
  }
}

function describeExpectation(
  { requestsPerMinute, isLimitUnknown = false, isRough = false, limitMs }: RunProgress,
  totalMs: number,
): string {
  const reason =
    requestsPerMinute === undefined
      ? `at the pace of the ${isRough ? 'few ' : ''}responses so far${isLimitUnknown ? UNKNOWN_LIMIT : ''}`
      : `because the key allows ${describeRate(requestsPerMinute)}`
  const duration = isRough
    ? `between ${describeMs(totalMs * ROUGH_FROM)} and ${describeMs(totalMs * ROUGH_TO)}`
    : `about ${describeMs(totalMs)}`
  return `The run takes ${duration}, ${reason}. It ends after ${describeMs(limitMs)} at the latest.`
}

const UNKNOWN_LIMIT = ', and longer if the key has a rate limit: no response has reported one'

function describeRate(perMinute: number): string {
  const rounded = perMinute < 10 ? Number(perMinute.toPrecision(2)) : Math.round(perMinute)
  return `about ${rounded} requests a minute`
}

const SECOND_MS = 1000
const MINUTE_MS = 60_000

function describeMs(ms: number): string {
  return ms < 2 * MINUTE_MS ? `${Math.max(1, Math.round(ms / SECOND_MS))} s` : `${Math.round(ms / MINUTE_MS)} min`
}
