import { html, type Insertable, type Markup } from './markup.ts'

/** Facts as label and value; those without a value are left out. */
export function renderFactList(facts: readonly (readonly [label: string, value: Insertable])[]): Markup {
  const shown = facts.filter(([, value]) => value !== undefined && value !== false && value !== '')
  return html`<dl class="facts">
    ${shown.map(
      ([label, value]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

/** A column of a table; numbers stand to the right. */
export interface Column {
  readonly heading: string
  readonly isNumber?: boolean
}

type Row = readonly Insertable[]

/** Rows that share a heading above them. */
export interface RowGroup {
  readonly heading: Insertable
  readonly rows: readonly Row[]
}

/**
 * A table. The first cell of a row is its heading. On a narrow screen, rows of text become blocks with the heading of the
 * column before each cell; a table of numbers scrolls by itself. Roles are written out, since blocks would take them away.
 */
export function renderTable(caption: string, columns: readonly Column[], rows: readonly Row[]): Markup {
  const body = rows.map((row) => renderRow(row, columns))
  return frame(
    caption,
    columns,
    html`<tbody role="rowgroup">
      ${body}
    </tbody>`,
  )
}

/** The same with a heading over each group of rows. */
export function renderGroupedTable(caption: string, columns: readonly Column[], groups: readonly RowGroup[]): Markup {
  const bodies = groups.map(
    ({ heading, rows }) =>
      html`<tbody role="rowgroup">
        <tr role="row">
          <th role="rowheader" scope="rowgroup" colspan="${columns.length}">${heading}</th>
        </tr>
        ${rows.map((row) => renderRow(row, columns))}
      </tbody>`,
  )
  return frame(caption, columns, html`${bodies}`)
}

function frame(caption: string, columns: readonly Column[], bodies: Markup): Markup {
  const head = columns.map(
    (column) => html`<th role="columnheader" scope="col" class="${sideOf(column)}">${column.heading}</th>`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table role="table" class="${isStacked(columns) && 'stacked'}">
      <caption>
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${head}
        </tr>
      </thead>
      ${bodies}
    </table>
  </div>`
}

function renderRow([first, ...others]: Row, columns: readonly Column[]): Markup {
  const isLabelled = isStacked(columns)
  const cells = others.map((cell, index) => {
    const column = columns[index + 1]
    const label = isLabelled && html` data-label="${column?.heading}"`
    return html`<td role="cell" class="${sideOf(column)}" ${label}>${cell}</td>`
  })
  return html`<tr role="row">
    <th role="rowheader" scope="row" class="${sideOf(columns[0])}">${first}</th>
    ${cells}
  </tr>`
}

/** Two columns fit; more do where they hold numbers that are compared down the column. */
function isStacked([, ...others]: readonly Column[]): boolean {
  return others.length > 1 && others.some(({ isNumber }) => isNumber !== true)
}

function sideOf(column: Column | undefined): string {
  return column?.isNumber === true ? 'number' : ''
}

const VERDICT_MARKS: Readonly<Record<string, string>> = {
  pass: '✓',
  within: '✓',
  fail: '✗',
  broken: '✗',
  error: '✗',
  warn: '!',
  observed: '○',
}

/** A verdict as a word with a mark; `kind` is the word that colours it, where it is another. */
export function renderVerdict(verdict: string, kind = verdict): Markup {
  return html`<span class="verdict v-${kind.replaceAll(' ', '-')}"
    ><span aria-hidden="true">${VERDICT_MARKS[kind] ?? '–'}</span> ${verdict.replaceAll('-', ' ')}</span
  >`
}

/** Text as it was sent: line feeds kept, broken where it must be. */
export function renderVerbatim(text: string, label: string): Markup {
  return html`<pre tabindex="0" role="region" aria-label="${label}">${text}</pre>`
}
