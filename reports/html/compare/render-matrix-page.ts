import { formatSection } from '../../../contract/sections.ts'
import { formatVerdict } from '../../compare/describe-comparison.ts'
import type { Matrix, RequirementCell, RequirementRow } from '../../matrix/build-matrix.ts'
import { limitPageSize } from '../limit-page-size.ts'
import { html, type Markup } from '../markup.ts'
import { buildSpecificationSection, renderQuote } from '../specification.ts'
import { renderPage } from '../page.ts'
import { renderGroupedTable, renderTable, renderVerdict } from '../elements.ts'

/** Maximum number of rows with differences that are visible without expanding the list. */
const MAX_LISTED_ROWS = 8

/** Renders the matrix of several targets as one HTML file of less than 2 MB. */
export function renderMatrixPage(matrix: Matrix, madeBy: string): string {
  return limitPageSize(matrix, (short) => renderWithin(short, madeBy))
}

function renderWithin(matrix: Matrix, madeBy: string): string {
  const { columns, requirements, unspecified, remarks } = matrix
  const conformant = columns.filter(({ isConformant }) => isConformant).length
  const [equal, unequal] = [requirements.filter(hasOneVerdict), requirements.filter((row) => !hasOneVerdict(row))]
  const differing = unspecified.filter(({ isAlike }) => !isAlike)
  const alike = unspecified.filter(({ isAlike }) => isAlike)
  return renderPage({
    title: `Comparison of ${columns.length} targets`,
    kind: 'Matrix of targets',
    tone: conformant === columns.length ? 'good' : conformant === 0 ? 'bad' : 'open',
    verdict: `${conformant} of ${columns.length} conformant`,
    sentence: `The targets differ in ${unequal.length} of ${requirements.length} requirements, and in ${differing.length} of ${unspecified.length} unspecified behaviours.`,
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
        content: unspecifiedTable('Unspecified behaviour that differs', matrix, differing),
        ...(differing.length > MAX_LISTED_ROWS && {
          collapsedAs: 'Behaviour that the specification leaves open, by request.',
        }),
      },
      {
        id: 'same-requirements',
        heading: `Requirements with the same result (${equal.length})`,
        collapsedAs: 'Each with its result, by section.',
        content: requirementTable('Requirements with the same result', columns, equal),
      },
      {
        id: 'alike',
        heading: `Unspecified behaviour that is the same (${alike.length})`,
        collapsedAs: 'Behaviour that the specification leaves open and that all targets share.',
        content: unspecifiedTable('Unspecified behaviour that is the same', matrix, alike),
      },
      buildSpecificationSection(),
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
      html`${renderQuote(section, quote)} <code class="muted">${id}</code>`,
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

function unspecifiedTable(caption: string, { columns }: Matrix, rows: Matrix['unspecified']): Markup {
  return renderTable(
    caption,
    [{ heading: 'Request' }, ...columns.map(({ name }) => ({ heading: name }))],
    rows.map(({ id, subject, cells }) => [
      html`${subject} <code class="muted">${id}</code>`,
      ...cells.map((cell) => (cell === '' ? html`<span class="muted">not tested</span>` : cell)),
    ]),
  )
}
