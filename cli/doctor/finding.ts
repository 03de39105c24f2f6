import { makePrintableLine } from '../../common/printable-text.ts'

export interface DoctorFinding {
  readonly name: string
  /**
   * `missing`: a program or key that only some commands need is missing. `warning`: a run is possible, but will report
   * failures. `error`: a run would fail.
   */
  readonly state: 'ok' | 'missing' | 'warning' | 'error'
  readonly message: string
  /** Advice to the user. Absent if the state is `ok`. */
  readonly remedy?: string
}

const STATE_WIDTH = 'missing'.length

/** Formats each finding as a line, followed by a line with the remedy, if there is one. */
export function formatDoctorFindings(findings: readonly DoctorFinding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.flatMap(({ name, state, message, remedy }) => [
    `${state.padEnd(STATE_WIDTH)}  ${name.padEnd(width)}  ${makePrintableLine(message)}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(STATE_WIDTH + width + 4)}→ ${makePrintableLine(remedy)}`]),
  ])
  return `${lines.join('\n')}\n`
}
