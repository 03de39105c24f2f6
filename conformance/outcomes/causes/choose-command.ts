import type { CheckFinding } from './finding.ts'

/** Returns the rank of a finding by severity. Rank 0 is the most severe. */
function rankOf({ entry }: CheckFinding): number {
  if (entry.verdict === 'fail' || entry.verdict === 'error') return 0
  return entry.verdict === 'warn' ? 1 : 2
}

/** Returns the shortest command of the most severe findings that have a command. */
export function chooseCommand(members: readonly CheckFinding[]): string | undefined {
  const [best] = members
    .flatMap((finding) =>
      finding.entry.reproduce === undefined ? [] : [{ finding, command: finding.entry.reproduce }],
    )
    .toSorted((a, b) => rankOf(a.finding) - rankOf(b.finding) || a.command.length - b.command.length)
  return best?.command
}
