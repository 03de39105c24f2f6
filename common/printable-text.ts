/**
 * Matches the characters with which foreign text could control a terminal, hide itself, or begin a command of the CI
 * runner that reads the output:
 * - control, invisible and bidirectional characters, lone surrogates, and line separators;
 * - the first character of `##[add-mask]`, `##vso[…]` and `##teamcity[…]`, which runners accept anywhere in a line;
 * - the first character of `::error::`, which runners accept after spaces at the start of a line. A colon at the start of
 *   the text could follow another one.
 */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|#(?=#\w*\[)|(?<!\S):(?=:)|^:/gu

/** Matches every text that UNPRINTABLE matches, and few others. Most texts are printable, and this test is faster. */
const SUSPECT = /[^\n\t -~]|##|::|^:/

/**
 * Makes text of a target, a client or an upstream safe to print: replaces each unsafe character with its code point,
 * such as `\u{202e}`. Keeps line feeds and tabs.
 */
export function makePrintable(text: string): string {
  return SUSPECT.test(text) ? text.replace(UNPRINTABLE, formatCodePoint) : text
}

/** Makes text printable as {@link makePrintable} does, on one line. Also replaces line feeds and tabs. */
export function makePrintableLine(text: string): string {
  return makePrintable(text.replace(/[\n\t]/g, formatCodePoint))
}

/** Makes a JSON text printable. The result represents the same value, because unsafe characters occur only in strings. */
export function makeJsonPrintable(json: string): string {
  return json.replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => formatCodeUnit(character.charCodeAt(at))).join(''),
  )
}

function formatCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

function formatCodeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
