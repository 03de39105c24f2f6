import { formatSource } from '../../contract/sections.ts'
import { formatQuote } from '../format-quote.ts'
import { findSpecLine, listSpecLines, type SpecLine } from '../spec-lines.ts'
import { html, type HtmlValue, type Markup } from './markup.ts'
import type { PageSection } from './page.ts'

/**
 * Renders a quotation and its section. If the specification contains the quotation, links the section to the line in
 * {@link buildSpecificationSection}.
 */
export function renderQuote(section: string, quote: string): Markup {
  const line = findSpecLine(section, quote)
  const name = formatSource(section, quote)
  const source =
    line === undefined
      ? html`<span class="muted">${name}</span>`
      : html`<a class="source" href="#${lineAnchor(line)}">${name}</a>`
  return html`${formatQuote(section, quote)} ${source}`
}

function lineAnchor({ number }: SpecLine): string {
  return `specification-line-${number}`
}

/**
 * Builds a section with the complete text of the specification, to which quotations link. The page contains the text (8
 * KB) because it must work offline.
 * @param note additional text above the specification
 */
export function buildSpecificationSection(note?: string): PageSection {
  return {
    id: 'specification',
    heading: 'Specification',
    collapsedAs: 'The full text, to which the quotations link.',
    content: html`${note !== undefined && html`<p>${note}</p>`}
      <div class="specification">${renderBlocks(listSpecLines())}</div>`,
  }
}

type BlockKind = 'heading' | 'table' | 'list' | 'numbered' | 'text'

function kindOf({ text }: SpecLine): BlockKind {
  if (text.startsWith('#')) return 'heading'
  if (text.startsWith('|')) return 'table'
  if (text.startsWith('- ')) return 'list'
  return /^\d+\. /.test(text) ? 'numbered' : 'text'
}

function renderBlocks(lines: readonly SpecLine[]): Markup[] {
  const blocks: { readonly kind: BlockKind; readonly lines: SpecLine[] }[] = []
  let isNewBlock = true
  for (const line of lines) {
    if (line.text.trim() === '') {
      isNewBlock = true
      continue
    }
    const kind = kindOf(line)
    const last = blocks.at(-1)
    if (isNewBlock || last?.kind !== kind) blocks.push({ kind, lines: [line] })
    else last.lines.push(line)
    isNewBlock = false
  }
  return blocks.map(({ kind, lines: members }) => renderBlock(kind, members))
}

function renderBlock(kind: BlockKind, lines: readonly SpecLine[]): Markup {
  switch (kind) {
    case 'heading':
      return html`${lines.map(renderHeading)}`
    case 'table':
      return renderSpecTable(lines)
    case 'list':
      return html`<ul>
        ${lines.map((line) => html`<li id="${lineAnchor(line)}">${line.text.slice(2)}</li>`)}
      </ul>`
    case 'numbered':
      return html`<ol>
        ${lines.map((line) => html`<li id="${lineAnchor(line)}">${line.text.replace(/^\d+\. /, '')}</li>`)}
      </ol>`
    case 'text':
      return html`${lines.map((line) => html`<p id="${lineAnchor(line)}">${line.text}</p>`)}`
  }
}

function renderHeading(line: SpecLine): Markup {
  const [, marks = '', title = ''] = /^(#+) (.*)$/.exec(line.text) ?? []
  return marks.length === 3
    ? html`<h4 id="${lineAnchor(line)}">${title}</h4>`
    : html`<h3 id="${lineAnchor(line)}">${title}</h3>`
}

function renderSpecTable([head, , ...rows]: readonly SpecLine[]): Markup {
  const cells = (line: SpecLine | undefined): string[] =>
    (line?.text ?? '')
      .replaceAll(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim())
  const renderCells = ([first, ...others]: readonly string[]): HtmlValue => [
    html`<th scope="row">${first}</th>`,
    ...others.map((cell) => html`<td>${cell}</td>`),
  ]
  return html`<table>
    <thead>
      <tr>
        ${cells(head).map((cell) => html`<th scope="col">${cell}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr id="${lineAnchor(row)}">
            ${renderCells(cells(row))}
          </tr>`,
      )}
    </tbody>
  </table>`
}
