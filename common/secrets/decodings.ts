/** Part of a text, in UTF-16 code units. `end` is exclusive. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A text that was decoded from another text, its source. */
export interface DecodedText {
  readonly text: string
  /** Returns the parts of the source that encode the character at this index. */
  sourceOf(index: number): readonly TextRange[]
}

/**
 * Decodes a text in each of the ways in which a secret may be written: escapes, strings that belong together, Base64 at
 * each offset, and hexadecimal digits. Every decoding takes time linear in the length of the text.
 */
export function decodeText(text: string): DecodedText[] {
  return [...joinStrings(text), ...decodeBase64(text), ...decodeHex(text)]
}

/** Matches an escape of JSON or JavaScript, a percent-encoded byte, and a character reference of HTML. */
const ESCAPE =
  /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|(["'\\/bfnrt]))|%([\da-f]{2})|&#(?:x([\da-f]{1,6})|(\d{1,7}));?|&([a-z]{2,8});/gi

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

interface Escape extends TextRange {
  readonly text: string
}

/** Decodes all escapes, one level deep. Returns undefined if the text has none. */
export function decodeEscapes(text: string): DecodedText | undefined {
  if (!text.includes('\\') && !text.includes('%') && !text.includes('&')) return undefined
  const decoded = text.replaceAll(ESCAPE, decodeEscape)
  if (decoded === text) return undefined
  let escapes: readonly (Escape & { readonly decodedAt: number })[] | undefined
  return {
    text: decoded,
    sourceOf: (index) => {
      escapes ??= listEscapes(text)
      const last = escapes[findLastIndex(escapes, ({ decodedAt }) => decodedAt <= index)]
      if (last === undefined) return [{ start: index, end: index + 1 }]
      if (index < last.decodedAt + last.text.length) return [last]
      const start = last.end + index - last.decodedAt - last.text.length
      return [{ start, end: start + 1 }]
    },
  }
}

function decodeEscape(escape: string, ...groups: (string | undefined)[]): string {
  const [braced, unicode, byte, simple, percent, hexadecimal, decimal, name] = groups
  if (simple !== undefined) return CONTROL_ESCAPES[simple.toLowerCase()] ?? simple
  if (name !== undefined) return NAMED_REFERENCES[name.toLowerCase()] ?? escape
  const digits = braced ?? unicode ?? byte ?? percent ?? hexadecimal
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16)
  return code > 0x10_ff_ff ? escape : String.fromCodePoint(code)
}

function listEscapes(text: string): (Escape & { decodedAt: number })[] {
  let shrunk = 0
  return [...text.matchAll(ESCAPE)].map((match) => {
    const [escape, ...groups] = match
    const decoded = decodeEscape(escape, ...groups)
    const entry = {
      start: match.index,
      end: match.index + escape.length,
      text: decoded,
      decodedAt: match.index - shrunk,
    }
    shrunk += escape.length - decoded.length
    return entry
  })
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

/**
 * Joins the strings of a JSON text that belong together: all values of one name, such as the deltas of a stream, all
 * values, and all names. Also joins the lines of an event stream whose data is not JSON. Returns at most one text, in
 * which a zero character separates the groups.
 */
function joinStrings(text: string): DecodedText[] {
  const values: TextRange[] = []
  const names: TextRange[] = []
  const byName = new Map<string, TextRange[]>()
  let siblings: TextRange[] = []
  for (const { isName, ...range } of listStrings(text)) {
    if (!isName) {
      values.push(range)
      siblings.push(range)
      continue
    }
    const name = text.slice(range.start, range.end)
    siblings = byName.get(name) ?? []
    byName.set(name, siblings)
    names.push(range)
  }
  const lines = Array.from(text.matchAll(/^data: ?([^[{"\r\n][^\r\n]*)/gm), ({ index, 0: line, 1: value = '' }) => {
    const end = index + line.length
    return { start: end - value.length, end }
  })
  const groups = [...byName.values(), values, names, lines].filter((group) => group.length > 1)
  return groups.length === 0 ? [] : [joinRanges(text, groups)]
}

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
    sourceOf: (index) => {
      const piece = pieces[findLastIndex(pieces, ({ joinedAt }) => joinedAt <= index)]
      if (piece === undefined) return []
      const start = piece.start + index - piece.joinedAt
      return start < piece.end ? [{ start, end: start + 1 }] : []
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

const BASE64_DIGIT = /[\w+/-]/g

/** Decodes the Base64 digits of a text at each of the four possible positions of the first digit in its group. */
function decodeBase64(text: string): DecodedText[] {
  // Node skips all other characters, except that it stops at `=` and takes the low byte of a character outside Latin-1.
  const digits = text.replaceAll('=', ' ').replaceAll(/[^\0-\u007f]+/g, ' ')
  const positions = lazy(() => Array.from(text.matchAll(BASE64_DIGIT), ({ index }) => index))
  return [0, 1, 2, 3].flatMap((added) =>
    keepPrintable({
      text: Buffer.from('A'.repeat(added) + digits, 'base64').toString('latin1'),
      sourceOf: (index) =>
        locateDigits(positions(), Math.floor((index * 8) / 6) - added, Math.floor((index * 8 + 7) / 6) - added),
    }),
  )
}

const HEX_RUN = /[\da-f]{16,}/gi

/** Decodes all runs of at least 16 hexadecimal digits, for both positions of the first digit in its pair. */
function decodeHex(text: string): DecodedText[] {
  const runs = text.match(HEX_RUN)
  if (runs === null) return []
  const digits = runs.join('')
  const positions = lazy(() =>
    [...text.matchAll(HEX_RUN)].flatMap(({ index, 0: run }) => Array.from(run, (_, at) => index + at)),
  )
  return [0, 1].flatMap((skipped) =>
    keepPrintable({
      text: Buffer.from(digits.slice(skipped), 'hex').toString('latin1'),
      sourceOf: (index) => locateDigits(positions(), index * 2 + skipped, index * 2 + 1 + skipped),
    }),
  )
}

function locateDigits(positions: readonly number[], first: number, last: number): TextRange[] {
  return positions.slice(Math.max(0, first), last + 1).map((start) => ({ start, end: start + 1 }))
}

/**
 * Keeps the parts of decoded bytes that are text. Without it, the decoded bytes of ordinary words would be decoded again
 * and again.
 */
function keepPrintable({ text, sourceOf }: DecodedText): DecodedText[] {
  const parts = Array.from(text.matchAll(/[ -~]{8,}/g), ({ index, 0: part }) => [
    { start: index, end: index + part.length },
  ])
  if (parts.length === 0) return []
  const kept = joinRanges(text, parts)
  return [{ text: kept.text, sourceOf: (index) => kept.sourceOf(index).flatMap(({ start }) => sourceOf(start)) }]
}

function lazy<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => (value ??= compute())
}

/** Returns the parts of the source that encode a part of a decoded text. Adjacent parts are merged. */
export function locateRange(decoded: DecodedText, { start, end }: TextRange): TextRange[] {
  const located: { start: number; end: number }[] = []
  for (let index = start; index < end; index += 1) {
    for (const part of decoded.sourceOf(index)) {
      const last = located.at(-1)
      if (last !== undefined && part.start <= last.end && part.start >= last.start)
        last.end = Math.max(last.end, part.end)
      else located.push({ ...part })
    }
  }
  return located
}
