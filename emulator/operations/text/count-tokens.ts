/** How many letters of a word one token covers. The words of the corpus have at most as many. */
export const LETTERS_PER_TOKEN = 8

/** Letters beyond ASCII that are written together (Latin with marks, Greek, Cyrillic, ...) weigh two. */
const WEIGHT_BEYOND_ASCII = 2
/** From here on a character is a token: ideographs, syllables, and the surrogates of emoji. */
const FIRST_IDEOGRAPHIC = 0x2e80

/**
 * Counts the tokens of a text, much as a byte-pair encoding of English would: a word of up to
 * {@link LETTERS_PER_TOKEN} letters with the space before it is one token, a longer word one for each such part, a mark or
 * a line end one, further spaces in a row one together, an ideograph or emoji one.
 *
 * The document prices tokens and does not say what a token is, so this count is the emulator's own. It is exact on the
 * corpus: `countTokens(cutText(start, n)) === n`. Linear in the text; an empty text has 0 tokens, any other at least 1.
 */
export function countTokens(text: string): number {
  let tokens = 0
  scanTokens(text, () => {
    tokens += 1
  })
  return text.length === 0 ? 0 : Math.max(1, tokens)
}

/**
 * Cuts any text into its tokens: joined they are the text, none is empty, and there are as many as `countTokens` counts.
 * A space goes with what follows it, at the end of the text with what is before.
 */
export function splitTokens(text: string): string[] {
  const starts: number[] = []
  scanTokens(text, (index) => starts.push(text.charCodeAt(index - 1) === 0x20 ? index - 1 : index))
  starts[0] = 0
  return text.length === 0 ? [] : starts.map((start, index) => text.slice(start, starts[index + 1]))
}

/** Calls `begin` with the index at which each token is counted: a single space before it was not. */
function scanTokens(text: string, begin: (index: number) => void): void {
  // Letters that the token of the current word still covers; 0 outside of words.
  let room = 0
  let spaces = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    spaces = code === 0x20 ? spaces + 1 : 0
    const weight = letterWeight(code)
    if (weight > 0) {
      if (room < weight) begin(index)
      room = (room < weight ? LETTERS_PER_TOKEN : room) - weight
    } else {
      if (code === 0x20 ? spaces === 2 : !isLowSurrogate(code)) begin(index)
      room = 0
    }
  }
}

/** How many letters a code unit counts for; 0 when it is none that is written together with others. */
function letterWeight(code: number): number {
  if (code >= 0x80) {
    return code < FIRST_IDEOGRAPHIC ? WEIGHT_BEYOND_ASCII : 0
  }
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  const isDigit = code >= 0x30 && code <= 0x39
  return isLetter || isDigit ? 1 : 0
}

/** The second half of a character that its first half was counted for. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
