/** Number of letters per token. No word of the corpus has more. */
export const LETTERS_PER_TOKEN = 8

/** Weight of a letter beyond ASCII that is written together with others (accented Latin, Greek, Cyrillic and so on). */
const WEIGHT_BEYOND_ASCII = 2
/** First code unit of which each is a token: ideographs, syllables, and the surrogates of emoji. */
const FIRST_IDEOGRAPHIC = 0x2e80

/**
 * Counts the tokens of a text, similar to a byte-pair encoding for English. A word of up to {@link LETTERS_PER_TOKEN}
 * letters with the space before it is one token; longer words have one token for each such part. A punctuation mark, a
 * line end, an ideograph or an emoji is one token, and so are further spaces in a row.
 *
 * The specification prices tokens without defining them, so this definition is the emulator's own. It is exact for the
 * corpus: `countTokens(cutText(start, n)) === n`. The time is linear; an empty text has 0 tokens, any other at least 1.
 */
export function countTokens(text: string): number {
  let tokens = 0
  scanTokens(text, () => {
    tokens += 1
  })
  return text.length === 0 ? 0 : Math.max(1, tokens)
}

/**
 * Splits a text into as many tokens as `countTokens` counts. None is empty, and joined they give the text. A space
 * belongs to the token after it, or at the end of the text to the one before.
 */
export function splitTokens(text: string): string[] {
  const starts: number[] = []
  scanTokens(text, (index) => starts.push(text.charCodeAt(index - 1) === 0x20 ? index - 1 : index))
  starts[0] = 0
  return text.length === 0 ? [] : starts.map((start, index) => text.slice(start, starts[index + 1]))
}

/** Calls `begin` with the index of each token, without the single space before it. */
function scanTokens(text: string, begin: (index: number) => void): void {
  // Number of letters that still fit into the current token; 0 outside of words.
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

/** Returns the weight of a code unit in letters; 0 if it is not written together with others. */
function letterWeight(code: number): number {
  if (code >= 0x80) {
    return code < FIRST_IDEOGRAPHIC ? WEIGHT_BEYOND_ASCII : 0
  }
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  const isDigit = code >= 0x30 && code <= 0x39
  return isLetter || isDigit ? 1 : 0
}

/** Returns true for the second half of a surrogate pair; the first half was counted. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
