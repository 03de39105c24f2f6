/** Part of a text, in UTF-16 code units. `end` is exclusive. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A text that was decoded from another text, its source. */
export interface DecodedText {
  readonly text: string
  /** Returns the parts of the source that encode a part of this text. */
  locate(range: TextRange): TextRange[]
}

/** A notation for characters: the character with which each escape begins, and a pattern. */
interface EscapeNotation {
  readonly start: string
  readonly pattern: RegExp
}

/** Escapes of JSON and JavaScript. */
const JSON_ESCAPES: EscapeNotation = {
  start: '\\',
  pattern: /\\(?:u\{(?<braced>[\da-f]{1,6})\}|u(?<unicode>[\da-f]{4})|x(?<byte>[\da-f]{2})|(?<simple>["'\\/bfnrt]))/gi,
}

/** All notations. References of HTML may lack the semicolon. */
const ESCAPE_NOTATIONS: readonly EscapeNotation[] = [
  JSON_ESCAPES,
  { start: '%', pattern: /%(?<byte>[\da-f]{2})/gi },
  { start: '&', pattern: /&(?:#x(?<unicode>[\da-f]{1,6});?|#(?<decimal>\d{1,7});?|(?<name>[a-z]{2,8});)/gi },
]

const CONTROL_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Named references of the ASCII characters that are neither letters nor digits. */
const NAMED_REFERENCES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  bsol: '\\',
  colon: ':',
  comma: ',',
  commat: '@',
  dash: '-',
  dollar: '$',
  equals: '=',
  excl: '!',
  gt: '>',
  hyphen: '-',
  lowbar: '_',
  lpar: '(',
  lt: '<',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quest: '?',
  quot: '"',
  rpar: ')',
  semi: ';',
  sol: '/',
  verbar: '|',
}

/** An escape in a text, the position of its character in the decoded text, and the length of this character. */
interface Escape extends TextRange {
  readonly decodedAt: number
  readonly length: number
}

/** Maximum number of levels of escapes inside each other that are decoded. */
const MAX_LEVELS = 6
/** Maximum number of texts that result from one text by decoding its escapes, in any order. */
const MAX_TEXTS = 32

/**
 * Returns a text, and the texts that result from decoding its escapes, one notation and one level after another. The order
 * matters, because an escape may encode a part of another one.
 */
export function decodeEscapes(text: string, notations = ESCAPE_NOTATIONS): DecodedText[] {
  const all: DecodedText[] = [{ text, locate: (range) => [range] }]
  const known = new Set([text])
  let sources: readonly DecodedText[] = [...all]
  for (let level = 0; level < MAX_LEVELS && sources.length > 0; level += 1) {
    const results: DecodedText[] = []
    for (const source of sources) {
      for (const notation of notations) {
        const decoded = decodeNotation(source.text, notation)
        if (known.has(decoded.text) || known.size === MAX_TEXTS) continue
        known.add(decoded.text)
        results.push(compose(source, decoded))
      }
    }
    all.push(...results)
    sources = results
  }
  return all
}

/**
 * Returns the joined strings of a JSON text, at each level of escapes of JSON. Other escapes remain, because a string may
 * contain only a part of one.
 */
export function joinStrings(text: string): DecodedText[] {
  return decodeEscapes(text, [JSON_ESCAPES]).flatMap((level) => {
    const joined = joinValues(level.text)
    return joined === undefined ? [] : [compose(level, joined)]
  })
}

/** Decodes the escapes in one notation, but not escapes that result from it. */
function decodeNotation(text: string, { start: first, pattern }: EscapeNotation): DecodedText {
  const escapes: Escape[] = []
  let decoded = ''
  let copied = 0
  pattern.lastIndex = text.indexOf(first)
  for (let match = pattern.lastIndex < 0 ? null : pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const character = decodeEscape(match)
    decoded += text.slice(copied, match.index)
    copied = pattern.lastIndex
    escapes.push({ start: match.index, end: copied, decodedAt: decoded.length, length: character.length })
    decoded += character
  }
  decoded += text.slice(copied)
  /** Returns the character or the escape that encodes the character at this index of the decoded text. */
  const sourceOf = (index: number): TextRange => {
    const last = escapes[findLastIndex(escapes, ({ decodedAt }) => decodedAt <= index)]
    if (last === undefined) return { start: index, end: index + 1 }
    const beyond = index - last.decodedAt - last.length
    return beyond < 0 ? last : { start: last.end + beyond, end: last.end + beyond + 1 }
  }
  return { text: decoded, locate: ({ start, end }) => [{ start: sourceOf(start).start, end: sourceOf(end - 1).end }] }
}

function decodeEscape({ 0: escape, groups = {} }: RegExpExecArray): string {
  const { braced, unicode, byte, simple, decimal, name } = groups
  if (simple !== undefined) return CONTROL_ESCAPES[simple.toLowerCase()] ?? simple
  if (name !== undefined) return NAMED_REFERENCES[name.toLowerCase()] ?? escape
  const digits = braced ?? unicode ?? byte
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16)
  return code > 0x10_ff_ff ? escape : String.fromCodePoint(code)
}

/** Finds the last item for which a condition holds, which must hold for all items before it. Returns -1 without one. */
function findLastIndex<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && holds(item)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Matches the data of an event that is not JSON. */
const DATA_LINE = /(?<=^data: ?)[^[{"\s][^\r\n]*/gm

/**
 * Joins all values of one name, such as the deltas of a stream or the items of a list. Also joins the lines of an event
 * stream whose data is not JSON. A zero character separates the groups. Returns undefined if there is nothing to join.
 */
function joinValues(text: string): DecodedText | undefined {
  const byName = new Map<string, TextRange[]>()
  let name = ''
  for (const { isName, ...range } of listStrings(text)) {
    if (isName) {
      name = text.slice(range.start, range.end)
      continue
    }
    const values = byName.get(name)
    if (values === undefined) byName.set(name, [range])
    else values.push(range)
  }
  const lines = text.includes('data:') ? listMatches(text, DATA_LINE) : []
  const groups = [...byName.values(), lines].filter((group) => group.length > 1)
  return groups.length === 0 ? undefined : joinRanges(text, groups)
}

/** Joins parts of a text. A zero character separates the groups. */
function joinRanges(text: string, groups: readonly (readonly TextRange[])[]): DecodedText {
  const pieces: (TextRange & { readonly joinedAt: number })[] = []
  let length = 0
  for (const group of groups) {
    for (const { start, end } of group) {
      pieces.push({ start, end, joinedAt: length })
      length += end - start
    }
    length += 1
  }
  return {
    text: groups.map((group) => group.map(({ start, end }) => text.slice(start, end)).join('')).join('\0'),
    locate: (range) => {
      const located: TextRange[] = []
      let at = findLastIndex(pieces, ({ joinedAt }) => joinedAt <= range.start)
      for (let piece = pieces[at]; piece !== undefined && piece.joinedAt < range.end; piece = pieces[(at += 1)]) {
        const moved = piece.start - piece.joinedAt
        const start = Math.max(piece.start, range.start + moved)
        const end = Math.min(piece.end, range.end + moved)
        if (start < end) located.push({ start, end })
      }
      return located
    },
  }
}

/**
 * Yields the text between each pair of adjacent quotes, except separators such as `,` and `:[`. It cannot rely on every
 * second quote being an opening one, because a string may itself contain a JSON text. A string before a colon is a name.
 */
function* listStrings(text: string): Generator<TextRange & { readonly isName: boolean }> {
  let start = findQuote(text, 0) + 1
  for (let end = findQuote(text, start); end < text.length;) {
    const next = findQuote(text, end + 1)
    if (!isSeparator(text, start, end)) yield { start, end, isName: text[skipSpaces(text, end + 1)] === ':' }
    start = end + 1
    end = next
  }
}

function isSeparator(text: string, start: number, end: number): boolean {
  const first = skipSpaces(text, start)
  return first >= end || ':,[]{}'.includes(text.charAt(first))
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at += 1
  return at
}

/** Returns the index of the next double quote without a backslash before it, or the length of the text. */
export function findQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c) at += 1
  }
  return text.length
}

/** Matches digits in Base64, of either alphabet, or in hexadecimal. Fewer do not encode a part of a secret in another form. */
const DIGITS = /[\w+/-]{13,}/g

const HEX_DIGITS = /[\da-f]{16,}/gi

/** Matches decoded bytes that may contain a part of a secret. */
const PRINTABLE = /[ -~]{8,}/g

/**
 * Joins all long runs of digits, such as the lines of an encoded file, and decodes them as Base64 and as hexadecimal
 * numbers, at each possible position of the first digit in its group.
 */
export function decodeDigits(text: string): DecodedText[] {
  const runs = listMatches(text, DIGITS)
  if (runs.length === 0) return []
  const digits = joinRanges(text, [runs])
  const hexRuns = listMatches(digits.text, HEX_DIGITS)
  const hex = joinRanges(digits.text, [hexRuns])
  return [
    ...(runs.length === 1 ? [] : [digits]),
    ...[0, 1, 2, 3].flatMap((skipped) => decodeBytes(digits, 'base64', skipped)),
    ...[0, 1].flatMap((skipped) => decodeBytes(compose(digits, hex), 'hex', skipped)),
  ]
}

/** Returns the matches of a global pattern. Faster than `matchAll`. */
function listMatches(text: string, pattern: RegExp): TextRange[] {
  const matches: TextRange[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    matches.push({ start: match.index, end: pattern.lastIndex })
  }
  return matches
}

/**
 * Decodes digits without the first ones. Keeps the parts that are text: otherwise, the bytes that ordinary words encode
 * would be decoded again and again.
 */
function decodeBytes(digits: DecodedText, encoding: 'base64' | 'hex', skipped: number): DecodedText[] {
  const bitsPerDigit = encoding === 'hex' ? 4 : 6
  const bytes = Buffer.from(digits.text.slice(skipped), encoding).toString('latin1')
  const parts = listMatches(bytes, PRINTABLE).map((part) => [part])
  if (parts.length === 0) return []
  const decoded = {
    text: bytes,
    locate: ({ start, end }: TextRange) =>
      digits.locate({
        start: Math.floor((start * 8) / bitsPerDigit) + skipped,
        end: Math.ceil((end * 8) / bitsPerDigit) + skipped,
      }),
  }
  return [compose(decoded, joinRanges(bytes, parts))]
}

/** Returns a text that was decoded from a decoded text, as decoded from the source of the latter. */
export function compose(outer: DecodedText, inner: DecodedText): DecodedText {
  return { text: inner.text, locate: (range) => inner.locate(range).flatMap((part) => outer.locate(part)) }
}
