import type { CompletionLength } from '../options/emulator-options.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { SeededRandom } from '../state/seeded-random.ts'
import { CORPUS_TOKENS, getCorpusText, findSentenceStart } from './text/corpus.ts'
import { renderLogProbabilities, type LogProbabilities } from './log-probabilities.ts'
import {
  createFunctionCallDelta,
  createToolCallDelta,
  renderToolCalls,
  splitMessage,
  type MessagePart,
} from './message-parts.ts'
import type { GeneratedResponse, GeneratedStream, ScriptedMessage } from './operation.ts'

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
  /** Index in the corpus of the first token of the text. */
  readonly startToken: number
  readonly finishReason: string
  /** Parts of a scripted message, one token each. If present, they replace the text of the corpus. */
  readonly parts?: readonly MessagePart[]
  /** Scripted usage, which replaces the counted usage. */
  readonly usage?: Readonly<Record<string, unknown>>
  /** Present if the request has `logprobs`. */
  readonly logprobs?: LogProbabilities
  /** True if the message of a fixture has reasoning. */
  readonly hasReasoning?: true
  /** True if the request has `functions`: the message has a `function_call` instead of `tool_calls`. */
  readonly hasLegacyCall?: true
  /** True if the response has the fields of the option `completion-fields=sdk`. */
  readonly hasSdkFields?: true
}

/** Value of `system_fingerprint`, which names the version of a model's configuration. */
const SYSTEM_FINGERPRINT = 'fp_touchstone'

/**
 * Returns the text of the tokens from index `from` to index `to`, excluding `to`. The first token has no leading space.
 */
export function getCompletionText({ startToken, parts }: Completion, from: number, to: number): string {
  if (parts !== undefined) {
    return parts
      .slice(from, to)
      .map((part) => (part.kind === 'text' ? part.text : ''))
      .join('')
  }
  const text = getCorpusText(startToken + from, to - from)
  return from === 0 ? text.trimStart() : text
}

/** Chooses the length and the text of a completion. */
export function planCompletion(
  random: SeededRandom,
  answerTokens: CompletionLength,
  maxTokens: number,
  base: Pick<
    Completion,
    'id' | 'created' | 'model' | 'promptTokens' | 'maxUsedTokens' | 'hasLegacyCall' | 'hasSdkFields'
  >,
  scripted?: ScriptedMessage,
): Completion {
  const startToken = findSentenceStart(random.integerBelow(CORPUS_TOKENS))
  const natural = Math.max(1, Math.round(random.logNormal(NATURAL_TOKENS.p50, NATURAL_TOKENS.p99)))
  const calls = base.hasLegacyCall ? scripted?.toolCalls?.slice(0, 1) : scripted?.toolCalls
  const message = scripted === undefined || calls === undefined ? scripted : { ...scripted, toolCalls: calls }
  const parts = message === undefined ? undefined : splitMessage(message, random)
  const generatedTokens = answerTokens === 'natural' ? natural : answerTokens === 'fill' ? Infinity : answerTokens
  const wantedTokens = parts?.length ?? generatedTokens
  const callReason = base.hasLegacyCall ? 'function_call' : 'tool_calls'
  const naturalReason = calls === undefined || calls.length === 0 ? 'stop' : callReason
  return {
    ...base,
    startToken,
    completionTokens: Math.min(wantedTokens, maxTokens),
    finishReason: wantedTokens > maxTokens ? 'length' : (scripted?.finishReason ?? naturalReason),
    ...(parts === undefined ? {} : { parts }),
    ...(parts?.[0]?.kind === 'reasoning' ? { hasReasoning: true } : {}),
    ...scripted?.completion,
  }
}

/** Creates the usage object (section 2.3). If a fixture has reasoning, the details contain its number of tokens. */
export function createUsage(completion: Completion) {
  const { promptTokens, completionTokens, usage } = completion
  const details = completion.hasReasoning
    ? { completion_tokens_details: { reasoning_tokens: countReasoningTokens(completion) } }
    : {}
  return (
    usage ?? {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      ...details,
    }
  )
}

/** Counts the tokens of the reasoning, which precedes the text. */
export function countReasoningTokens({ parts = [], completionTokens }: Completion): number {
  const end = parts.findIndex(({ kind }) => kind !== 'reasoning')
  return Math.min(end === -1 ? parts.length : end, completionTokens)
}

