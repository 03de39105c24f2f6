/** Limits on what a page shows of a document. */
export interface Limits {
  /** Maximum characters of one text. */
  readonly text: number
  /** Maximum exchanges of a check that did not pass; a passed one shows one. */
  readonly exchanges: number
  /** Maximum events of a stream. */
  readonly events: number
}

/** Limits to try, from generous to the minimum for documents with excessively long texts. */
const LEVELS: readonly Limits[] = [
  { text: 6000, exchanges: 6, events: 60 },
  { text: 1500, exchanges: 3, events: 20 },
  { text: 300, exchanges: 1, events: 5 },
  { text: 60, exchanges: 0, events: 0 },
  { text: 20, exchanges: 0, events: 0 },
]

/** Maximum size of a page that can be mailed and opened on a phone. */
const LONGEST_PAGE_BYTES = 1_900_000

/**
 * Renders a document with the most generous limits that keep the page within its maximum size. Each cut text says how
 * much is missing.
 */
export function limitPageSize<Document>(
  document: Document,
  render: (document: Document, limits: Limits) => string,
): string {
  let page = ''
  for (const limits of LEVELS) {
    page = render(clipTexts(document, limits.text), limits)
    if (Buffer.byteLength(page) <= LONGEST_PAGE_BYTES) break
  }
  return page
}

/** Cuts a text to this many characters and appends how many are missing. */
export function clipText(text: string, longest: number): string {
  if (text.length <= longest) return text
  // Does not split a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)} … [${(text.length - end).toLocaleString('en')} more characters]`
}

/** Cuts every text and every member name of a document to this length. */
export function clipTexts<Value>(value: Value, longest: number): Value {
  // The shape is unchanged: only texts get shorter, and none of those is a constant that the page depends on.
  return clip(value, longest) as Value
}

/** Returns a value without long texts unchanged, which covers most of a document. */
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
