import type { ProxyHooks, ProxiedResponse } from '../proxy-hooks.ts'
import { changeSuccesses, changeJsonProperty } from './responses.ts'
import { matchAll, isStreamRequest, matchOperation } from './match.ts'

const STREAMED_CHAT = matchAll(matchOperation('chat'), isStreamRequest)
const FRAME_END = '\n\n'

/** Position of a chunk in its stream. `[DONE]` is not a chunk. */
export interface ChunkPosition {
  readonly index: number
  readonly isLast: boolean
}

export function formatServerSentEvent(data: string): string {
  return `data: ${data}${FRAME_END}`
}

/** Changes the frames of streamed chats. Each frame includes its blank line. The last frame is `[DONE]`. */
export function changeFrames(change: (frames: readonly string[]) => readonly string[]): ProxyHooks {
  return changeStream((response) => {
    const frames = response.body.toString('utf8').split(FRAME_END).filter(Boolean)
    const changed = change(frames.map((text) => text + FRAME_END))
    return { ...response, body: Buffer.from(changed.join('')) }
  })
}

/**
 * Changes a property in the chunks of streamed chats, at any depth. Removes the property if `change` returns undefined.
 */
export function changeChunks(name: string, change: (value: unknown, place: ChunkPosition) => unknown): ProxyHooks {
  return changeFrames((frames) =>
    frames.map((text, index) => {
      const data = text.slice('data: '.length).trimEnd()
      if (data === '[DONE]') return text
      return formatServerSentEvent(
        changeJsonProperty(data, name, (value) => change(value, { index, isLast: index === frames.length - 2 })),
      )
    }),
  )
}

export function changeStream(change: (response: ProxiedResponse) => ProxiedResponse): ProxyHooks {
  return changeSuccesses(STREAMED_CHAT, change)
}
