import { getMessagePart, type Completion } from './completion.ts'
import type { MessagePart } from './message-parts.ts'

/**
 * Truncates the text of a completion before the first stop sequence that it contains. Removes tool calls after that
 * position. Stop sequences in the reasoning have no effect.
 */
export function truncateAtStopSequence(completion: Completion, stop: readonly string[]): Completion {
  if (stop.length === 0) return completion
  const parts = Array.from({ length: completion.completionTokens }, (_, token) => getMessagePart(completion, token))
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  const positions = stop.map((end) => text.indexOf(end)).filter((position) => position !== -1)
  if (positions.length === 0) return completion
  const kept = takeCharacters(parts, Math.min(...positions))
  return { ...completion, parts: kept, completionTokens: kept.length, finishReason: 'stop' }
}

/** Returns the reasoning, and the first characters of the text. */
function takeCharacters(parts: readonly MessagePart[], characters: number): readonly MessagePart[] {
  const kept: MessagePart[] = []
  let left = characters
  for (const part of parts) {
    if (part.kind === 'reasoning') {
      kept.push(part)
      continue
    }
    if (left === 0) break
    kept.push({ kind: 'text', text: part.text.slice(0, left) })
    left -= Math.min(left, part.text.length)
  }
  return kept
}
