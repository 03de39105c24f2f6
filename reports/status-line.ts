import type { ProgressOutput } from './progress-line.ts'

const CLEAR_LINE = '\r\u001b[2K'

/** A line on a terminal that says what is going on; elsewhere each new matter is written once, and its progress not at all. */
export interface StatusLine {
  /** `matter` is what goes on, `progress` how far it is. */
  show(matter: string, progress?: string): void
  /** Says that the same still goes on: a line of its own where there is no terminal, which would see nothing of its progress. */
  remind(words: string): void
  /** Takes the line away. */
  clear(): void
}

/** Widest line, so that it never wraps. */
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
