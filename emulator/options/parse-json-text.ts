/**
 * Maximum depth of nested arrays and objects in JSON. A deeper value could overflow the stack of code that reads it, and
 * even parsing millions of brackets takes seconds.
 */
export const MAX_JSON_DEPTH = 512

/**
 * Parses JSON.
 * @throws SyntaxError, also if the value is nested more than `maxDepth` deep
 */
export function parseJson(text: string, maxDepth = MAX_JSON_DEPTH): unknown {
  if (isNestedDeeper(text, maxDepth)) throw new SyntaxError(`Nested more than ${maxDepth} deep`)
  return JSON.parse(text)
}

/** Parses JSON. Returns undefined if the text is not JSON, or is nested too deeply. */
export function tryToParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/**
 * Parses the text of a JSON file. Ignores a byte order mark, which editors on Windows can write.
 * @throws SyntaxError
 */
export function parseJsonText(text: string): unknown {
  return parseJson(text.replace(/^\uFEFF/, ''))
}

/**
 * Describes a syntax error of a JSON file. V8 appends text of the file to some messages, which can contain line breaks.
 * The description omits it.
 */
export function describeSyntaxError({ message }: SyntaxError): string {
  return message.replace(/, (?:\.\.\.)?".*$/s, '')
}

/** Returns whether the arrays and objects of a JSON text are nested more than `maxDepth` deep. The text may be invalid. */
export function isNestedDeeper(text: string, maxDepth: number): boolean {
  let depth = 0
  // The shortest text of this depth has this length, so most requests are not scanned.
  for (let at = text.length > maxDepth ? 0 : text.length; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = findStringEnd(text, at)
    else if (character === OPEN_BRACKET || character === OPEN_BRACE) depth += 1
    else if (character === CLOSE_BRACKET || character === CLOSE_BRACE) depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Returns the index of the quotation mark that ends a string, or the length of the text. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escape = end - 1
    while (text.charCodeAt(escape) === BACKSLASH) escape -= 1
    if ((end - escape) % 2 === 1) return end
  }
  return text.length
}
