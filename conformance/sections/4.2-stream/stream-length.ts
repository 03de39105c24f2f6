import type { Exchange } from '../../http/exchange.ts'
import type { Deviation } from '../../findings/families.ts'
import type { TokenBound } from '../shared/long-completion.ts'
import { getMember, isCount, getItems, isNonEmptyString } from '../shared/response-access.ts'
import { parseStream, removeRepeats } from '../shared/stream.ts'

export interface StreamLength {
  readonly tokens: number | undefined
  readonly words: number
  readonly characters: number
  /** Length of the text in UTF-8 bytes, which is an upper bound of its tokens. */
  readonly bytes: number
  readonly events: number
  /** Whether the text is exactly the completion. False for unknown formats of chunks and for different ids. */
  readonly isExact: boolean
}

/** Measures a streamed completion. The format of chunks is unspecified, so it also reads plain text and other JSON. */
export function measureStream(response: Exchange): StreamLength {
  const { chunks, withChoice } = parseStream(response)
  const counts = chunks.map(({ usage }) => getMember(usage, 'completion_tokens')).filter(isCount)
  const tokens = Math.max(0, ...counts.map(Number))
  const isBareText = chunks.every(({ json }) => json === undefined)
  const isUsual = isBareText || chunks.some(({ choices }) => getItems(choices).length > 0)
  const texts = isUsual
    ? removeRepeats(chunks.map(({ content, data }) => (isBareText ? data : content)).filter(isNonEmptyString))
    : findTexts(chunks.map(({ json }) => json))
  const ids = new Set(withChoice.map(({ json }) => getMember(json, 'id')))
  const text = texts.join('')
  return {
    tokens: tokens === 0 ? undefined : tokens,
    words: text.split(/\s+/).filter(Boolean).length,
    characters: text.length,
    bytes: Buffer.byteLength(text),
    events: texts.length,
    isExact: isUsual && ids.size <= 1 && !(isBareText && haveCommonStart(texts)),
  }
}

/** Returns whether all texts start with the same character. They are then in an envelope that the suite cannot read. */
function haveCommonStart(texts: readonly string[]): boolean {
  return new Set(texts.map((text) => text[0])).size <= 1
}

/** Finds the texts at the path whose strings differ, contain whitespace and have the greatest total length. */
function findTexts(chunks: readonly unknown[]): readonly string[] {
  const byPath = Map.groupBy(
    chunks.flatMap((chunk) => stringsOf(chunk, '')),
    ({ path }) => path,
  )
  const candidates = [...byPath.values()]
    .map((found) => found.map(({ value }) => value))
    .filter((values) => new Set(values).size > 1 && values.some((value) => /\s/.test(value)))
  return candidates.toSorted((a, b) => b.join('').length - a.join('').length)[0] ?? []
}

function stringsOf(value: unknown, path: string): { readonly path: string; readonly value: string }[] {
  if (isNonEmptyString(value)) return [{ path, value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => stringsOf(member, `${path}/${name}`))
}

/**
 * Finds an excess of a stream over its bound, by its usage if present, otherwise by its text. The specification does
 * not define a token, so a text exceeds the bound only if both its words and its events exceed the bound, or if its
 * words exceed twice the bound.
 */
export function findExcessLength(
  { tokens, words, events, isExact }: StreamLength,
  { bound, ...kind }: TokenBound,
): Deviation | undefined {
  if (tokens !== undefined) {
    return tokens <= bound
      ? undefined
      : { code: 'bound-exceeded', params: { path: 'usage.completion_tokens', actual: tokens, ...kind } }
  }
  if (!isExact) return undefined
  const isLonger = words > 2 * bound || (words > bound && events > bound)
  return isLonger ? { code: 'text-exceeds-bound', params: { words, events, ...kind } } : undefined
}
