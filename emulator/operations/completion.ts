import { toByteString } from '../../common/byte-string.ts'
import type { CompletionLength } from '../options/emulator-options.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { SeededRandom } from '../state/seeded-random.ts'
import type { LogProbabilities } from './log-probabilities.ts'
import { splitMessage, type MessagePart } from './message-parts.ts'
import type { ScriptedMessage } from './operation.ts'
import { readReasoningTokens } from './reasoning-tokens.ts'
import type { Corpus } from './text/corpus.ts'

/** Number of tokens in completions of natural length: median and 99th percentile of a log-normal distribution. */
const NATURAL_TOKENS = { p50: 60, p99: 600 } as const

/** A chat completion before it is serialized. */
export interface Completion {
  readonly id: string
  /** Unix time of the completion, in seconds. */
  readonly created: number
  readonly model: string
  readonly promptTokens: number
  /** Maximum number of tokens, for which the credits are held. */
  readonly maxUsedTokens: number
  readonly completionTokens: number
  /** Source of the text, and the index of its first token there. */
  readonly corpus: Corpus
  readonly startToken: number
  readonly finishReason: string
  /** Parts of a scripted message, one token each. If present, they replace the text of the corpus. */
  readonly parts?: readonly MessagePart[]
  /** Scripted usage, which replaces the counted usage. */
  readonly usage?: Readonly<Record<string, unknown>>
  /** Present if the request has `logprobs`. */
  readonly logprobs?: LogProbabilities
  /** Present if the message has reasoning, which precedes its text. */
  readonly reasoning?: { readonly form: ReasoningForm; readonly tokens: number }
  /** True if the request has `functions`: the message has a `function_call` instead of `tool_calls`. */
  readonly hasLegacyCall?: true
  /** True if the response has the fields of the option `completion-fields=sdk`. */
  readonly hasSdkFields?: true
}

/** Form of the reasoning in responses: its field in a message, or `hidden` if only the usage shows it. */
export type ReasoningForm = Exclude<BehaviourOptions['reasoning'], 'none'>

/**
 * Returns the text of the tokens from index `from` to index `to`, excluding `to`. The first token has no leading space.
 */
export function getCompletionText({ corpus, startToken, parts }: Completion, from: number, to: number): string {
  if (parts !== undefined) {
    return parts
      .slice(from, to)
      .map((part) => (part.kind === 'text' ? part.text : ''))
      .join('')
  }
  const text = to - from === 1 ? corpus.getToken(startToken + from) : corpus.getText(startToken + from, to - from)
  return from === 0 ? text.trimStart() : text
}

/**
 * Returns the text of {@link getCompletionText} as a JSON string, as a byte string. The corpus has escaped its text once,
 * because escaping and encoding it for each response would take several percent of the emulator's time.
 */
export function getTextLiteral(completion: Completion, from: number, to: number): string {
  const { corpus, startToken, parts } = completion
  if (parts !== undefined) return toByteString(JSON.stringify(getCompletionText(completion, from, to)))
  if (from > 0 && to - from === 1) return corpus.getTokenLiteral(startToken + from)
  const text = corpus.getEscapedText(startToken + from, to - from)
  return `"${from === 0 ? text.trimStart() : text}"`
}

export interface CompletionSettings {
  readonly seed: number
  readonly corpus: Corpus
  readonly answerTokens: CompletionLength
  readonly maxTokens: number
  readonly reasoning: ReasoningForm
  readonly reasoningTokens: number
}

/**
 * Chooses the length and the text of a completion.
 * @param scripted message that replaces the generated text
 */
