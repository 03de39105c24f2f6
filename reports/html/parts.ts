import { html, type Insertable, type Markup } from './markup.ts'

/** Facts as label and value; those without a value are left out. */
export function factList(facts: readonly (readonly [label: string, value: Insertable])[]): Markup {
  const shown = facts.filter(([, value]) => value !== undefined && value !== '')
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

/** A table that scrolls by itself where it is too wide for the page. The first cell of a row is its heading. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Insertable[])[]): Markup {
  const side = (index: number): Markup | undefined =>
    columns[index]?.isNumber === true ? html` class="number"` : undefined
  const head = columns.map(({ heading }, index) => html`<th scope="col" ${side(index)}>${heading}</th>`)
  const body = rows.map((cells) => {
    const [first, ...others] = cells
    return html`<tr>
      <th scope="row" ${side(0)}>${first}</th>
      ${others.map((cell, index) => html`<td${side(index + 1)}>${cell}</td>`)}
    </tr> `
  })
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
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`
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
