import { makePrintableLine } from '../../common/printable-text.ts'
import { replaceCommandNames } from '../format-command.ts'

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

export type KeyFinding = 'key' | 'key without credits' | 'key with a rate limit'

/** Options that set the keys, by the name of the finding. */
export const KEY_FLAGS: Readonly<Record<KeyFinding, string>> = {
  key: '--key or TOUCHSTONE_KEY',
  'key without credits': '--no-credits-key or TOUCHSTONE_KEY_NO_CREDITS',
  'key with a rate limit': '--limited-key or TOUCHSTONE_KEY_LIMITED',
}

/** Creates the finding of a problem that the suite describes: its first line, and advice in the second one, if there is one. */
export function createProblemFinding(name: string, problem: string): DoctorFinding {
  const [message = '', remedy] = replaceCommandNames(problem).split('\n')
  return { name, state: 'error', message, ...(remedy === undefined ? {} : { remedy }) }
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
