import type { Matrix, RequirementCell } from '../matrix/build-matrix.ts'
import { formatCode, fitMarkdown, renderMarkdownTable, escapeProse } from './escape.ts'

const MARKS = {
  pass: '✅ pass',
  fail: '❌ fail',
  error: '❌ error',
  warn: '⚠️ warn',
  declared: '☑️ declared',
  observed: 'observed',
  'not-testable': '🟡 not testable',
  'not run': '–',
} as const

const BROKEN: ReadonlySet<RequirementCell['verdict']> = new Set(['fail', 'error', 'not-testable', 'warn', 'declared'])

const isNotRun = ({ verdict }: RequirementCell): boolean => verdict === 'not run'

/** Renders a matrix in at most 65,000 bytes, without what is no problem or the same for all targets. */
export function renderMatrixMarkdown({ columns, requirements, unspecified, remarks }: Matrix): string {
  const names = columns.map(({ name }) => escapeProse(name))
  const headline = columns.map(
    ({ name, target, verdict }) => `- ${escapeProse(name)} (${formatCode(target)}): **${escapeProse(verdict)}**`,
  )
  const differing = unspecified.filter(({ isAlike }) => !isAlike)
  // A requirement that was not tested on one of the targets does not count as a problem.
  const problems = requirements.filter(({ cells }) => cells.some(({ verdict }) => BROKEN.has(verdict)))
  const partlyTested = requirements.filter((row) => !problems.includes(row) && row.cells.some(isNotRun)).length
  const requirementRow = ({ id, cells }: Matrix['requirements'][number]): string[] => [
    formatCode(id),
    ...cells.map(({ verdict, count, checks }) => MARKS[verdict] + (count < checks ? ` ${count} of ${checks}` : '')),
  ]
  const unspecifiedRow = ({ subject, cells }: Matrix['unspecified'][number]): string[] => [
    formatCode(subject, 100),
    ...cells.map((cell) => (cell === '' ? '–' : formatCode(cell, 120))),
  ]
  return fitMarkdown([
    {
      head: [`## ${columns.length} targets compared`, ''],
      lines: [...headline, ...remarks.map((remark) => `- ${escapeProse(remark)}`)],
    },
    {
      head: [
        `### Requirements that not every target passed (${problems.length} of ${requirements.length})`,
        '',
        ...(partlyTested === 0
          ? []
          : [
              `${partlyTested} more ${partlyTested === 1 ? 'requirement was' : 'requirements were'} met by every target that was tested for them.`,
              '',
            ]),
      ],
      lines: problems.length === 0 ? [] : renderMarkdownTable(['requirement', ...names], problems.map(requirementRow)),
    },
    {
      head: [`### Unspecified behaviour that differs (${differing.length} of ${unspecified.length})`, ''],
      lines: differing.length === 0 ? [] : renderMarkdownTable(['tried', ...names], differing.map(unspecifiedRow)),
    },
  ])
}
