/** Maximum number of letters per token. No word of the corpus is longer. */
export const MAX_LETTERS_PER_TOKEN = 8

/**
 * Weight of a non-ASCII letter, for example in accented Latin, Greek and Cyrillic text. It counts as this number of
 * letters.
 */
const NON_ASCII_LETTER_WEIGHT = 2
/**
 * First UTF-16 code unit of the range in which every character is a token: ideographs, syllables, and the surrogates of
 * emoji.
 */
const FIRST_IDEOGRAPHIC = 0x2e80

/**
 * Counts the tokens of text, similarly to a byte-pair encoding for English. Each of the following is one token:
 * - up to {@link MAX_LETTERS_PER_TOKEN} letters of a word, including the space before the word
 * - a punctuation mark, a line break, an ideograph or an emoji
 * - a run of two or more spaces, without its last space
 *
 * The specification prices tokens without defining them, so this definition is specific to the emulator. It is exact
 * for the corpus: `countTokens(getCorpusText(start, n)) === n`. An empty text has no tokens; any other text has one or
 * more. Takes linear time.
 */
export function countTokens(text: string): number {
  let tokens = 0
  scanTokens(text, () => {
    tokens += 1
  })
  return text.length === 0 ? 0 : Math.max(1, tokens)
}

/**
 * Splits text into the tokens that {@link countTokens} counts. No token is empty, and the concatenated tokens equal
 * the text. A space belongs to the following token, or to the last token at the end of the text.
 */
export function splitTokens(text: string): string[] {
  const starts: number[] = []
  scanTokens(text, (index) => starts.push(text.charCodeAt(index - 1) === 0x20 ? index - 1 : index))
  starts[0] = 0
  return text.length === 0 ? [] : starts.map((start, index) => text.slice(start, starts[index + 1]))
}

/** Calls `begin` with the start index of each token, excluding a single space before it. */
function scanTokens(text: string, begin: (index: number) => void): void {
  // Number of letters that still fit into the current token; 0 outside words.
  let room = 0
  let spaces = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    spaces = code === 0x20 ? spaces + 1 : 0
    const weight = getLetterWeight(code)
    if (weight > 0) {
      if (room < weight) begin(index)
      room = (room < weight ? MAX_LETTERS_PER_TOKEN : room) - weight
    } else {
      if (code === 0x20 ? spaces === 2 : !isLowSurrogate(code)) begin(index)
      room = 0
    }
  }
}

/** Returns the number of letters that a code unit counts as, or 0 if it does not belong to a word. */
function getLetterWeight(code: number): number {
  if (code >= 0x80) {
    return code < FIRST_IDEOGRAPHIC ? NON_ASCII_LETTER_WEIGHT : 0
  }
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  const isDigit = code >= 0x30 && code <= 0x39
  return isLetter || isDigit ? 1 : 0
}

/** Returns true for the second half of a surrogate pair. Only the first half counts as a token. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
