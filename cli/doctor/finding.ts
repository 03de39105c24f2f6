/** The result of one check of the doctor. */
export interface Finding {
  readonly name: string
  /** `lacking`: missing, and only some commands need it. `wrong`: a run would fail. */
  readonly state: 'ok' | 'lacking' | 'wrong'
  /** Result of the examination. */
  readonly says: string
  /** Advice for every state except `ok`. */
  readonly remedy?: string
}

/** Formats a line for each finding, and its remedy below. */
export function describeFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.flatMap(({ name, state, says, remedy }) => [
    `${state.padEnd('lacking'.length)}  ${name.padEnd(width)}  ${says}`,
    ...(remedy === undefined ? [] : [`${' '.repeat('lacking'.length + width + 4)}→ ${remedy}`]),
  ])
  return `${lines.join('\n')}\n`
}