export function getReasoningText({ parts = [] }: Completion, tokens: number): string {
  return parts
    .slice(0, tokens)
    .map(({ text }) => text)
    .join('')
}

/** Serializes a non-streaming completion. */
export function createCompletionBody(completion: Completion): GeneratedResponse {
  return renderCompletionBody(completion, renderChoice(completion, 0), completion.completionTokens - 1)
}

/** Serializes one choice of a non-streaming completion. */
export function renderChoice(completion: Completion, index: number): string {
  const { completionTokens, finishReason } = completion
  const text = getCompletionText(completion, 0, completionTokens)
  const calls = completion.parts === undefined ? [] : renderToolCalls(completion.parts.slice(0, completionTokens))
  const content = text === '' && calls.length > 0 ? null : text
  const [first] = calls
  const field = completion.hasLegacyCall ? 'function_call' : 'tool_calls'
  const value = completion.hasLegacyCall && first?.type === 'function' ? first.function : calls
  const toolCalls = first === undefined ? '' : `,"${field}":${JSON.stringify(value)}`
  const thought = completion.hasReasoning ? getReasoningText(completion, countReasoningTokens(completion)) : undefined
  const reasoning = thought === undefined ? '' : `,"reasoning_content":${JSON.stringify(thought)}`
  const refusal = completion.hasSdkFields ? ',"refusal":null' : ''
  const message = `{"role":"assistant","content":${JSON.stringify(content)}${reasoning}${refusal}${toolCalls}}`
  const hasLogprobs = completion.hasSdkFields || completion.logprobs !== undefined
  const logprobs = hasLogprobs ? `,"logprobs":${renderTextLogProbabilities(completion)}` : ''
  return `{"index":${index},"message":${message}${logprobs},"finish_reason":${JSON.stringify(finishReason)}}`
}

/** Serializes the log probabilities of a completion's text. The result is `null` if there is no text. */
function renderTextLogProbabilities(completion: Completion): string {
  const parts = Array.from({ length: completion.completionTokens }, (_, token) => getMessagePart(completion, token))
  const tokens = parts.flatMap(({ kind, text }) => (kind === 'text' ? text : []))
  return completion.logprobs === undefined || tokens.length === 0
    ? 'null'
    : renderLogProbabilities(completion.logprobs, tokens)
}

/**
 * Creates the body of a non-streaming completion.
 * @param completion first choice; its token count includes all choices
 */
export function renderCompletionBody(completion: Completion, choices: string, lastToken: number): GeneratedResponse {
  const { id, created, model, completionTokens, promptTokens } = completion
  // String concatenation takes half the time of JSON.stringify. `id` and `model` contain no characters that need
  // escaping.
  const fingerprint = completion.hasSdkFields ? `,"system_fingerprint":"${SYSTEM_FINGERPRINT}"` : ''
  const head = `"id":"${id}","object":"chat.completion","created":${created},"model":"${model}"${fingerprint}`
  return {
    contentType: 'application/json',
    body: `{${head},"choices":[${choices}],"usage":${JSON.stringify(createUsage(completion))}}`,
    usedTokens: promptTokens + completionTokens,
    lastToken,
  }
}

/**
 * Creates the server-sent events of a completion. Framing and chunk shape are unspecified (section 4.2). By default,
 * the stream consists of the role, one chunk per token, the finish reason, the usage if requested, and `[DONE]`. Each
 * event is created when it is due, so long streams need no buffer.
 */
export function createChatStream(
  completion: Completion,
  includeUsage: boolean,
  behaviour: BehaviourOptions,
): GeneratedStream {
  const { completionTokens, promptTokens } = completion
  const { opening, content, closing } = createStreamData(completion, 0, includeUsage, behaviour)
  const last = behaviour['done-marker'] === 'done' ? [...closing, '[DONE]'] : closing
  const frameOf = createEventFormatter(behaviour, completion.parts !== undefined) // The corpus contains no line breaks.
  const contentEnd = opening.length + completionTokens

  return {
    frameCount: contentEnd + last.length,
    frame(index) {
      if (index < opening.length) return frameOf(opening[index] ?? '', index)
      if (index >= contentEnd) return frameOf(last[index - contentEnd] ?? '', index)
      const token = index - opening.length
      return frameOf(content(token), index)
    },
    getTokenIndex: (index) => Math.min(Math.max(index - opening.length, 0), completionTokens - 1),
    usedTokensAfter: (framesSent) => {
      const scripted = framesSent === contentEnd + last.length ? completion.usage?.['total_tokens'] : undefined
      if (typeof scripted === 'number' && Number.isSafeInteger(scripted) && scripted >= 0) {
        return Math.min(scripted, completion.maxUsedTokens)
      }
      return promptTokens + Math.min(Math.max(framesSent - opening.length, 0), completionTokens)
    },
  }
}

