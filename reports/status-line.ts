import type { ProgressOutput } from './progress-line.ts'

const CLEAR_LINE = '\r\u001b[2K'

/** Shows the current phase of a run. On a terminal it also shows the progress; elsewhere it writes each phase once. */
export interface StatusLine {
  /**
   * @param matter the phase
   * @param progress the progress within the phase
   */
  show(matter: string, progress?: string): void
  /** Writes a line to confirm that the phase is still running. Does nothing on a terminal. */
  confirmRunning(words: string): void
  /** Erases the line from the terminal. */
  clear(): void
}

/** Maximum width, which prevents the line from wrapping. */
const MAX_WIDTH = 110

export function createStatusLine(output: ProgressOutput): StatusLine {
  let shown = ''
  return {
    show(matter, progress = '') {
      if (output.isTTY === true) {
        output.write(`${CLEAR_LINE}${`${matter}${progress}`.slice(0, MAX_WIDTH)}`)
      } else if (matter !== shown) {
        output.write(`${matter}\n`)
      }
      shown = matter
    },
    confirmRunning(words) {
      if (output.isTTY !== true) output.write(`${words}\n`)
    },
    clear() {
      if (output.isTTY === true && shown !== '') output.write(CLEAR_LINE)
      shown = ''
    },
  }
}
