import type { ModelId } from '../../contract/facts.ts'
import type { AnswerTokens } from '../options/emulator-options.ts'
import type { SeededRandom } from '../state/seeded-random.ts'
import { CORPUS_TOKENS, cutText, findSentenceStart } from './text/corpus.ts'
import { splitTokens } from './text/count-tokens.ts'
import type { ScriptedText } from './operation.ts'

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
  readonly finishReason: string
  /** The tokens of a scripted text, instead of the corpus. */
  readonly tokens?: readonly string[]
}

/** The text of the answer from token `from` to before token `to`; the first has no space before it. */
export function completionText({ startToken, tokens }: Completion, from: number, to: number): string {
  if (tokens !== undefined) return tokens.slice(from, to).join('')
  const text = cutText(startToken + from, to - from)
  return from === 0 ? text.trimStart() : text
}

/** Decides length and text of an answer. */
export function planCompletion(
  draw: SeededRandom,
  answerTokens: AnswerTokens,
  maxTokens: number,
  known: Pick<Completion, 'created' | 'model' | 'promptTokens'>,
  scripted?: ScriptedText,
): Completion {
  const id = `chatcmpl-${draw.hexDigits(24)}`
  const startToken = findSentenceStart(draw.integerBelow(CORPUS_TOKENS))
  const natural = Math.max(1, Math.round(draw.logNormal(NATURAL_TOKENS.p50, NATURAL_TOKENS.p99)))
  const tokens = scripted === undefined ? undefined : splitTokens(scripted.text)
  const made = answerTokens === 'natural' ? natural : answerTokens === 'fill' ? Infinity : answerTokens
  const wanted = tokens?.length ?? made
  return {
    ...known,
    id,
    startToken,
    completionTokens: Math.min(wanted, maxTokens),
    finishReason: wanted > maxTokens ? 'length' : (scripted?.finishReason ?? 'stop'),
    ...(tokens === undefined ? {} : { tokens }),
  }
}

/** The usage object (section 2.3). */
export function createUsage({ promptTokens, completionTokens }: Completion) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
