import type { Finding } from './finding.ts'

/** How well the command of a check shows the cause; the last request of the check is the one in its command. */
function rankOf({ entry, outcome }: Finding): number {
  if (entry.verdict === 'fail' || entry.verdict === 'error') return 0
  if (entry.verdict === 'warn') return 1
  // The last request of such a check is the invalid one, not the control request.
  return outcome.code === 'control-request-not-served' ? 3 : 2
}

/** Returns the command that shows a cause: of those of its checks the shortest one that sends the deciding request. */
export function chooseCommand(members: readonly Finding[]): string | undefined {
  const [best] = members
    .flatMap((finding) =>
      finding.entry.reproduce === undefined ? [] : [{ finding, command: finding.entry.reproduce }],
    )
    .toSorted((a, b) => rankOf(a.finding) - rankOf(b.finding) || a.command.length - b.command.length)
  return best?.command
}
