import type { Wire, WireResponse } from '../wire.ts'
import { changeSuccesses, changeMember } from './responses.ts'
import { all, isStreamRequest, to } from './match.ts'

const STREAMED_CHAT = all(to('chat'), isStreamRequest)
const FRAME_END = '\n\n'

/** Position of a chunk in its stream; `[DONE]` is not a chunk. */
export interface ChunkPosition {
  readonly index: number
  readonly isLast: boolean
}

/** Formats a text as one frame. */
export function frame(data: string): string {
  return `data: ${data}${FRAME_END}`
}

/** Changes the frames of streamed chats, each including its blank line; the last is `[DONE]`. */
export function changeFrames(change: (frames: readonly string[]) => readonly string[]): Wire {
  return changeStream((response) => {
    const frames = response.body.toString('utf8').split(FRAME_END).filter(Boolean)
    const changed = change(frames.map((text) => text + FRAME_END))
    return { ...response, body: Buffer.from(changed.join('')) }
  })
}

/** Changes a member at any depth in the chunks of streamed chats; `undefined` removes it. */
export function changeChunks(name: string, change: (value: unknown, place: ChunkPosition) => unknown): Wire {
  return changeFrames((frames) =>
    frames.map((text, index) => {
      const data = text.slice('data: '.length).trimEnd()
      if (data === '[DONE]') return text
      return frame(changeMember(data, name, (value) => change(value, { index, isLast: index === frames.length - 2 })))
    }),
  )
}

/** Changes whole responses to streamed chats. */
export function changeStream(change: (response: WireResponse) => WireResponse): Wire {
  return changeSuccesses(STREAMED_CHAT, change)
}
