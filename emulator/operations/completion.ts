import type { ModelId } from '../../contract/facts.ts'
import type { AnswerTokens } from '../settings.ts'
import type { Draw } from '../state/draw.ts'
import { CORPUS_TOKENS, cutText, findSentenceStart } from '../text/corpus.ts'

/** Lengths of natural answers in tokens: median and 99th percentile of a log-normal distribution. */
const NATURAL_TOKENS = { p50: 60, p99: 600 } as const

/** A completion before it is written down. */
export interface Completion {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  readonly model: ModelId
  readonly promptTokens: number
  readonly completionTokens: number
  /** Where in the corpus the text starts, in tokens. */
  readonly startToken: number
  readonly finishReason: 'stop' | 'length'
}

/** The text of the answer from token `from` to before token `to`; the first has no space before it. */
export function textOf({ startToken }: Completion, from: number, to: number): string {
  const text = cutText(startToken + from, to - from)
  return from === 0 ? text.trimStart() : text
}

/** Decides length and text of an answer. */
export function complete(
  draw: Draw,
  answerTokens: AnswerTokens,
  maxTokens: number,
  known: Pick<Completion, 'created' | 'model' | 'promptTokens'>,
): Completion {
  const id = `chatcmpl-${draw.hex(24)}`
  const startToken = findSentenceStart(draw.below(CORPUS_TOKENS))
  const natural = Math.max(1, Math.round(draw.logNormal(NATURAL_TOKENS.p50, NATURAL_TOKENS.p99)))
  const wanted = answerTokens === 'natural' ? natural : answerTokens === 'fill' ? Infinity : answerTokens
  return {
    ...known,
    id,
    startToken,
    completionTokens: Math.min(wanted, maxTokens),
    finishReason: wanted > maxTokens ? 'length' : 'stop',
  }
}

/** The usage object (section 2.3). */
export function usageOf({ promptTokens, completionTokens }: Completion) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
