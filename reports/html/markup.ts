/** Trusted HTML. Only `html` and `trustMarkup` create it, so that text of a document is never interpreted as HTML. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * Values that the template tag `html` accepts. It escapes text, inserts markup unchanged, and omits null, undefined and
 * `false`.
 */
export type HtmlValue = Markup | string | number | undefined | null | false | readonly HtmlValue[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** Matches control, invisible and bidirectional characters, except line feed and tab. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Matches characters that may need escaping: HTML syntax, and everything except printable ASCII, tab and line feed. */
const NOTABLE = /[&<>"']|[^\n\t -~]/

/** Matches everything except printable ASCII, tab and line feed. */
const UNUSUAL = /[^\n\t -~]/

/**
 * Cache of template literals from which the indentation has been removed. Indentation would otherwise make up a third
 * of a page.
 */
const compacted = new WeakMap<TemplateStringsArray, readonly string[]>()

/** Builds markup from a template literal. Escapes each value according to its type. */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Markup {
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

/** Marks a constant of the source code as trusted HTML or CSS. Must not be used for text of a document. */
export function trustMarkup(text: string): Markup {
  return new Markup(text)
}

/**
 * Escapes text for an element or a quoted attribute in HTML or XML. Replaces invisible characters with their code
 * points.
 */
export function escapeText(text: string): string {
  // Most texts need no escaping, and testing is faster than replacing.
  return NOTABLE.test(text)
    ? replaceInvisibleCharacters(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    : text
}

/**
 * Replaces each control, invisible or bidirectional character with its code point, such as `\u{202e}`. Keeps line
 * feeds and tabs.
 */
export function replaceInvisibleCharacters(text: string): string {
  if (!UNUSUAL.test(text)) return text
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

function insert(value: HtmlValue): string {
  if (value instanceof Markup) return value.text
  if (value === undefined || value === null || value === false) return ''
  if (typeof value === 'string') return escapeText(value)
  if (typeof value === 'number') return String(value)
  let text = ''
  for (const part of value) text += insert(part)
  return text
}
