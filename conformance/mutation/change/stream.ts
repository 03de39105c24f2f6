import type { ProxiedResponse, ProxyHooks } from '../proxy-hooks.ts'
import { isChatStream, matchAll, type RequestMatcher } from './match.ts'
import { changeJsonProperty, changeSuccesses } from './responses.ts'

const FRAME_END = '\n\n'

export function formatServerSentEvent(data: string): string {
  return `data: ${data}${FRAME_END}`
}

/** Creates a stream whose events have these data. */
export function createStreamResponse(...data: readonly string[]): ProxiedResponse {
  const body = Buffer.from(data.map(formatServerSentEvent).join(''))
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
}

/** Changes the frames of streamed chats, with their blank lines. The last frame is `[DONE]`. */
export function changeFrames(
  change: (frames: readonly string[]) => readonly string[],
  match: RequestMatcher = () => true,
): ProxyHooks {
  return changeSuccesses(matchAll(isChatStream, match), (response) => {
    const frames = response.body.toString('utf8').split(FRAME_END).filter(Boolean)
    const changed = change(frames.map((text) => text + FRAME_END))
    return { ...response, body: Buffer.from(changed.join('')) }
  })
}

/** Changes a property in the chunks of streams at any depth. `index` is the position of the chunk in its stream. */
export function changeChunks(
  name: string,
  change: (value: unknown, index: number) => unknown,
  match?: RequestMatcher,
): ProxyHooks {
  const changeFrame = (text: string, index: number): string => {
    const data = text.slice('data: '.length).trimEnd()
    if (data === '[DONE]') return text
    return formatServerSentEvent(changeJsonProperty(data, name, (value) => change(value, index)))
  }
  return changeFrames((frames) => frames.map(changeFrame), match)
}
