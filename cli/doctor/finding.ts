/** The result of one check of `touchstone doctor`. */
export interface DoctorFinding {
  readonly name: string
  /** `lacking`: only some commands need the missing part. `wrong`: a run would fail. */
  readonly state: 'ok' | 'lacking' | 'wrong'
  /** The result, as a sentence. */
  readonly says: string
  /** The action that the user should take; absent if the state is `ok`. */
  readonly remedy?: string
}

/** Formats each finding as a line, followed by its remedy. */
export function formatDoctorFindings(findings: readonly DoctorFinding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.flatMap(({ name, state, says, remedy }) => [
    `${state.padEnd('lacking'.length)}  ${name.padEnd(width)}  ${says}`,
    ...(remedy === undefined ? [] : [`${' '.repeat('lacking'.length + width + 4)}→ ${remedy}`]),
  ])
  return `${lines.join('\n')}\n`
}
