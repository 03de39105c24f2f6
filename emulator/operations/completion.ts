import type { AnswerTokens } from '../options/emulator-options.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { SeededRandom } from '../state/seeded-random.ts'
import { CORPUS_TOKENS, getCorpusText, findSentenceStart } from './text/corpus.ts'
import { createCallDelta, renderToolCalls, splitMessage, type MessagePart } from './message-parts.ts'
import type { GeneratedResponse, GeneratedStream, ScriptedMessage } from './operation.ts'

/** Number of tokens in natural completions: median and 99th percentile of a log-normal distribution. */
const NATURAL_TOKENS = { p50: 60, p99: 600 } as const

/** A completion before it is serialized. */
export interface Completion {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  readonly model: string
  readonly promptTokens: number
  /** Number of tokens for which credits are held. */
  readonly maxUsedTokens: number
  readonly completionTokens: number
  /** Index of the first token of the text in the corpus. */
  readonly startToken: number
  readonly finishReason: string
  /** Parts of a scripted message, one token each. If present, they replace the text of the corpus. */
  readonly parts?: readonly MessagePart[]
  /** Scripted usage, which replaces the counted usage. */
  readonly usage?: Readonly<Record<string, unknown>>
}

/** Returns the text of the tokens from `from` up to, but not including, `to`. The first token has no leading space. */
function getCompletionText({ startToken, parts }: Completion, from: number, to: number): string {
  if (parts !== undefined) {
    return parts
      .slice(from, to)
      .map((part) => (part.kind === 'text' ? part.text : ''))
      .join('')
  }
  const text = getCorpusText(startToken + from, to - from)
  return from === 0 ? text.trimStart() : text
}

/** Chooses id, length and text of a completion. */
export function planCompletion(
  random: SeededRandom,
  answerTokens: AnswerTokens,
  maxTokens: number,
  base: Pick<Completion, 'created' | 'model' | 'promptTokens' | 'maxUsedTokens'>,
  scripted?: ScriptedMessage,
): Completion {
  const id = `chatcmpl-${random.hexDigits(24)}`
  const startToken = findSentenceStart(random.integerBelow(CORPUS_TOKENS))
  const natural = Math.max(1, Math.round(random.logNormal(NATURAL_TOKENS.p50, NATURAL_TOKENS.p99)))
  const parts = scripted === undefined ? undefined : splitMessage(scripted, random)
  const generatedTokens = answerTokens === 'natural' ? natural : answerTokens === 'fill' ? Infinity : answerTokens
  const wantedTokens = parts?.length ?? generatedTokens
  const naturalReason = scripted?.toolCalls === undefined || scripted.toolCalls.length === 0 ? 'stop' : 'tool_calls'
  return {
    ...base,
    id,
    startToken,
    completionTokens: Math.min(wantedTokens, maxTokens),
    finishReason: wantedTokens > maxTokens ? 'length' : (scripted?.finishReason ?? naturalReason),
    ...(parts === undefined ? {} : { parts }),
    ...scripted?.completion,
  }
}

/** Creates the usage object (section 2.3). */
function createUsage({ promptTokens, completionTokens, usage }: Completion) {
  return (
    usage ?? {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    }
  )
}

