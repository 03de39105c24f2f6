import type { CheckEntry } from '../../conformance-document.ts'

/** Forwarded parts whose excerpts contain the text itself, as UTF-8. */
const TEXTS: ReadonlySet<unknown> = new Set(['text', 'transcription', 'file-name'])
const MAX_SHOWN_BYTES = 16

/** The ends of a gateway between which a text changed: a file name goes to the upstream, and other texts to the client. */
export function nameEnds({ params: { part } }: CheckEntry): { readonly sender: string; readonly receiver: string } {
  return part === 'file-name'
    ? { sender: 'client sent', receiver: 'upstream received' }
    : { sender: 'upstream sent', receiver: 'client received' }
}

/** Finds the bytes (hex) in which the excerpt of a forwarded text differs from the excerpt of the sent text. */
export function findByteDifference({
  params: { part, sent, arrived },
}: CheckEntry): { readonly sent: string; readonly arrived: string } | undefined {
  if (!TEXTS.has(part) || typeof sent !== 'string' || typeof arrived !== 'string') return undefined
  // Compares code points, because half of a surrogate pair has no bytes in UTF-8.
  const [before, after] = [[...sent], [...arrived]]
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const format = (points: readonly string[]): string => {
    const bytes = Buffer.from(points.slice(start, points.length - end).join(''))
    const hex = bytes.subarray(0, MAX_SHOWN_BYTES).toString('hex').replaceAll(/..\B/g, '$& ')
    return bytes.length > MAX_SHOWN_BYTES ? `${hex} …` : hex
  }
  return { sent: format(before), arrived: format(after) }
}
