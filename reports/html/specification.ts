import { formatSource } from '../../contract/sections.ts'
import { formatQuote } from '../format-quote.ts'
import { findSpecLine, listSpecLines, type SpecLine } from '../spec-lines.ts'
import { html, type Markup } from './markup.ts'
import type { PageSection } from './page.ts'

/** Renders a quotation and its section, with a link to its line in the text of the specification. */
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

/** Builds a section with the specification line by line, to which quotations link. The page works offline. */
export function buildSpecificationSection(): PageSection {
  const lines = listSpecLines().filter(({ text }) => text.trim() !== '')
  return {
    id: 'specification',
    heading: 'Specification',
    collapsedAs: 'The full text, to which the quotations link.',
    content: html`<div class="specification">
      ${lines.map((line) => html`<p id="${lineAnchor(line)}">${line.text}</p>`)}
    </div>`,
  }
}
