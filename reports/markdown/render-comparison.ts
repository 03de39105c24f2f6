import { type Comparison, groupChanges, isRegression } from '../compare/comparison.ts'
import { describeComparison, formatWithInterval, separateUnclearChanges } from '../compare/describe-comparison.ts'
import type { MarkdownSection } from './conformance-sections.ts'
import { formatCode, fitMarkdown, renderMarkdownTable, escapeProse } from './escape.ts'

const MARKS = { worse: '❌ worse', better: '✅ better', different: 'different', unclear: 'not evaluated' } as const

/** Renders comparisons as Markdown of at most 65,000 bytes. */
export function renderComparisonMarkdown(comparisons: readonly Comparison[]): string {
  return fitMarkdown(comparisons.flatMap(partsOf))
}

function partsOf(comparison: Comparison): MarkdownSection[] {
  const { before, after, remarks, changes, moves } = comparison
  const { moved, unclear } = separateUnclearChanges(moves)
  const sorts = groupChanges(changes).map(({ heading, group }): MarkdownSection => {
    const rows = group.map((change) => [
      formatCode(change.subject, 120),
      formatCode(change.before, 150),
      formatCode(change.after, 150),
      MARKS[change.direction],
    ])
    return {
      head: [`### ${heading} (${rows.length})`, ''],
      lines: renderMarkdownTable(['what', 'before', 'after', ''], rows),
    }
  })
  const times = moved.map((move) => [
    formatCode(move.figure),
    formatWithInterval(move.before, move.beforeInterval),
    formatWithInterval(move.after, move.afterInterval),
    MARKS[move.direction],
  ])
  return [
    {
      head: [
        `## ${isRegression(comparison) ? '❌ Regression' : '✅ No regression'}: ${formatCode(before.name)} → ${formatCode(after.name)}`,
        '',
        escapeProse(describeComparison(comparison)),
        '',
      ],
      lines: [
        ...remarks.map((remark) => `- ${escapeProse(remark)}`),
        ...(unclear.length === 0
          ? []
          : [`- Not evaluated: ${unclear.map(({ figure }) => formatCode(figure)).join(', ')}`]),
      ],
    },
    ...(times.length === 0
      ? []
      : [
          {
            head: ['### Latencies that changed beyond the error bounds of both runs', ''],
            lines: renderMarkdownTable(['figure', 'before', 'after', ''], times),
          },
        ]),
    ...sorts,
  ]
}
