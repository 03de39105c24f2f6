import { toByteString } from '../../../common/byte-string.ts'
import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import { SYSTEM_FINGERPRINT } from './completion-body.ts'
import { createUsage, getCompletionText, getTextLiteral, type Completion } from '../completion.ts'
import { renderLogProbabilities } from '../log-probabilities.ts'
import { createFunctionCallDelta, createToolCallDelta } from '../message-parts.ts'

/** Event data of one choice of a stream, created when an event is due. All strings are byte strings. */
export interface ChunkData {
  /** True if an event precedes the content. */
  readonly hasOpening: boolean
  /** True if an event follows the content. */
  readonly hasClosing: boolean
  /** True if the stream ends with an event that contains the usage of the whole response. */
  readonly hasUsage: boolean
  opening(): string
  /**
   * Creates the data of the event with these tokens, which belong to the same part of the message.
   * @param countTokens returns the number of completion tokens of the response up to the end of this event
   */
  content(from: number, to: number, countTokens: () => number): string
  closing(): string
  usage(): string
  /** Creates a chunk with these choices. Absent if the stream consists of plain text. */
  chunk?(choices: string): string
}

/** A choice of a stream, and what its chunks need to know of the response. */
export interface StreamedChoice {
  readonly completion: Completion
  readonly index: number
  /** True for the last choice, which ends the response. */
  readonly isLast: boolean
  /** The completion with the tokens of all choices. */
  readonly total: Completion
  readonly isUsageRequested: boolean
  /** False if the last chunk with content has the finish reason. */
  readonly hasFinishChunk: boolean
}

/** Creates the data of a choice's events. Their shape is unspecified (section 4.2). */
export function createChunkData(choice: StreamedChoice, behaviour: BehaviourOptions): ChunkData {
  return behaviour['chunk-shape'] === 'sdk' ? new SdkChunkData(choice, behaviour) : createTextData(choice.completion)
}

/** Creates event data for the option `chunk-shape=text`. */
function createTextData(completion: Completion): ChunkData {
  const content = (from: number, to: number) => toByteString(getPartText(completion, from, to))
  const none = () => ''
  return { hasOpening: false, hasClosing: false, hasUsage: false, opening: none, content, closing: none, usage: none }
}

function getPartText(completion: Completion, from: number, to: number): string {
  const { parts } = completion
  if (parts === undefined) return getCompletionText(completion, from, to)
  const tokens = parts.slice(from, to).map(({ text }) => text)
  return tokens.join('')
}

function renderJson(value: unknown): string {
  return toByteString(JSON.stringify(value))
}

/** Event data for the option `chunk-shape=sdk`. A class, because each open stream would keep a closure per function. */
class SdkChunkData implements ChunkData {
  readonly hasOpening: boolean
  readonly hasClosing: boolean
  readonly hasUsage: boolean
  readonly #choice: StreamedChoice
  readonly #behaviour: BehaviourOptions
  /** Beginning of every chunk, without the closing brace. */
  readonly #head: string
  /** An event that contains only text, before and after the text. */
  readonly #beforeText: string
  readonly #afterText: string

  constructor(choice: StreamedChoice, behaviour: BehaviourOptions) {
    const { id, created, model, hasSdkFields } = choice.completion
    const usageRule = behaviour['stream-usage']
    this.#choice = choice
    this.#behaviour = behaviour
    this.hasOpening = behaviour['delta-role'] !== 'none'
    this.hasClosing = choice.hasFinishChunk
    this.hasUsage = usageRule === 'always' || (usageRule === 'asked' && choice.isUsageRequested)
    const sdkFields = hasSdkFields ? { system_fingerprint: SYSTEM_FINGERPRINT } : {}
    this.#head = renderJson({ id, object: 'chat.completion.chunk', created, model, ...sdkFields }).slice(0, -1)
    // Most events of a stream contain only text. V8 joins three strings faster than many.
    const [beforeText = '', afterText = ''] = this.#createChunk(`{${this.#role}"content":""}`, 'null').split('""')
    this.#beforeText = beforeText
    this.#afterText = afterText
  }

