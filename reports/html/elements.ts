import { html, type HtmlValue, type Markup } from './markup.ts'

/** Renders labelled facts as a definition list. Omits facts without a value. */
export function renderFactList(facts: readonly (readonly [label: string, value: HtmlValue])[]): Markup {
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

/** Renders the keys of a run with their roles: `funded sha256:1f3870be, no credits (hidden)`. */
export function renderKeys(keys: Readonly<Record<string, string>>): Markup {
  const entries = Object.entries(keys).map(
    ([role, key], index) => html`${index > 0 && ', '}<span class="nowrap">${role} ${key}</span>`,
  )
  return html`${entries}`
}

/** A table column. Numbers are right-aligned. */
export interface TableColumn {
  readonly heading: string
  readonly isNumber?: boolean
}

type Row = readonly HtmlValue[]

export interface TableRowGroup {
  readonly heading: HtmlValue
  readonly rows: readonly Row[]
}

/** Renders a table. On a narrow screen, rows of text become blocks, for which the ARIA roles are explicit. */
export function renderTable(caption: string, columns: readonly TableColumn[], rows: readonly Row[]): Markup {
  const body = rows.map((row) => renderRow(row, columns))
  return frame(
    caption,
    columns,
    html`<tbody role="rowgroup">
      ${body}
    </tbody>`,
  )
}

/** Renders a table with a heading above each group of rows. */
export function renderGroupedTable(
  caption: string,
  columns: readonly TableColumn[],
  groups: readonly TableRowGroup[],
): Markup {
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

function frame(caption: string, columns: readonly TableColumn[], bodies: Markup): Markup {
  const head = columns.map(
    (column) => html`<th role="columnheader" scope="col" ${sideOf(column)}>${column.heading}</th>`,
  )
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}">
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

function renderRow([first, ...others]: Row, columns: readonly TableColumn[]): Markup {
  const isLabelled = isStacked(columns)
  const cells = others.map((cell, index) => {
    const column = columns[index + 1]
    const label = isLabelled && html` data-label="${column?.heading}"`
    return html`<td role="cell" ${sideOf(column)}${label}>${cell}</td>`
  })
  // A number alone needs the heading of its column. Other first cells name the row.
  const firstLabel = isLabelled && columns[0]?.isNumber === true && html` data-label="${columns[0].heading}"`
  return html`<tr role="row">
    <th role="rowheader" scope="row" ${sideOf(columns[0])}${firstLabel}>${first}</th>
    ${cells}
  </tr>`
}

/** Maximum number of numeric columns, besides the first column, that fit a narrow screen. */
const MAX_NARROW_NUMBERS = 3

/** Returns whether rows become blocks on a narrow screen. Tables of few numbers keep their columns. */
function isStacked([, ...others]: readonly TableColumn[]): boolean {
  const isNumeric = others.every(({ isNumber }) => isNumber === true)
  return others.length > (isNumeric ? MAX_NARROW_NUMBERS : 1)
}

/** Returns the class of a cell with its attribute name, or false without a class. */
function sideOf(column: TableColumn | undefined): Markup | false {
  return column?.isNumber === true && html` class="number"`
}

const VERDICT_MARKS: Readonly<Record<string, string>> = {
  pass: '✓',
  within: '✓',
  fail: '✗',
  broken: '✗',
  error: '✗',
  declared: '≠',
  warn: '!',
  observed: '○',
}

/** Verdicts that keep their hyphen when displayed. */
const HYPHENATED: ReadonlySet<string> = new Set(['non-conformant'])

/** Renders a verdict as a word with a symbol. `kind` determines the colour, if it differs. */
export function renderVerdict(verdict: string, kind = verdict): Markup {
  return html`<span class="verdict v-${kind.replaceAll(' ', '-')}"
    ><span aria-hidden="true">${VERDICT_MARKS[kind] ?? '–'}</span>
    ${HYPHENATED.has(verdict) ? verdict : verdict.replaceAll('-', ' ')}</span
  >`
}

/** Renders preformatted text. Keeps line feeds, and wraps long lines. */
export function renderPreformatted(text: string, label: string): Markup {
  return html`<pre tabindex="0" role="group" aria-label="${label}">${text}</pre>`
}

/** Renders a shell command. The page's script adds a copy button. */
export function renderCommand(command: string, label: string): Markup {
  return html`<div class="command">
    <pre tabindex="0" role="group" aria-label="${label}" data-copy>${keepFlagsWhole(command)}</pre>
  </div>`
}

/** Renders text in which no line break divides a flag such as `--max-tokens` or `-H`. */
export function keepFlagsWhole(text: string): Markup {
  const parts = text.split(/(?<=^|[\s(`])(--?[a-zA-Z][\w-]*)/)
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<span class="nowrap">${part}</span>`))}`
}

/** Renders a `details` element, which hides its content until a click. */
export function renderDetails(summary: string, content: HtmlValue): Markup {
  return html`<details class="fold">
    <summary>${summary}</summary>
    ${content}
  </details>`
}

/** Renders content that is collapsed on a narrow screen only. Without scripts, it is always expanded. */
export function renderNarrowDetails(summary: string, content: HtmlValue): Markup {
  return html`<details class="fold narrow" open data-narrow>
    <summary>${summary}</summary>
    ${content}
  </details>`
}

/** Renders a table, and collapses the rows after the first `maxRows`. */
export function renderLongTable(
  caption: string,
  columns: readonly TableColumn[],
  rows: readonly Row[],
  maxRows: number,
): Markup {
  const others = rows.slice(maxRows)
  return html`${renderTable(caption, columns, rows.slice(0, maxRows))}
  ${others.length > 0 && renderDetails(`Show ${others.length} more`, renderTable(`${caption}, continued`, columns, others))}`
}

/** Renders IDs as code, separated by commas. */
export function renderIds(ids: readonly string[]): Markup {
  return html`<span class="ids">${ids.map((id, index) => html`${index > 0 && ', '}<code>${id}</code>`)}</span>`
}

/** Renders text that the suite wrote. Renders the parts between backticks as code. */
export function renderProse(text: string): Markup {
  const parts = text.split('`')
  // An even number of backticks splits the text into an odd number of parts.
  return parts.length % 2 === 0
    ? keepFlagsWhole(text)
    : html`${parts.map((part, index) => (index % 2 === 0 ? keepFlagsWhole(part) : html`<code>${keepFlagsWhole(part)}</code>`))}`
}
