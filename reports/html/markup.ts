/** Markup that may go into a page as it is. Only `html` and `trusted` make it, so that no text of a document passes for it. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What can be put into a template: text is escaped, markup is not, nothing and `false` leave no trace. */
export type Insertable = Markup | string | number | undefined | null | false | readonly Insertable[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** What steers, hides, or turns the direction of text; line feed and tab are layout. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Where anything may have to be done: a sign of markup, or what is not printable ASCII, tab or line feed. */
const NOTABLE = /[&<>"']|[^\n\t -~]/

/** The same without the signs of markup. */
const UNUSUAL = /[^\n\t -~]/

/** Templates with the indentation of the source taken out, which would be a third of a page. */
const compacted = new WeakMap<TemplateStringsArray, readonly string[]>()

/** A page, or a part of one: each value is escaped by what it is. */
export function html(literals: TemplateStringsArray, ...values: readonly Insertable[]): Markup {
  const parts = compact(literals)
  let text = parts[0] ?? ''
  for (const [index, value] of values.entries()) {
    text += insert(value) + (parts[index + 1] ?? '')
  }
  return new Markup(text)
}

function compact(literals: TemplateStringsArray): readonly string[] {
  const known = compacted.get(literals)
  if (known !== undefined) return known
  const parts = literals.map((literal) => literal.replace(/\n\s*/g, '\n'))
  compacted.set(literals, parts)
  return parts
}

/** Markup or style written in this folder. Never text of a document. */
export function trusted(text: string): Markup {
  return new Markup(text)
}

/** Text for an element or a quoted attribute; invisible characters are shown by their number. Serves XML as well. */
export function escapeText(text: string): string {
  // Most texts are plain, and looking is cheaper than replacing.
  return NOTABLE.test(text) ? showInvisible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '') : text
}

/** Control characters, marks of direction, halves of characters and the like as `\u{202e}`. */
export function showInvisible(text: string): string {
  if (!UNUSUAL.test(text)) return text
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

function insert(value: Insertable): string {
  if (value instanceof Markup) return value.text
  if (value === undefined || value === null || value === false) return ''
  if (typeof value === 'string') return escapeText(value)
  if (typeof value === 'number') return String(value)
  let text = ''
  for (const part of value) text += insert(part)
  return text
}
