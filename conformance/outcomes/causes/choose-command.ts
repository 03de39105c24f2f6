import type { CheckFinding } from './finding.ts'

/** Returns the rank of a finding by severity. Rank 0 is the most severe. */
function rankOf({ entry }: CheckFinding): number {
  if (entry.verdict === 'fail' || entry.verdict === 'error') return 0
  return entry.verdict === 'warn' ? 1 : 2
}

/** Returns the status and error of a finding's response. Empty if the finding concerns something else. */
function labelResponse({ outcome: { params } }: CheckFinding): string {
  return 'actualStatus' in params ? `${params.actualStatus} ${'error' in params ? params.error : ''}` : ''
}

/** Returns whether a command sends a POST without a body, which shows less than a request with one. */
function lacksBody(command: string): boolean {
  return / -X POST /.test(command) && !/ (?:--data-(?:raw|binary) (?!'')|--form|-F )/.test(command)
}

/** Returns whether the check tests that the target offers an operation at all. Its sentence fits all failures of the operation. */
function concernsOffer({ entry }: CheckFinding): boolean {
  return entry.id.endsWith('-offered')
}

/**
 * Returns a command of the most severe findings that have one. Prefers an operation that is not offered, then the most
 * frequent response, then a request with a body, and then the shortest command.
 */
export function chooseCommand(members: readonly CheckFinding[]): string | undefined {
  const counts = Map.groupBy(members, labelResponse)
  const countOf = (finding: CheckFinding): number => counts.get(labelResponse(finding))?.length ?? 0
  const [best] = members
    .flatMap((finding) =>
      finding.entry.reproduce === undefined ? [] : [{ finding, command: finding.entry.reproduce }],
    )
    .toSorted(
      (a, b) =>
        rankOf(a.finding) - rankOf(b.finding) ||
        Number(concernsOffer(b.finding)) - Number(concernsOffer(a.finding)) ||
        countOf(b.finding) - countOf(a.finding) ||
        Number(lacksBody(a.command)) - Number(lacksBody(b.command)) ||
        a.command.length - b.command.length,
    )
  return best?.command
}

/**
 * Returns the failures of a section that have a command, or all findings if there are none. The sentences of sections 1
 * and 7 describe a common cause better than those of a single parameter.
 */
export function preferSection(members: readonly CheckFinding[], section: string): readonly CheckFinding[] {
  const preferred = members.filter(
    ({ entry }) => entry.verdict === 'fail' && entry.section === section && entry.reproduce !== undefined,
  )
  return preferred.length > 0 ? preferred : members
}
