import { makePrintableLine } from '../../common/printable-text.ts'

export interface DoctorFinding {
  readonly name: string
  /**
   * `lacking`: a program or key that only some commands need is missing. `warned`: a run is possible, but will report
   * failures. `wrong`: a run would fail.
   */
  readonly state: 'ok' | 'lacking' | 'warned' | 'wrong'
  readonly says: string
  /** Advice to the user. Absent if the state is `ok`. */
  readonly remedy?: string
}

/** The states as the terminal shows them. JSON output keeps the words of version 0.1. */
const WORDS = { ok: 'ok', lacking: 'missing', warned: 'warning', wrong: 'error' } as const

const STATE_WIDTH = 'missing'.length

/** Formats each finding as a line, followed by a line with the remedy, if there is one. */
export function formatDoctorFindings(findings: readonly DoctorFinding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.flatMap(({ name, state, says, remedy }) => [
    `${WORDS[state].padEnd(STATE_WIDTH)}  ${name.padEnd(width)}  ${makePrintableLine(says)}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(STATE_WIDTH + width + 4)}→ ${makePrintableLine(remedy)}`]),
  ])
  return `${lines.join('\n')}\n`
}
