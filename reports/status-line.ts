import type { ProgressOutput } from './progress-line.ts'

const CLEAR_LINE = '\r\u001b[2K'

/** Shows the current phase and its progress on a terminal. Elsewhere it writes each phase once, without progress. */
export interface StatusLine {
  /** `matter` is the phase, `progress` its progress. */
  show(matter: string, progress?: string): void
  /** Without a terminal, writes a line that the phase still runs. */
  remind(words: string): void
  /** Removes the line. */
  clear(): void
}

/** Maximal width, so that the line never wraps. */
const WIDEST = 110

export function createStatusLine(output: ProgressOutput): StatusLine {
  let shown = ''
  return {
    show(matter, progress = '') {
      if (output.isTTY === true) {
        output.write(`${CLEAR_LINE}${`${matter}${progress}`.slice(0, WIDEST)}`)
      } else if (matter !== shown) {
        output.write(`${matter}\n`)
      }
      shown = matter
    },
    remind(words) {
      if (output.isTTY !== true) output.write(`${words}\n`)
    },
    clear() {
      if (output.isTTY === true && shown !== '') output.write(CLEAR_LINE)
      shown = ''
    },
  }
}
