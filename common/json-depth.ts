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
