/** One thing that was looked at. */
export interface Finding {
  readonly name: string
  /** `lacking`: something that only part of touchstone needs is not there. `wrong`: what was asked for will not work. */
  readonly state: 'ok' | 'lacking' | 'wrong'
  /** What was seen. */
  readonly says: string
  /** What to do; with every state but `ok`. */
  readonly remedy?: string
}

/** One line for each, with what to do below it. */
export function describeFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.flatMap(({ name, state, says, remedy }) => [
    `${state.padEnd('lacking'.length)}  ${name.padEnd(width)}  ${says}`,
    ...(remedy === undefined ? [] : [`${' '.repeat('lacking'.length + width + 4)}→ ${remedy}`]),
  ])
  return `${lines.join('\n')}\n`
}