export function planCompletion(
  random: SeededRandom,
  { corpus, answerTokens, maxTokens, reasoning, reasoningTokens }: CompletionSettings,
  base: Pick<
    Completion,
    'id' | 'created' | 'model' | 'promptTokens' | 'maxUsedTokens' | 'hasLegacyCall' | 'hasSdkFields'
  >,
  scripted?: ScriptedMessage,
): Completion {
  const startToken = corpus.findSentenceStart(random.integerBelow(corpus.tokenCount))
  const natural = Math.max(1, Math.round(random.logNormal(NATURAL_TOKENS.p50, NATURAL_TOKENS.p99)))
  const generatedTokens = answerTokens === 'natural' ? natural : answerTokens === 'fill' ? maxTokens : answerTokens
  const thought =
    reasoningTokens > 0
      ? corpus.getPassage(startToken + generatedTokens, Math.min(reasoningTokens, maxTokens))
      : undefined
  const generated =
    thought === undefined || scripted !== undefined
      ? scripted
      : { text: corpus.getPassage(startToken, Math.min(generatedTokens, maxTokens)) }
  const calls = base.hasLegacyCall ? generated?.toolCalls?.slice(0, 1) : generated?.toolCalls
  const message = generated && {
    ...(thought && { reasoning: thought }),
    ...generated,
    ...(calls && { toolCalls: calls }),
  }
  const parts = message === undefined ? undefined : splitMessage(message, random)
  const wantedTokens = parts?.length ?? (answerTokens === 'fill' ? Infinity : generatedTokens)
  const callReason = base.hasLegacyCall ? 'function_call' : 'tool_calls'
  const naturalReason = calls === undefined || calls.length === 0 ? 'stop' : callReason
  const completionTokens = Math.min(wantedTokens, maxTokens)
  return {
    ...base,
    corpus,
    startToken,
    completionTokens,
    finishReason: wantedTokens > maxTokens ? 'length' : (scripted?.finishReason ?? naturalReason),
    ...(parts === undefined ? {} : { parts }),
    ...(parts?.[0]?.kind === 'reasoning'
      ? { reasoning: { form: reasoning, tokens: countReasoningTokens(parts, completionTokens) } }
      : {}),
    ...scripted?.completion,
  }
}

/**
 * Creates the usage object (section 2.3). If the message has reasoning, the details contain its number of tokens.
 * @param completionTokens number of completion tokens so far
 */
export function createUsage(completion: Completion, completionTokens = completion.completionTokens) {
  const { promptTokens, usage, reasoning } = completion
  const details =
    reasoning === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: Math.min(reasoning.tokens, completionTokens) } }
  return (
    usage ?? {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      ...details,
    }
  )
}

export function getReasoningUsage(completion: Completion): number {
  const usage = createUsage(completion)
  return 'completion_tokens_details' in usage ? readReasoningTokens(usage) : 0
}

function countReasoningTokens(parts: readonly MessagePart[], completionTokens: number): number {
  const end = parts.findIndex(({ kind }) => kind !== 'reasoning')
  return Math.min(end === -1 ? parts.length : end, completionTokens)
}

/** Returns the reasoning of a message; empty if it has none, or if it is hidden. */
export function getReasoningText({ parts = [], reasoning }: Completion): string {
  if (reasoning === undefined || reasoning.form === 'hidden') return ''
  const kept = parts.slice(0, reasoning.tokens)
  return kept.map(({ text }) => text).join('')
}

export function getMessagePart(completion: Completion, token: number): MessagePart {
  return completion.parts?.[token] ?? { kind: 'text', text: getCompletionText(completion, token, token + 1) }
}

export type Choices = readonly [Completion, ...Completion[]]

/** Returns the first choice with the completion tokens of all choices. The prompt is counted once. */
export function sumCompletionTokens(choices: Choices): Completion {
  const [first] = choices
  if (choices.length === 1) return first
  const completionTokens = choices.reduce((sum, choice) => sum + choice.completionTokens, 0)
  const { reasoning } = first
  if (reasoning === undefined) return { ...first, completionTokens }
  const tokens = choices.reduce((sum, choice) => sum + (choice.reasoning?.tokens ?? 0), 0)
  return { ...first, completionTokens, reasoning: { ...reasoning, tokens } }
}

/** Returns the number of tokens to charge for a complete response: those of a scripted usage, or the counted tokens. */
export function countTotalTokens({ promptTokens, completionTokens, maxUsedTokens, usage }: Completion): number {
  const total = usage?.['total_tokens']
  const isCount = typeof total === 'number' && Number.isSafeInteger(total) && total >= 0
  return isCount ? Math.min(total, maxUsedTokens) : promptTokens + completionTokens
}
