import type { ProgressOutput } from './progress-line.ts'

const CLEAR_LINE = '\r\u001b[2K'

/** Shows the current phase of a run. A terminal also shows the progress; other outputs get one line for each phase. */
export interface StatusLine {
  /** Shows a phase and its progress. Only a terminal shows the details. */
  show(phase: string, progress?: string, details?: readonly string[]): void
  /** Writes a line that later updates do not erase. */
  print(line: string): void
  /** Writes a line that confirms that the phase is still running. Does nothing on a terminal. */
  confirmRunning(words: string): void
  clear(): void
}

/** Maximum width of a line in characters. */
const MAX_WIDTH = 110

export function createStatusLine(output: ProgressOutput): StatusLine {
  let shown = ''
  let rows = 0
  // Truncates the line, because a line that wraps would take two rows.
  const fit = (line: string) => line.slice(0, Math.min(MAX_WIDTH, (output.columns ?? Infinity) - 1))
  const erase = () => {
    if (rows > 1) output.write(`\u001b[${rows - 1}A\r\u001b[J`)
    else output.write(CLEAR_LINE)
    rows = 0
  }
  return {
    show(matter, progress = '', details = []) {
      if (output.isTTY === true) {
        erase()
        output.write([`${matter}${progress}`, ...details].map(fit).join('\n'))
        rows = 1 + details.length
      } else if (matter !== shown) {
        output.write(`${matter}\n`)
      }
      shown = matter
    },
    print(line) {
      if (output.isTTY === true && shown !== '') erase()
      output.write(`${line}\n`)
      shown = ''
    },
    confirmRunning(words) {
      if (output.isTTY !== true) output.write(`${words}\n`)
    },
    clear() {
      if (output.isTTY === true && shown !== '') erase()
      shown = ''
    },
  }
}