/** Serializes a completion without streaming. */
export function createCompletionBody(completion: Completion): GeneratedResponse {
  const { id, created, model, completionTokens, promptTokens, finishReason } = completion
  // String concatenation takes half the time of JSON.stringify. Only the scripted text and the finish reason need
  // escaping.
  const head = `"id":"${id}","object":"chat.completion","created":${created},"model":"${model}"`
  const text = getCompletionText(completion, 0, completionTokens)
  const calls = completion.parts === undefined ? [] : renderToolCalls(completion.parts.slice(0, completionTokens))
  const content = text === '' && calls.length > 0 ? null : text
  const toolCalls = calls.length === 0 ? '' : `,"tool_calls":${JSON.stringify(calls)}`
  const message = `{"role":"assistant","content":${JSON.stringify(content)}${toolCalls}}`
  const choice = `{"index":0,"message":${message},"finish_reason":${JSON.stringify(finishReason)}}`
  return {
    contentType: 'application/json',
    body: `{${head},"choices":[${choice}],"usage":${JSON.stringify(createUsage(completion))}}`,
    usedTokens: promptTokens + completionTokens,
    lastToken: completionTokens - 1,
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
  const { opening, content, closing } =
    behaviour['chunk-shape'] === 'sdk' ? createSdkData(completion, includeUsage) : TEXT_ONLY_DATA
  const last = behaviour['done-marker'] === 'done' ? [...closing, '[DONE]'] : closing
  const frameOf = createEventFormatter(behaviour, completion.parts !== undefined) // The corpus contains no line ends.
  const contentEnd = opening.length + completionTokens

  return {
    frameCount: contentEnd + last.length,
    frame(index) {
      if (index < opening.length) return frameOf(opening[index] ?? '', index)
      if (index >= contentEnd) return frameOf(last[index - contentEnd] ?? '', index)
      const token = index - opening.length
      const part = completion.parts?.[token] ?? { kind: 'text', text: getCompletionText(completion, token, token + 1) }
      return frameOf(content(part), index)
    },
    tokenIndexOf: (index) => Math.min(Math.max(index - opening.length, 0), completionTokens - 1),
    usedTokensAfter: (framesSent) => {
      const scripted = framesSent === contentEnd + last.length ? completion.usage?.['total_tokens'] : undefined
      if (typeof scripted === 'number' && Number.isSafeInteger(scripted) && scripted >= 0) {
        return Math.min(scripted, completion.maxUsedTokens)
      }
      return promptTokens + Math.min(Math.max(framesSent - opening.length, 0), completionTokens)
    },
  }
}

/** Data of the events before, during and after the text of a stream. */
interface StreamData {
  readonly opening: readonly string[]
  content(part: MessagePart): string
  readonly closing: readonly string[]
}

/** Event data for the option `chunk-shape=text`. */
const TEXT_ONLY_DATA: StreamData = { opening: [], content: (part) => part.text, closing: [] }

function createSdkData(completion: Completion, includeUsage: boolean): StreamData {
  const { id, created, model, finishReason } = completion
  // Beginning of every chunk, without the closing brace.
  const head = JSON.stringify({ id, object: 'chat.completion.chunk', created, model }).slice(0, -1)
  const chunk = (delta: string, reason: string) =>
    `${head},"choices":[{"index":0,"delta":${delta},"finish_reason":${reason}}]}`
  const usage = `${head},"choices":[],"usage":${JSON.stringify(createUsage(completion))}}`
  return {
    opening: [chunk('{"role":"assistant","content":""}', 'null')],
    content: (part) =>
      chunk(
        part.kind === 'text' ? `{"content":${JSON.stringify(part.text)}}` : JSON.stringify(createCallDelta(part)),
        'null',
      ),
    closing: [chunk('{}', JSON.stringify(finishReason)), ...(includeUsage ? [usage] : [])],
  }
}

const LINE_ENDS = { lf: '\n', crlf: '\r\n', cr: '\r' } as const

/**
 * Creates a function that formats data as a server-sent event (WHATWG HTML, section 9.2.6).
 * @param hasLines true if the data may contain line ends; each line then gets its own `data:` field
 */
function createEventFormatter(behaviour: BehaviourOptions, hasLines: boolean): (data: string, index: number) => string {
  const end = LINE_ENDS[behaviour['line-ends']]
  const comments = behaviour['keep-alive-comments']
  return (text, index) => {
    const data = hasLines ? text.replaceAll(/\r\n|\r|\n/g, `${end}data: `) : text
    const comment = comments === 'each' || (comments === 'first' && index === 0) ? `: keep-alive${end}${end}` : ''
    return `${comment}data: ${data}${end}${end}`
  }
}
