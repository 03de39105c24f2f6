/** How much of a document a page shows. */
export interface Limits {
  /** Characters of one text. */
  readonly text: number
  /** Exchanges of a check that did not pass; one that passed shows a single one. */
  readonly exchanges: number
  /** Events of a stream. */
  readonly events: number
}

/** From generous to what is left when every text of a document is out of all bounds. */
const LEVELS: readonly Limits[] = [
  { text: 6000, exchanges: 6, events: 60 },
  { text: 1500, exchanges: 3, events: 20 },
  { text: 300, exchanges: 1, events: 5 },
  { text: 60, exchanges: 0, events: 0 },
  { text: 20, exchanges: 0, events: 0 },
]

/** A page can be sent by mail and opened on a phone. */
const LONGEST_PAGE_BYTES = 1_900_000

/** Renders a document with the most text that keeps the page within its bound. What is cut says how much is missing. */
export function fitPage<Document>(document: Document, render: (document: Document, limits: Limits) => string): string {
  let page = ''
  for (const limits of LEVELS) {
    page = render(clipTexts(document, limits.text), limits)
    if (Buffer.byteLength(page) <= LONGEST_PAGE_BYTES) break
  }
  return page
}

/** A text of at most so many characters, which says how many more there were. */
export function clipText(text: string, longest: number): string {
  if (text.length <= longest) return text
  // Not between the two halves of a character.
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)} … [${(text.length - end).toLocaleString('en')} more characters]`
}

/** A document in which no text, and no name of a member, is longer than that. */
export function clipTexts<Value>(value: Value, longest: number): Value {
  // The shape stays as it is: only texts get shorter, and those are nowhere constants that a page could not show cut.
  return clip(value, longest) as Value
}

/** What holds nothing too long is given back as it is: most of a document does. */
function clip(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return clipText(value, longest)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => clip(item, longest))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value).map(
    ([name, item]) => [clipText(name, longest), clip(item, longest), item] as const,
  )
  const isSame = entries.every(([name, clipped, item]) => clipped === item && name.length <= longest)
  return isSame ? value : Object.fromEntries(entries)
}
