import { CHANGE_KINDS, type Change, type ChangeKind, type Comparison, type Direction } from '../compare/comparison.ts'
import { describeComparison, formatWithInterval, splitMoves } from '../compare/describe-comparison.ts'
import { createPaint, type Paint, escapeText } from './terminal-text.ts'

/** Minimum of checks with the same reason that share a line. */
const MOST_ALIKE = 5

/** Renders a comparison for a terminal. */
export function renderComparison(comparison: Comparison, hasColor: boolean): string {
  const paint = createPaint(hasColor)
  const { before, after, remarks, changes, moves } = comparison
  const { moved, unclear } = splitMoves(moves)
  const bySort = Map.groupBy(changes, ({ sort }) => sort)
  return [
    `${paint.bold(escapeText(describeComparison(comparison)))}`,
    `  before  ${escapeText(before.name)}: ${escapeText(before.verdict)}, ${escapeText(before.target)}, ${escapeText(before.startedAt)}`,
    `  after   ${escapeText(after.name)}: ${escapeText(after.verdict)}, ${escapeText(after.target)}, ${escapeText(after.startedAt)}`,
    ...remarks.map((remark) => `  ${paint.yellow(escapeText(remark))}`),
    ...(moved.length === 0 ? [] : ['', paint.bold(`Times beyond the bounds of both runs (${moved.length})`)]),
    ...moved.map(
      (move) =>
        `  ${mark(move.direction, paint)} ${escapeText(move.figure)}: ${formatWithInterval(move.before, move.beforeInterval)} → ${formatWithInterval(move.after, move.afterInterval)}`,
    ),
    ...(unclear.length === 0
      ? []
      : [
          '',
          paint.dim(`Not judged: ${unclear.map(({ figure, note }) => `${escapeText(figure)} (${note})`).join(', ')}`),
        ]),
    ...(Object.keys(CHANGE_KINDS) as ChangeKind[]).flatMap((sort) => sortLines(sort, bySort.get(sort) ?? [], paint)),
    '',
  ].join('\n')
}

function sortLines(sort: ChangeKind, changes: readonly Change[], paint: Paint): string[] {
  if (changes.length === 0) return []
  return [
    '',
    paint.bold(`${CHANGE_KINDS[sort]} (${changes.length})`),
    ...(sort === 'once' ? foldAlike(changes) : changes).map(
      ({ direction, subject, before, after }) =>
        `  ${mark(direction, paint)} ${escapeText(subject)}: ${escapeText(before, 200)} → ${escapeText(after, 200)}`,
    ),
  ]
}

/** Joins the checks that one run skipped for the same reason: a line for each would hide everything else. */
function foldAlike(changes: readonly Change[]): Change[] {
  return [...Map.groupBy(changes, ({ before, after }) => `${before} → ${after}`).values()].flatMap((alike) => {
    const [first] = alike
    const isFew = first === undefined || alike.length <= MOST_ALIKE
    return isFew ? alike : [{ ...first, subject: `${first.subject} and ${alike.length - 1} more` }]
  })
}

function mark(direction: Direction | 'unclear', paint: Paint): string {
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
