import type { CheckFinding } from './finding.ts'

/** Returns the rank of a finding by severity. Rank 0 is the most severe. */
function rankOf({ entry }: CheckFinding): number {
  if (entry.verdict === 'fail' || entry.verdict === 'error') return 0
  return entry.verdict === 'warn' ? 1 : 2
}

/** Returns whether a command sends a POST without a body, which shows less than a request with one. */
function lacksBody(command: string): boolean {
  return / -X POST /.test(command) && !/ (?:--data-(?:raw|binary) (?!'')|--form|-F )/.test(command)
}

/**
 * Returns a command of the most severe findings that have one. Prefers a request with a body, and then the shortest
 * command.
 */
export function chooseCommand(members: readonly CheckFinding[]): string | undefined {
  const [best] = members
    .flatMap((finding) =>
      finding.entry.reproduce === undefined ? [] : [{ finding, command: finding.entry.reproduce }],
    )
    .toSorted(
      (a, b) =>
        rankOf(a.finding) - rankOf(b.finding) ||
        Number(lacksBody(a.command)) - Number(lacksBody(b.command)) ||
        a.command.length - b.command.length,
    )
  return best?.command
}
