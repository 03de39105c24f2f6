import { compose, type DecodedText, findLastIndex, joinRanges, listMatches, type TextRange } from './decoded-text.ts'

/** A notation for characters: the character with which each escape begins, and a pattern. */
interface EscapeNotation {
  readonly start: string
  readonly pattern: RegExp
}

export const JSON_ESCAPES: EscapeNotation = {
  start: '\\',
  pattern:
    /\\(?:u\{0*(?<braced>[\da-f]{1,6})\}|u(?<unicode>[\da-f]{4})|x(?<byte>[\da-f]{2})|(?<simple>["'\\/bfnrt]))/gi,
}

/** All notations. References of HTML may lack the semicolon. */
const ESCAPE_NOTATIONS: readonly EscapeNotation[] = [
  JSON_ESCAPES,
  { start: '%', pattern: /%(?<byte>[\da-f]{2})/gi },
  {
    start: '&',
    pattern: /&(?:#x0*(?<unicode>[\da-f]{1,6})|#0*(?<decimal>\d{1,7})|(?<name>[a-z]{2,16}(?=;)|amp|lt|gt|quot));?/gi,
  },
]

const CONTROL_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

const NAMED_REFERENCES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  bsol: '\\',
  colon: ':',
  comma: ',',
  commat: '@',
  dash: '-',
  diacriticalgrave: '`',
  dollar: '$',
  equals: '=',
  excl: '!',
  fjlig: 'fj',
  grave: '`',
  gt: '>',
  hat: '^',
  hyphen: '-',
  lbrace: '{',
  lbrack: '[',
  lcub: '{',
  lowbar: '_',
  lpar: '(',
  lsqb: '[',
  lt: '<',
  midast: '*',
  newline: '\n',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quest: '?',
  quot: '"',
  rbrace: '}',
  rbrack: ']',
  rcub: '}',
  rpar: ')',
  rsqb: ']',
  semi: ';',
  sol: '/',
  tab: '\t',
  underbar: '_',
  verbar: '|',
  vert: '|',
  verticalline: '|',
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
