import { textOf, usageOf, type Completion } from './completion.ts'
import type { StreamedAnswer } from './operation.ts'

/**
 * A completion as server-sent events. Framing and chunk shape are not shown (section 4.2); these are what client SDKs of
 * the common kind read: role, one chunk per token, finish reason, usage where asked for, `[DONE]`. Frames are written when
 * they are due, so a long stream costs no memory before.
 */
export function chatFrames(completion: Completion, includeUsage: boolean): StreamedAnswer {
  const { completionTokens, promptTokens } = completion
  const head = chunkHead(completion)
  const choice = (delta: string, finishReason: string) =>
    `data: ${head},"choices":[{"index":0,"delta":${delta},"finish_reason":${finishReason}}]}\n\n`

  const opening = choice('{"role":"assistant","content":""}', 'null')
  const closing = [choice('{}', `"${completion.finishReason}"`)]
  if (includeUsage) closing.push(`data: ${head},"choices":[],"usage":${JSON.stringify(usageOf(completion))}}\n\n`)
  closing.push('data: [DONE]\n\n')

  return {
    frameCount: 1 + completionTokens + closing.length,
    frame(index) {
      if (index === 0) return opening
      // The corpus has no character that JSON escapes.
      if (index <= completionTokens) return choice(`{"content":"${textOf(completion, index - 1, index)}"}`, 'null')
      return closing[index - completionTokens - 1] ?? ''
    },
    tokenOf: (index) => Math.min(Math.max(index - 1, 0), completionTokens - 1),
    usedTokensAfter: (framesSent) => promptTokens + Math.min(Math.max(framesSent - 1, 0), completionTokens),
  }
}

/** What all chunks of a stream have alike, without the closing brace. */
function chunkHead({ id, created, model }: Completion): string {
  return JSON.stringify({ id, object: 'chat.completion.chunk', created, model }).slice(0, -1)
}
