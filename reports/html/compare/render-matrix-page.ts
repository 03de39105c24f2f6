import { formatQuote } from '../../format-quote.ts'
import { formatSection } from '../../../contract/sections.ts'
import { formatVerdict } from '../../compare/describe-comparison.ts'
import type { Matrix, RequirementCell, RequirementRow } from '../../matrix/build-matrix.ts'
import { limitPageSize } from '../limit-page-size.ts'
import { html, type Markup } from '../markup.ts'
import { renderPage } from '../page.ts'
import { renderFold, renderGroupedTable, renderTable, renderVerdict } from '../parts.ts'

/** Renders the matrix of several targets as one HTML file of less than 2 MB. */
export function renderMatrixPage(matrix: Matrix, madeBy: string): string {
  return limitPageSize(matrix, (short) => renderWithin(short, madeBy))
}

function renderWithin(matrix: Matrix, madeBy: string): string {
  const { columns, requirements, silences, remarks } = matrix
  const conformant = columns.filter(({ verdict }) => verdict === 'conformant').length
  const [equal, unequal] = [requirements.filter(hasOneVerdict), requirements.filter((row) => !hasOneVerdict(row))]
  const differing = silences.filter(({ isAlike }) => !isAlike)
  const alike = silences.filter(({ isAlike }) => isAlike)
  return renderPage({
    title: `Comparison of ${columns.length} targets`,
    kind: 'Matrix of targets',
    tone: conformant === columns.length ? 'good' : conformant === 0 ? 'bad' : 'open',
    verdict: `${conformant} of ${columns.length} conformant`,
    sentence: `The targets differ in ${unequal.length} of ${requirements.length} requirements, and in ${differing.length} of ${silences.length} unspecified behaviours.`,
    facts: renderTable(
      'Targets',
      [{ heading: 'Column' }, { heading: 'Address' }, { heading: 'Verdict' }],
      columns.map(({ name, target, verdict }) => [html`<strong>${name}</strong>`, target, formatVerdict(verdict)]),
    ),
    sections: [
      {
        id: 'requirements',
        heading: `Requirements with different results (${unequal.length})`,
        content: html`${remarks.map((remark) => html`<p>${remark}</p>`)}${requirementTable('Requirements with different results', columns, unequal)}`,
      },
      {
        id: 'differing',
        heading: `Unspecified behaviour that differs (${differing.length})`,
        content: silenceTable('Unspecified behaviour that differs', matrix, differing),
      },
      {
        id: 'same-requirements',
        heading: `Requirements with the same result (${equal.length})`,
        content: renderFold(
          `Show ${equal.length} requirements`,
          requirementTable('Requirements with the same result', columns, equal),
        ),
      },
      {
        id: 'alike',
        heading: `Unspecified behaviour that is the same (${alike.length})`,
        content: renderFold(
          `Show ${alike.length} observations`,
          silenceTable('Unspecified behaviour that is the same', matrix, alike),
        ),
      },
    ],
    madeBy,
  })
}

function hasOneVerdict({ cells }: RequirementRow): boolean {
  return new Set(cells.map(({ verdict }) => verdict)).size <= 1
}

function requirementTable(
  caption: string,
  columns: Matrix['columns'],
  requirements: readonly RequirementRow[],
): Markup {
  const bySection = Map.groupBy(requirements, ({ section }) => section)
  const groups = [...bySection].map(([section, rows]) => ({
    heading: formatSection(section),
    rows: rows.map(({ id, quote, cells }) => [
      html`<q>${formatQuote(quote)}</q> <code class="muted">${id}</code>`,
      ...cells.map(renderCell),
    ]),
  }))
  return renderGroupedTable(
    caption,
    [{ heading: 'Requirement' }, ...columns.map(({ name }) => ({ heading: name }))],
    groups,
  )
}

function renderCell({ verdict, count, checks, actual }: RequirementCell): Markup {
  const share = checks > 1 && count < checks ? ` ${count} of ${checks}` : ''
  return html`${renderVerdict(verdict + share, verdict)}${actual !== '' && html`<br /><span class="muted">${actual}</span>`}`
}

function silenceTable(caption: string, { columns }: Matrix, rows: Matrix['silences']): Markup {
  return renderTable(
    caption,
    [{ heading: 'Request' }, ...columns.map(({ name }) => ({ heading: name }))],
    rows.map(({ id, subject, cells }) => [
      html`${subject} <code class="muted">${id}</code>`,
      ...cells.map((cell) => (cell === '' ? html`<span class="muted">not tested</span>` : cell)),
    ]),
  )
}