/** Returns the part of a completion at the position of a token. */
export function getMessagePart(completion: Completion, token: number): MessagePart {
  return completion.parts?.[token] ?? { kind: 'text', text: getCompletionText(completion, token, token + 1) }
}

/** Event data of a stream: before, during and after the text. */
export interface StreamData {
  readonly opening: readonly string[]
  /** Creates the data of the event with this token of the completion. */
  content(token: number): string
  readonly closing: readonly string[]
}

/** Creates event data for the option `chunk-shape=text`. */
function createTextData(completion: Completion): StreamData {
  return { opening: [], content: (token) => getMessagePart(completion, token).text, closing: [] }
}

export function createStreamData(
  completion: Completion,
  choice: number,
  includeUsage: boolean,
  behaviour: BehaviourOptions,
): StreamData {
  return behaviour['chunk-shape'] === 'sdk'
    ? createSdkData(completion, choice, includeUsage)
    : createTextData(completion)
}

function createSdkData(completion: Completion, index: number, includeUsage: boolean): StreamData {
  const { id, created, model, finishReason, logprobs, hasLegacyCall, hasSdkFields } = completion
  const sdkFields = hasSdkFields ? { system_fingerprint: SYSTEM_FINGERPRINT } : {}
  // Beginning of every chunk, without the closing brace.
  const head = JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...sdkFields }).slice(0, -1)
  const chunk = (delta: string, reason: string, probabilities = 'null') => {
    const field = logprobs === undefined && !hasSdkFields ? '' : `,"logprobs":${probabilities}`
    return `${head},"choices":[{"index":${index},"delta":${delta}${field},"finish_reason":${reason}}]}`
  }
  const usage = `${head},"choices":[],"usage":${JSON.stringify(createUsage(completion))}}`
  // Most events of a stream contain only text. V8 joins three strings faster than many.
  const [beforeText = '', afterText = ''] = chunk('{"content":""}', 'null').split('""')
  // Clients that join the deltas would otherwise get an empty text before the reasoning or the call.
  const content = (completion.parts?.[0]?.kind ?? 'text') === 'text' ? '""' : 'null'
  return {
    opening: [chunk(`{"role":"assistant","content":${content}}`, 'null')],
    content(token) {
      const part = getMessagePart(completion, token)
      if (part.kind === 'reasoning') return chunk(`{"reasoning_content":${JSON.stringify(part.text)}}`, 'null')
      if (part.kind !== 'text') {
        const delta = hasLegacyCall ? createFunctionCallDelta(part) : createToolCallDelta(part)
        return chunk(JSON.stringify(delta), 'null')
      }
      if (logprobs === undefined) return beforeText + JSON.stringify(part.text) + afterText
      return chunk(
        `{"content":${JSON.stringify(part.text)}}`,
        'null',
        renderLogProbabilities(logprobs, [part.text], token),
      )
    },
    closing: [chunk('{}', JSON.stringify(finishReason)), ...(includeUsage ? [usage] : [])],
  }
}

const LINE_ENDS = { lf: '\n', crlf: '\r\n', cr: '\r' } as const

/**
 * Creates a function that formats data as a server-sent event (WHATWG HTML, section 9.2.6).
 * @param hasLines true if the data may contain line breaks; each line then gets its own `data:` field
 */
export function createEventFormatter(
  behaviour: BehaviourOptions,
  hasLines: boolean,
): (data: string, index: number) => string {
  const end = LINE_ENDS[behaviour['line-ends']]
  const eventEnd = end + end
  const comments = behaviour['keep-alive-comments']
  return (text, index) => {
    const data = hasLines ? text.replaceAll(/\r\n|\r|\n/g, `${end}data: `) : text
    const event = `data: ${data}${eventEnd}`
    return comments === 'each' || (comments === 'first' && index === 0) ? `: keep-alive${eventEnd}${event}` : event
  }
}
