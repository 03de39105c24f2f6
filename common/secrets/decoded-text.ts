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

/** Joins parts of a text. A zero character separates the groups. */
export function joinRanges(text: string, groups: readonly (readonly TextRange[])[]): DecodedText {
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

/** Returns a text that was decoded from a decoded text, as decoded from the source of the latter. */
export function compose(outer: DecodedText, inner: DecodedText): DecodedText {
  return { text: inner.text, locate: (range) => inner.locate(range).flatMap((part) => outer.locate(part)) }
}

/** Returns the matches of a global pattern. Faster than `matchAll`. */
export function listMatches(text: string, pattern: RegExp): TextRange[] {
  const matches: TextRange[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    matches.push({ start: match.index, end: pattern.lastIndex })
  }
  return matches
}

/** Finds the last item for which a condition holds, which must hold for all items before it. Returns -1 without one. */
export function findLastIndex<T>(items: readonly T[], holds: (item: T) => boolean): number {
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

/** Returns the index of the next quote without a backslash before it, or the length of the text. */
export function findQuote(text: string, from: number, quote = 0x22): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === 0x5c) at += 1
  }
  return text.length
}
