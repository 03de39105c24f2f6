import { type RunChange, type Comparison, type ChangeDirection, groupChanges } from '../compare/comparison.ts'
import {
  describeComparison,
  describeUnclear,
  formatWithInterval,
  separateUnclearChanges,
} from '../compare/describe-comparison.ts'
import { createTerminalColors, type TerminalColors, escapeTerminalText } from './terminal-text.ts'

/** Maximum number of checks with the same reason that get a line each. More checks share one line. */
const MAX_SEPARATE_LINES = 5

/** Maximum length of the list of percentiles that could not be compared. */
const MAX_LISTED_CHARACTERS = 2000

export function renderComparison(comparison: Comparison, hasColor: boolean): string {
  const paint = createTerminalColors(hasColor)
  const { before, after, remarks, changes, moves } = comparison
  const { moved, unclear } = separateUnclearChanges(moves)
  return [
    `${paint.bold(escapeTerminalText(describeComparison(comparison)))}`,
    `  before  ${escapeTerminalText(before.name)}: ${escapeTerminalText(before.verdict)}, ${escapeTerminalText(before.target)}, ${escapeTerminalText(before.startedAt)}`,
    `  after   ${escapeTerminalText(after.name)}: ${escapeTerminalText(after.verdict)}, ${escapeTerminalText(after.target)}, ${escapeTerminalText(after.startedAt)}`,
    ...remarks.map((remark) => `  ${paint.yellow(escapeTerminalText(remark))}`),
    ...(moved.length === 0
      ? []
      : ['', paint.bold(`Latencies that changed beyond the error bounds of both runs (${moved.length})`)]),
    ...moved.map(
      (move) =>
        `  ${mark(move.direction, paint)} ${escapeTerminalText(move.figure)}: ${formatWithInterval(move.before, move.beforeInterval)} → ${formatWithInterval(move.after, move.afterInterval)}`,
    ),
    ...(unclear.length === 0
      ? []
      : ['', paint.dim(escapeTerminalText(describeUnclear(unclear), MAX_LISTED_CHARACTERS))]),
    ...groupChanges(changes).flatMap(({ sort, heading, group }) => [
      '',
      paint.bold(`${heading} (${group.length})`),
      ...(sort === 'once' ? combineSkippedChecks(group) : group).map(
        ({ direction, subject, before: old, after: now }) =>
          `  ${mark(direction, paint)} ${escapeTerminalText(subject)}: ${escapeTerminalText(old, 200)} → ${escapeTerminalText(now, 200)}`,
      ),
    ]),
    '',
  ].join('\n')
}

/** Combines the checks that one run skipped for the same reason, which would hide all other changes. */
function combineSkippedChecks(changes: readonly RunChange[]): RunChange[] {
  return [...Map.groupBy(changes, ({ before, after }) => `${before} → ${after}`).values()].flatMap((alike) => {
    const [first] = alike
    const isFew = first === undefined || alike.length <= MAX_SEPARATE_LINES
    return isFew ? alike : [{ ...first, subject: `${first.subject} and ${alike.length - 1} more` }]
  })
}

function mark(direction: ChangeDirection | 'unclear', paint: TerminalColors): string {
  switch (direction) {
    case 'worse':
      return paint.red('worse    ')
    case 'better':
      return paint.green('better   ')
    case 'different':
    case 'unclear':
      return paint.dim('different')
  }
}
