import type { Completion } from '../completion.ts'
import type { MessagePart } from '../message-parts.ts'

/** Division of a completion's tokens into the chunks of a stream. Hidden reasoning is in no chunk. */
export interface ChunkPlan {
  readonly chunks: number
  /** Returns the index of the first token of a chunk. The chunk ends before the first token of the next one. */
  getStart(chunk: number): number
}

/**
 * Divides a completion into chunks. All tokens of a chunk belong to the same part of the message.
 * @param tokensPerChunk maximum number of tokens of a chunk
 */
export function planChunks({ completionTokens, parts, reasoning }: Completion, tokensPerChunk: number): ChunkPlan {
  const first = reasoning?.form === 'hidden' ? reasoning.tokens : 0
  if (parts === undefined || tokensPerChunk === 1) {
    return {
      chunks: Math.ceil((completionTokens - first) / tokensPerChunk),
      getStart: (chunk) => Math.min(first + chunk * tokensPerChunk, completionTokens),
    }
  }
  const starts: number[] = []
  for (let token = first; token < completionTokens; token += 1) {
    const start = starts.at(-1)
    const isJoined = start !== undefined && token - start < tokensPerChunk && isSamePart(parts[start], parts[token])
    if (!isJoined) starts.push(token)
  }
  return { chunks: starts.length, getStart: (chunk) => starts[chunk] ?? completionTokens }
}

/** Returns true if one delta can contain both tokens. The start of a tool call is a delta of its own. */
function isSamePart(one: MessagePart | undefined, other: MessagePart | undefined): boolean {
  if (one?.kind !== other?.kind || other?.kind === 'call') return false
  return one?.kind !== 'arguments' || other?.kind !== 'arguments' || one.index === other.index
}

/**
 * Reorders the tool calls of a message: first the starts of all calls, then their arguments token by token in turn, as
 * if the model wrote the calls in parallel.
 */
export function interleaveCalls(parts: readonly MessagePart[]): readonly MessagePart[] {
  const starts = parts.filter(({ kind }) => kind !== 'arguments')
  const byCall = Map.groupBy(
    parts.filter((part) => part.kind === 'arguments'),
    ({ index }) => index,
  )
  const rounds = Math.max(0, ...[...byCall.values()].map(({ length }) => length))
  const turns = Array.from({ length: rounds }, (_, round) => [...byCall.values()].flatMap((call) => call[round] ?? []))
  return [...starts, ...turns.flat()]
}
