import type { ModelId } from '../../contract/facts.ts'
import type { AnswerTokens } from '../options/emulator-options.ts'
import type { SeededRandom } from '../state/seeded-random.ts'
import { CORPUS_TOKENS, cutText, findSentenceStart } from './text/corpus.ts'
import { splitTokens } from './text/count-tokens.ts'
import type { ScriptedText } from './operation.ts'

/** Length of natural completions in tokens: median and 99th percentile of a log-normal distribution. */
const NATURAL_TOKENS = { p50: 60, p99: 600 } as const

/** Contents of a completion, before it is formatted. */
export interface Completion {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  readonly model: ModelId
  readonly promptTokens: number
  readonly completionTokens: number
  /** Position in the corpus at which the text starts, in tokens. */
  readonly startToken: number
  readonly finishReason: string
  /** Tokens of a scripted text, which replaces the corpus. */
  readonly tokens?: readonly string[]
}

/** Returns the text of the tokens from `from` up to, but not including, `to`. The first token has no leading space. */
export function completionText({ startToken, tokens }: Completion, from: number, to: number): string {
  if (tokens !== undefined) return tokens.slice(from, to).join('')
  const text = cutText(startToken + from, to - from)
  return from === 0 ? text.trimStart() : text
}

/** Chooses the id, the length and the text of a completion. */
export function planCompletion(
  random: SeededRandom,
  answerTokens: AnswerTokens,
  maxTokens: number,
  base: Pick<Completion, 'created' | 'model' | 'promptTokens'>,
  scripted?: ScriptedText,
): Completion {
  const id = `chatcmpl-${random.hexDigits(24)}`
  const startToken = findSentenceStart(random.integerBelow(CORPUS_TOKENS))
  const natural = Math.max(1, Math.round(random.logNormal(NATURAL_TOKENS.p50, NATURAL_TOKENS.p99)))
  const tokens = scripted === undefined ? undefined : splitTokens(scripted.text)
  const generatedTokens = answerTokens === 'natural' ? natural : answerTokens === 'fill' ? Infinity : answerTokens
  const wantedTokens = tokens?.length ?? generatedTokens
  return {
    ...base,
    id,
    startToken,
    completionTokens: Math.min(wantedTokens, maxTokens),
    finishReason: wantedTokens > maxTokens ? 'length' : (scripted?.finishReason ?? 'stop'),
    ...(tokens === undefined ? {} : { tokens }),
  }
}

/** Creates the usage object (section 2.3). */
export function createUsage({ promptTokens, completionTokens }: Completion) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
