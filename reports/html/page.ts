import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html, type HtmlValue, type Markup, trustMarkup } from './markup.ts'
import { PAGE_STYLE } from './style.ts'

/** Colour of a verdict. The page also states the verdict as text, for readers who cannot see the colour. */
export type VerdictColor = 'good' | 'bad' | 'open'

export interface PageContent {
  /** Title of the browser tab. */
  readonly title: string
  /** Kind of report, such as `Conformance report`. */
  readonly kind: string
  readonly tone: VerdictColor
  /** The verdict in a few words, for the heading. */
  readonly verdict: string
  /** A sentence with the verdict and its subject. */
  readonly sentence: HtmlValue
  /** Facts about the run, shown below the sentence. */
  readonly facts?: HtmlValue
  readonly sections: readonly PageSection[]
  /** Name and version of the program that generated the page, such as `touchstone 0.2.0`. */
  readonly madeBy: string
}

/** A section with a heading and an entry in the table of contents. */
export interface PageSection {
  /** ID of the section in URL fragments: letters, digits and hyphens. */
  readonly id: string
  readonly heading: string
  readonly content: HtmlValue
  /** Summary that is visible while the section is collapsed. If absent, the section is not collapsed. */
  readonly collapsedAs?: string
  /** Whether the section is collapsed on a narrow screen. Without scripts, the section is always expanded. */
  readonly isCollapsedIfNarrow?: boolean
}

const MARKS: Readonly<Record<VerdictColor, string>> = { good: '✓', bad: '✗', open: '◐' }

export const PAGE_SCRIPT = readFileSync(new URL('page-script.js', import.meta.url), 'utf8')

// Each element is one string, because the content security policy contains a digest of its exact content.
const STYLE_ELEMENT = trustMarkup(`<style>${PAGE_STYLE}</style>`)
const SCRIPT_ELEMENT = trustMarkup(`<script type="module">${PAGE_SCRIPT}</script>`)

/** Content security policy that allows only the page's own style and script, by their digests, and forbids requests. */
const POLICY = `default-src 'none'; style-src ${digest(PAGE_STYLE)}; script-src ${digest(PAGE_SCRIPT)}; base-uri 'none'; form-action 'none'`

function digest(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
}

/** Renders a self-contained HTML page. */
export function renderPage(parts: PageContent): string {
  const { title, kind, tone, verdict, sentence, facts, sections, madeBy } = parts
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trustMarkup(POLICY)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the results</a>
        <header class="banner ${tone}">
          <p class="kind">${kind}</p>
          <h1><span aria-hidden="true">${MARKS[tone]}</span> ${verdict}</h1>
          <p class="sentence">${sentence}</p>
          ${facts}
        </header>
        ${contents(sections)}
        <main id="content">${sections.map(renderSection)}</main>
        <footer><p>${madeBy}. This file loads nothing from the network, and works without scripts.</p></footer>
        ${SCRIPT_ELEMENT}
      </body>
    </html> `
  return `${page.text.trim()}\n`
}

function contents(sections: readonly PageSection[]): Markup | undefined {
  if (sections.length < 2) return undefined
  return html`<nav aria-label="Contents">
    <ul>
      ${sections.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}
    </ul>
  </nav>`
}

function renderSection({ id, heading, content, collapsedAs, isCollapsedIfNarrow }: PageSection): Markup {
  if (collapsedAs !== undefined) {
    return html`<section id="${id}" class="collapsed" aria-labelledby="${id}-heading">
      <details class="fold">
        <summary>
          <h2 id="${id}-heading">${heading}</h2>
          <span class="muted">${collapsedAs}</span>
        </summary>
        ${content}
      </details>
    </section> `
  }
  if (isCollapsedIfNarrow === true) {
    return html`<section id="${id}" class="expanded" aria-labelledby="${id}-heading">
      <details class="fold" open data-narrow>
        <summary><h2 id="${id}-heading">${heading}</h2></summary>
        ${content}
      </details>
    </section> `
  }
  return html`<section id="${id}" aria-labelledby="${id}-heading">
    <h2 id="${id}-heading">${heading}</h2>
    ${content}
  </section> `
}
