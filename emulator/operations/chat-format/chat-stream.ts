import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import {
  countTotalTokens,
  getReasoningUsage,
  sumCompletionTokens,
  type Choices,
  type Completion,
} from '../completion.ts'
import type { GeneratedStream } from '../operation.ts'
import { createChunkData } from './chunk-data.ts'
import { createChunkOrder } from './chunk-order.ts'
import { interleaveCalls, planChunks } from './chunk-plan.ts'
import { createEventFormatter, createHeartbeat } from './event-format.ts'

/**
 * Creates the server-sent events of a completion. Framing and chunk shape are unspecified (section 4.2). By default,
 * the stream consists of the role, one chunk per token, the finish reason, the usage if requested, and `[DONE]`. Several
 * choices alternate chunk by chunk, as if they were generated in parallel. Each event is created when it is due, so long
 * streams need no buffer.
 */
export function createChatStream(
  given: Choices,
  isUsageRequested: boolean,
  behaviour: BehaviourOptions,
): GeneratedStream {
  const choices = given.map((choice) => orderCalls(choice, behaviour))
  const total = sumCompletionTokens(given)
  const plans = choices.map((choice) => planChunks(choice, behaviour['tokens-per-chunk']))
  const hasFinishChunk = behaviour['finish-reason-place'] === 'own' || plans.some(({ chunks }) => chunks === 0)
  const data = choices.map((completion, index) =>
    createChunkData(
      { completion, index, isLast: index === choices.length - 1, total, isUsageRequested, hasFinishChunk },
      behaviour,
    ),
  )
  const order = createChunkOrder(plans)
  const [first] = data
  const contentStart = first?.hasOpening ? data.length : 0
  const contentEnd = contentStart + order.chunks
  const usageIndex = contentEnd + (first?.hasClosing ? data.length : 0)
  const doneIndex = usageIndex + (first?.hasUsage ? 1 : 0)
  const frameCount = doneIndex + (behaviour['done-marker'] === 'done' ? 1 : 0)
  const format = createEventFormatter(behaviour)
  const lastToken = Math.max(...choices.map(({ completionTokens }) => completionTokens)) - 1
  const heartbeat = createHeartbeat(behaviour, first)
  const createContent = (index: number) => {
    const { choice, chunk } = order.getPosition(index)
    const plan = plans[choice]
    const [from, to] = [plan?.getStart(chunk) ?? 0, plan?.getStart(chunk + 1) ?? 0]
    return data[choice]?.content(from, to, () => order.countTokens(index + 1))
  }
  const createData = (index: number) => {
    if (index < contentStart) return data[index]?.opening()
    if (index < contentEnd) return createContent(index - contentStart)
    if (index < usageIndex) return data[index - contentEnd]?.closing()
    return index < doneIndex ? first?.usage() : '[DONE]'
  }
  const countSentTokens = (framesSent: number) =>
    framesSent >= contentEnd && framesSent > 0
      ? total.completionTokens
      : order.countTokens(Math.max(framesSent - contentStart, 0))
  return {
    frameCount,
    contentStart,
    contentEnd,
    ...(heartbeat === undefined ? {} : { heartbeat }),
    frame: (index) => format(createData(index) ?? '', index),
    getTokenIndex(index) {
      if (index >= contentEnd) return lastToken
      const { choice, chunk } = order.getPosition(Math.max(0, index - contentStart))
      return Math.max(0, (plans[choice]?.getStart(chunk + 1) ?? 1) - 1)
    },
    usedTokensAfter: (framesSent) =>
      framesSent === frameCount ? countTotalTokens(total) : total.promptTokens + countSentTokens(framesSent),
    reasoningTokensAfter: (framesSent) =>
      framesSent === frameCount
        ? getReasoningUsage(total)
        : Math.min(countSentTokens(framesSent), total.reasoning?.tokens ?? 0),
  }
}

function orderCalls(completion: Completion, behaviour: BehaviourOptions): Completion {
  const { parts, completionTokens } = completion
  if (parts === undefined || behaviour['tool-call-order'] === 'sequential') return completion
  return { ...completion, parts: interleaveCalls(parts.slice(0, completionTokens)) }
}
