import type { Exchange } from '../http/exchange.ts'
import type { Deviation } from '../outcomes/outcome.ts'
import { getMember, isCount } from './response-access.ts'
import { readStream } from './stream.ts'

/** How long a streamed completion is. */
export interface StreamLength {
  /** The `completion_tokens` of the stream's usage; undefined if it reports none. */
  readonly tokens: number | undefined
  /** Words of the text, by white space. */
  readonly words: number
  readonly characters: number
  /** Length of the text in UTF-8: it has no more tokens than bytes. */
  readonly bytes: number
  /** Events with text. */
  readonly events: number
}

/**
 * Measures a streamed completion. The shape of a chunk is not specified: besides the usual shape this reads events of bare
 * text. A stream of another shape has no text.
 */
export function measureStream(response: Exchange): StreamLength {
  const { chunks } = readStream(response)
  const counts = chunks.map(({ usage }) => getMember(usage, 'completion_tokens')).filter(isCount)
  const tokens = Math.max(0, ...counts.map(Number))
  const isBareText = chunks.every(({ json }) => json === undefined)
  const texts = chunks
    .map(({ content, data }) => (isBareText ? data : content))
    .filter((content) => typeof content === 'string' && content !== '')
  const text = texts.join('')
  return {
    tokens: tokens === 0 ? undefined : tokens,
    words: text.split(/\s+/).filter(Boolean).length,
    characters: text.length,
    bytes: Buffer.byteLength(text),
    events: texts.length,
  }
}

/**
 * Finds a stream that is longer than its bound, by its usage or else by its text. The specification does not define a
 * token. So a text counts as longer only if both its words and its events outnumber the bound, or its words do so twice.
 */
export function findExcess({ tokens, words, events }: StreamLength, bound: number): Deviation | undefined {
  if (tokens !== undefined) {
    return tokens <= bound
      ? undefined
      : { code: 'bound-exceeded', params: { path: 'usage.completion_tokens', actual: tokens } }
  }
  const isLonger = words > 2 * bound || (words > bound && events > bound)
  return isLonger ? { code: 'text-exceeds-bound', params: { words, events } } : undefined
}
