/** Shows the progress of a run on a terminal if the run takes longer than a second. */
export interface ProgressLine {
  /** Updates the numbers on the line, and the remaining time as text. */
  update(done: number, total: number, left?: string): void
  clear(): void
}

/** Members of a writable stream that a progress line uses. `process.stderr` has them. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const QUIET_MS = 1000
const REDRAW_MS = 100
const CLEAR_LINE = '\r\u001b[2K'

/** `counted` is a plural noun for what the line counts, such as `checks`. */
export function createProgressLine(
  output: ProgressOutput,
  nowMs: () => number = () => performance.now(),
  counted = 'checks',
): ProgressLine {
  const startMs = nowMs()
  let drawnMs = 0
  let isShown = false
  return {
    update(done, total, left) {
      const atMs = nowMs()
      if (output.isTTY !== true || atMs - startMs < QUIET_MS || atMs - drawnMs < REDRAW_MS) return
      drawnMs = atMs
      isShown = true
      const elapsed = `${((atMs - startMs) / 1000).toFixed(0)} s`
      output.write(`${CLEAR_LINE}${done} of ${total} ${counted}, ${elapsed}${left === undefined ? '' : `, ${left}`}`)
    },
    clear() {
      if (isShown) {
        output.write(CLEAR_LINE)
        isShown = false
      }
    },
  }
}
