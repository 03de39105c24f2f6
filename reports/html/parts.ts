import { html, type Insertable, type Markup } from './markup.ts'

/** Facts as label and value; those without a value are left out. */
export function factList(facts: readonly (readonly [label: string, value: Insertable])[]): Markup {
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

/** A table that scrolls by itself where it is too wide for the page. The first cell of a row is its heading. */
export function table(caption: string, columns: readonly Column[], rows: readonly Row[]): Markup {
  return frame(
    caption,
    columns,
    html`<tbody>
      ${rows.map((row) => renderRow(row, columns))}
    </tbody>`,
  )
}

/** The same with a heading over each group of rows. */
export function groupedTable(caption: string, columns: readonly Column[], groups: readonly RowGroup[]): Markup {
  const bodies = groups.map(
    ({ heading, rows }) =>
      html`<tbody>
        <tr>
          <th scope="rowgroup" colspan="${columns.length}">${heading}</th>
        </tr>
        ${rows.map((row) => renderRow(row, columns))}
      </tbody>`,
  )
  return frame(caption, columns, html`${bodies}`)
}

function frame(caption: string, columns: readonly Column[], bodies: Markup): Markup {
  const head = columns.map((column) => html`<th scope="col" ${sideOf(column)}>${column.heading}</th>`)
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      ${bodies}
    </table>
  </div>`
}

function renderRow([first, ...others]: Row, columns: readonly Column[]): Markup {
  const cells = others.map((cell, index) => html`<td${sideOf(columns[index + 1])}>${cell}</td>`)
  return html`<tr>
    <th scope="row" ${sideOf(columns[0])}>${first}</th>
    ${cells}
  </tr>`
}

function sideOf(column: Column | undefined): Markup | undefined {
  return column?.isNumber === true ? html` class="number"` : undefined
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
export function verdictMark(verdict: string, kind = verdict): Markup {
  return html`<span class="verdict v-${kind.replaceAll(' ', '-')}"
    ><span aria-hidden="true">${VERDICT_MARKS[kind] ?? '–'}</span> ${verdict.replaceAll('-', ' ')}</span
  >`
}

/** Text as it was sent: line feeds kept, broken where it must be. */
export function verbatim(text: string, label: string): Markup {
  return html`<pre tabindex="0" role="region" aria-label="${label}">${text}</pre>`
}
