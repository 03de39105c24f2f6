import { makePrintable } from '../../common/printable-text.ts'

/** Trusted HTML. Only `html` and `trustMarkup` create it, so that text of a document is never interpreted as HTML. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Values of `html`, which escapes text, inserts markup, and omits null, undefined and `false`. */
export type HtmlValue = Markup | string | number | undefined | null | false | readonly HtmlValue[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** Template literals without their indentation, which would make up a third of a page. */
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

/** Escapes text for HTML or XML. Replaces invisible characters with their code points. */
export function escapeText(text: string): string {
  const printable = makePrintable(text)
  // Most texts need no escaping, and testing is faster than replacing.
  return /[&<>"']/.test(printable) ? printable.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '') : printable
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
