/** Limits on the amount of text that a page shows. */
export interface PageLimits {
  /** Maximum number of characters of each text. */
  readonly text: number
  /** Maximum number of request-response pairs shown for a check that did not pass. A passed check shows one. */
  readonly exchanges: number
  /** Maximum number of events shown for a stream. */
  readonly events: number
}

/** Limits to try in this order. The last ones are for documents with excessively long texts. */
const LEVELS: readonly PageLimits[] = [
  { text: 6000, exchanges: 6, events: 60 },
  { text: 1500, exchanges: 3, events: 20 },
  { text: 300, exchanges: 1, events: 5 },
  { text: 60, exchanges: 0, events: 0 },
  { text: 18, exchanges: 0, events: 0 },
]

/** Maximum size of a page that can be sent by mail and opened on a phone. */
const MAX_PAGE_BYTES = 1_900_000

/** Renders a document with the most generous limits that keep the page below the maximum size. */
export function limitPageSize<Document>(
  document: Document,
  render: (document: Document, limits: PageLimits) => string,
): string {
  let page = ''
  for (const limits of LEVELS) {
    page = render(truncateTexts(document, limits.text), limits)
    if (Buffer.byteLength(page) <= MAX_PAGE_BYTES) break
  }
  return page
}

/** Truncates text to `longest` characters, and appends the number of missing characters. */
export function truncateText(text: string, longest: number): string {
  if (text.length <= longest) return text
  // Moves the cut if it would split a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)} … [${(text.length - end).toLocaleString('en')} more characters]`
}

/** Truncates every text and every member name of a document to `longest` characters. */
export function truncateTexts<Value>(value: Value, longest: number): Value {
  // The cast is safe: only texts become shorter, and all enumerated values are shorter than the limit.
  return truncateValue(value, longest) as Value
}

/** Truncates long texts in a value. Returns a value without long texts unchanged, without a copy. */
function truncateValue(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return truncateText(value, longest)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => truncateValue(item, longest))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value).map(
    ([name, item]) => [truncateText(name, longest), truncateValue(item, longest), item] as const,
  )
  const isSame = entries.every(([name, clipped, item]) => clipped === item && name.length <= longest)
  return isSame ? value : Object.fromEntries(entries)
}
