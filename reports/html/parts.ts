import { html, type Insertable, type Markup } from './markup.ts'

/** Renders facts as label and value; omits those without a value. */
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

/** A column of a table; numbers are right-aligned. */
export interface Column {
  readonly heading: string
  readonly isNumber?: boolean
}

type Row = readonly Insertable[]

/** Rows with a common heading. */
export interface RowGroup {
  readonly heading: Insertable
  readonly rows: readonly Row[]
}

/**
 * Renders a table. The first cell of a row is its heading. On a narrow screen, rows of text become blocks with the
 * column heading before each cell, and a table of numbers scrolls. ARIA roles are explicit, because the block layout
 * removes the implicit ones.
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

/** Renders a table with a heading over each group of rows. */
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

/** True for a table that scrolls: more than two columns of numbers to compare down the column. */
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

/** Renders a verdict as a word with a mark. `kind` selects the colour, if it differs from the word. */
export function renderVerdict(verdict: string, kind = verdict): Markup {
  return html`<span class="verdict v-${kind.replaceAll(' ', '-')}"
    ><span aria-hidden="true">${VERDICT_MARKS[kind] ?? '–'}</span> ${verdict.replaceAll('-', ' ')}</span
  >`
}

/** Renders preformatted text: keeps line feeds and wraps long lines. */
export function renderVerbatim(text: string, label: string): Markup {
  return html`<pre tabindex="0" role="region" aria-label="${label}">${text}</pre>`
}
