import type { Matrix } from '../matrix/build-matrix.ts'
import { code, fitMarkdown, markdownTable, prose } from './escape.ts'

const MARKS = {
  pass: '✅ pass',
  fail: '❌ fail',
  error: '❌ error',
  warn: '⚠️ warn',
  observed: 'observed',
  'not-testable': '🟡 not testable',
  'not made': '–',
} as const

/** Several targets side by side as Markdown, of at most 65,000 bytes: what differs first. */
export function renderMatrixMarkdown({ columns, requirements, silences, remarks }: Matrix): string {
  const names = columns.map(({ name }) => prose(name))
  const headline = columns.map(
    ({ name, target, verdict }) => `- ${prose(name)} (${code(target)}): **${prose(verdict)}**`,
  )
  const differing = silences.filter(({ isAlike }) => !isAlike)
  const problems = requirements.filter(({ cells }) => cells.some(({ verdict }) => verdict !== 'pass'))
  const requirementRow = ({ id, cells }: Matrix['requirements'][number]): string[] => [
    code(id),
    ...cells.map(({ verdict, count, checks }) => MARKS[verdict] + (count < checks ? ` ${count} of ${checks}` : '')),
  ]
  const silenceRow = ({ subject, cells }: Matrix['silences'][number]): string[] => [
    code(subject, 100),
    ...cells.map((cell) => (cell === '' ? '–' : code(cell, 120))),
  ]
  return fitMarkdown([
    {
      head: [`## ${columns.length} targets side by side`, ''],
      lines: [...headline, ...remarks.map((remark) => `- ${prose(remark)}`)],
    },
    {
      head: [`### Requirements that not every target keeps (${problems.length} of ${requirements.length})`, ''],
      lines: problems.length === 0 ? [] : markdownTable(['requirement', ...names], problems.map(requirementRow)),
    },
    {
      head: [`### Silences, where they differ (${differing.length} of ${silences.length})`, ''],
      lines: differing.length === 0 ? [] : markdownTable(['tried', ...names], differing.map(silenceRow)),
    },
  ])
}