  opening(): string {
    // Clients that join the deltas would otherwise get an empty text before the reasoning or the call.
    const content = this.#isText(this.#firstToken) ? '""' : 'null'
    const usage = this.#renderUsageSoFar(() => 0)
    return this.#createChunk(`{"role":"assistant","content":${content}}`, 'null', 'null', usage)
  }

  content(from: number, to: number, countTokens: () => number): string {
    const data = this.#createContent(from, to, countTokens)
    const paddingBytes = this.#behaviour['padding-bytes']
    if (paddingBytes === 0 || from !== this.#firstToken) return data
    return `${data.slice(0, -1)},"obfuscation":"${'x'.repeat(paddingBytes)}"}`
  }

  closing(): string {
    return this.#createChunk('{}', this.#finishReason, 'null', this.#renderLastUsage())
  }

  usage(): string {
    return `${this.#head},"choices":[]${this.#renderUsage()}}`
  }

  chunk(choices: string): string {
    return `${this.#head},"choices":${choices}}`
  }

  get #role(): string {
    return this.#behaviour['delta-role'] === 'each' ? '"role":"assistant",' : ''
  }

  get #finishReason(): string {
    return renderJson(this.#choice.completion.finishReason)
  }

  get #firstTextToken(): number {
    return this.#choice.completion.reasoning?.tokens ?? 0
  }

  /** First token of the stream. Hidden reasoning is in no event. */
  get #firstToken(): number {
    return this.#choice.completion.reasoning?.form === 'hidden' ? this.#firstTextToken : 0
  }

  #isText(token: number): boolean {
    return (this.#choice.completion.parts?.[token]?.kind ?? 'text') === 'text'
  }

  #createContent(from: number, to: number, countTokens: () => number): string {
    const { completion } = this.#choice
    const { logprobs } = completion
    const isText = this.#isText(from)
    const isEnd = !this.hasClosing && to === completion.completionTokens
    if (isText && !isEnd && logprobs === undefined && this.#behaviour['stream-usage'] !== 'each') {
      return this.#beforeText + getTextLiteral(completion, from, to) + this.#afterText
    }
    const probabilities =
      logprobs === undefined || !isText
        ? 'null'
        : toByteString(renderLogProbabilities(logprobs, this.#listTokens(from, to), from - this.#firstTextToken))
    const delta = `{${this.#role}${this.#createDelta(from, to)}}`
    return isEnd
      ? this.#createChunk(delta, this.#finishReason, probabilities, this.#renderLastUsage())
      : this.#createChunk(delta, 'null', probabilities, this.#renderUsageSoFar(countTokens))
  }

  #createDelta(from: number, to: number): string {
    const { completion } = this.#choice
    const part = completion.parts?.[from]
    const text = getPartText(completion, from, to)
    if (part === undefined || part.kind === 'text') return `"content":${renderJson(text)}`
    if (part.kind === 'reasoning') return `"${completion.reasoning?.form ?? 'reasoning_content'}":${renderJson(text)}`
    const create = completion.hasLegacyCall ? createFunctionCallDelta : createToolCallDelta
    return renderJson(create({ ...part, text })).slice(1, -1)
  }

  #listTokens(from: number, to: number): string[] {
    const { completion } = this.#choice
    return Array.from({ length: to - from }, (_, offset) => getPartText(completion, from + offset, from + offset + 1))
  }

  #createChunk(delta: string, reason: string, probabilities = 'null', more = ''): string {
    const { completion, index } = this.#choice
    const hasField = completion.logprobs !== undefined || completion.hasSdkFields
    const field = hasField ? `,"logprobs":${probabilities}` : ''
    const choice = `{"index":${index},"delta":${delta}${field},"finish_reason":${reason}}`
    return `${this.#head},"choices":[${choice}]${more}}`
  }

  #renderUsage(completionTokens?: number): string {
    return `,"usage":${renderJson(createUsage(this.#choice.total, completionTokens))}`
  }

  #renderLastUsage(): string {
    const rule = this.#behaviour['stream-usage']
    return rule === 'each' || (rule === 'last' && this.#choice.isLast) ? this.#renderUsage() : ''
  }

  #renderUsageSoFar(countTokens: () => number): string {
    return this.#behaviour['stream-usage'] === 'each' ? this.#renderUsage(countTokens()) : ''
  }
}
