import { createHash } from 'node:crypto'
import { html, type Insertable, type Markup, trusted } from './markup.ts'
import { STYLE } from './style.ts'

/** Colours of verdicts. The text states the verdict as well. */
export type Tone = 'good' | 'bad' | 'open'

/** Contents of a page, from top to bottom. */
export interface PageParts {
  /** Title of the browser tab. */
  readonly title: string
  /** Kind of report: `Conformance report`. */
  readonly kind: string
  readonly tone: Tone
  /** The verdict, in a word or two. */
  readonly verdict: string
  /** One sentence with the verdict and its subject. */
  readonly sentence: Insertable
  /** Facts of the run, below the sentence. */
  readonly facts?: Insertable
  readonly sections: readonly PageSection[]
  /** Generator of the page: `touchstone 0.1.0`. */
  readonly madeBy: string
}

/** A part of a page, with a heading and an entry in the contents. */
export interface PageSection {
  /** Fragment id: letters, digits and hyphens. */
  readonly id: string
  readonly heading: string
  readonly content: Insertable
}

const MARKS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✗', open: '◐' }

/** The style element as one string: the policy contains the digest of its exact content. */
const STYLE_ELEMENT = trusted(`<style>${STYLE}</style>`)

/** Content security policy: allows only the style of this page, no scripts and no requests. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`

/** Renders a self-contained HTML file. */
export function renderPage(parts: PageParts): string {
  const { title, kind, tone, verdict, sentence, facts, sections, madeBy } = parts
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trusted(POLICY)}" />
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
        <footer><p>${madeBy}. This file needs no network and runs no script.</p></footer>
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

function renderSection({ id, heading, content }: PageSection): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-heading">
    <h2 id="${id}-heading">${heading}</h2>
    ${content}
  </section> `
}
