const STRING_OR_SPACE = /"(?:[^"\\]|\\.)*"|\s+/gs

/** Returns whether a JSON text means the same to every parser, unlike duplicate names or 1e1 for an integer. */
export function hasUsualNotation(text: string, parsed: unknown, { allowSpace = false } = {}): boolean {
  const usual = JSON.stringify(parsed)
  if (text === usual) return true
  const normalized = text.replaceAll(STRING_OR_SPACE, (part) => {
    if (part.startsWith('"')) return JSON.stringify(JSON.parse(part))
    return allowSpace ? '' : part
  })
  return normalized === usual
}
