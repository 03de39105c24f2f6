import type { Finding } from './finding.ts'

/** Ranks a finding by severity; 0 is the most severe. */
function rankOf({ entry }: Finding): number {
  if (entry.verdict === 'fail' || entry.verdict === 'error') return 0
  return entry.verdict === 'warn' ? 1 : 2
}

/** Returns the command that shows a cause: the shortest one of the most severe findings. */
export function chooseCommand(members: readonly Finding[]): string | undefined {
  const [best] = members
    .flatMap((finding) =>
      finding.entry.reproduce === undefined ? [] : [{ finding, command: finding.entry.reproduce }],
    )
    .toSorted((a, b) => rankOf(a.finding) - rankOf(b.finding) || a.command.length - b.command.length)
  return best?.command
}
