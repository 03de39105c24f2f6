import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import { completionText, createUsage, type Completion } from './completion.ts'
import type { GeneratedStream } from './operation.ts'

/**
 * Creates the server-sent events of a completion. Framing and chunk shape are unspecified (section 4.2). By default the
 * stream has the role, one chunk per token, the finish reason, usage if requested, and `[DONE]`. Each frame is created
 * when it is due, so a long stream needs no buffer.
 */
export function createChatStream(
  completion: Completion,
  includeUsage: boolean,
  behaviour: BehaviourOptions,
): GeneratedStream {
  const { completionTokens, promptTokens } = completion
  const { opening, content, closing } =
    behaviour['chunk-shape'] === 'sdk' ? createSdkData(completion, includeUsage) : TEXT_ONLY
  const last = behaviour['done-marker'] === 'done' ? [...closing, '[DONE]'] : closing
  const frameOf = createFraming(behaviour, completion.tokens !== undefined) // text of the corpus has no line ends
  const contentEnd = opening.length + completionTokens

  return {
    frameCount: contentEnd + last.length,
    frame(index) {
      if (index < opening.length) return frameOf(opening[index] ?? '', index)
      if (index >= contentEnd) return frameOf(last[index - contentEnd] ?? '', index)
      const token = index - opening.length
      return frameOf(content(completionText(completion, token, token + 1)), index)
    },
    tokenIndexOf: (index) => Math.min(Math.max(index - opening.length, 0), completionTokens - 1),
    usedTokensAfter: (framesSent) =>
      promptTokens + Math.min(Math.max(framesSent - opening.length, 0), completionTokens),
  }
}

/** Data of the events of a stream. */
interface StreamData {
  readonly opening: readonly string[]
  content(token: string): string
  readonly closing: readonly string[]
}

/** Data for `chunk-shape=text`. */
const TEXT_ONLY: StreamData = { opening: [], content: (token) => token, closing: [] }

function createSdkData(completion: Completion, includeUsage: boolean): StreamData {
  const { id, created, model, finishReason } = completion
  // The beginning that all chunks share, without the closing brace.
  const head = JSON.stringify({ id, object: 'chat.completion.chunk', created, model }).slice(0, -1)
  const chunk = (delta: string, reason: string) =>
    `${head},"choices":[{"index":0,"delta":${delta},"finish_reason":${reason}}]}`
  const usage = `${head},"choices":[],"usage":${JSON.stringify(createUsage(completion))}}`
  return {
    opening: [chunk('{"role":"assistant","content":""}', 'null')],
    content: (token) => chunk(`{"content":${JSON.stringify(token)}}`, 'null'),
    closing: [chunk('{}', JSON.stringify(finishReason)), ...(includeUsage ? [usage] : [])],
  }
}

const LINE_ENDS = { lf: '\n', crlf: '\r\n', cr: '\r' } as const

/**
 * Creates the function that puts data into an event (WHATWG HTML, section 9.2.6).
 * @param hasLines the data may have several lines, each of which needs a `data:` field
 */
function createFraming(behaviour: BehaviourOptions, hasLines: boolean): (data: string, index: number) => string {
  const end = LINE_ENDS[behaviour['line-ends']]
  const comments = behaviour['keep-alive-comments']
  return (text, index) => {
    const data = hasLines ? text.replaceAll(/\r\n|\r|\n/g, `${end}data: `) : text
    const comment = comments === 'each' || (comments === 'first' && index === 0) ? `: keep-alive${end}${end}` : ''
    return `${comment}data: ${data}${end}${end}`
  }
}
