import { toByteString } from '../../../common/byte-string.ts'
import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import { SYSTEM_FINGERPRINT } from './completion-body.ts'
import { createUsage, getCompletionText, getTextLiteral, type Completion } from '../completion.ts'
import { renderLogProbabilities } from '../log-probabilities.ts'
import { createFunctionCallDelta, createToolCallDelta } from '../message-parts.ts'

/** Event data of one choice of a stream: before, during and after its content. All strings are byte strings. */
export interface ChunkData {
  readonly opening: readonly string[]
  /**
   * Creates the data of the event with these tokens, which belong to the same part of the message.
   * @param countTokens returns the number of completion tokens of the response up to the end of this event
   */
  content(from: number, to: number, countTokens: () => number): string
  readonly closing: readonly string[]
  /** Event with the usage of the whole response. */
  readonly usage: readonly string[]
  /** Creates a chunk with these choices. Absent if the stream consists of plain text. */
  readonly chunk?: (choices: string) => string
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
}

/** Creates the data of a choice's events. Their shape is unspecified (section 4.2). */
export function createChunkData(choice: StreamedChoice, behaviour: BehaviourOptions): ChunkData {
  return behaviour['chunk-shape'] === 'sdk' ? createSdkData(choice, behaviour) : createTextData(choice.completion)
}

/** Creates event data for the option `chunk-shape=text`. */
function createTextData(completion: Completion): ChunkData {
  const content = (from: number, to: number) => toByteString(getPartText(completion, from, to))
  return { opening: [], content, closing: [], usage: [] }
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

function createSdkData(
  { completion, index, isLast, total, isUsageRequested }: StreamedChoice,
  behaviour: BehaviourOptions,
): ChunkData {
  const { id, created, model, finishReason, logprobs, hasLegacyCall, hasSdkFields, parts } = completion
  const firstTextToken = completion.reasoning?.tokens ?? 0
  const { 'stream-usage': usageRule, 'delta-role': roleRule, 'padding-bytes': paddingBytes } = behaviour
  const firstToken = completion.reasoning?.form === 'hidden' ? firstTextToken : 0
  const sdkFields = hasSdkFields ? { system_fingerprint: SYSTEM_FINGERPRINT } : {}
  // Beginning of every chunk, without the closing brace.
  const head = renderJson({ id, object: 'chat.completion.chunk', created, model, ...sdkFields }).slice(0, -1)
  const renderUsage = (completionTokens?: number) => `,"usage":${renderJson(createUsage(total, completionTokens))}`
  const usageSoFar = (countTokens: () => number) => (usageRule === 'each' ? renderUsage(countTokens()) : '')
  const chunk = (delta: string, reason: string, probabilities = 'null', more = '') => {
    const field = logprobs === undefined && !hasSdkFields ? '' : `,"logprobs":${probabilities}`
    return `${head},"choices":[{"index":${index},"delta":${delta}${field},"finish_reason":${reason}}]${more}}`
  }
  const role = roleRule === 'each' ? '"role":"assistant",' : ''
  // Most events of a stream contain only text. V8 joins three strings faster than many.
  const [beforeText = '', afterText = ''] = chunk(`{${role}"content":""}`, 'null').split('""')
  const isPlain = logprobs === undefined && usageRule !== 'each'
  const createDelta = (from: number, to: number) => {
    const part = parts?.[from]
    const text = getPartText(completion, from, to)
    if (part === undefined || part.kind === 'text') return `"content":${renderJson(text)}`
    if (part.kind === 'reasoning') return `"${completion.reasoning?.form ?? 'reasoning_content'}":${renderJson(text)}`
    const delta = hasLegacyCall ? createFunctionCallDelta({ ...part, text }) : createToolCallDelta({ ...part, text })
    return renderJson(delta).slice(1, -1)
  }
  const isText = (token: number) => (parts?.[token]?.kind ?? 'text') === 'text'
  const listTokens = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, offset) => getPartText(completion, from + offset, from + offset + 1))
  const createContent = (from: number, to: number, countTokens: () => number) => {
    if (isPlain && isText(from)) return beforeText + getTextLiteral(completion, from, to) + afterText
    const probabilities =
      logprobs === undefined || !isText(from)
        ? 'null'
        : toByteString(renderLogProbabilities(logprobs, listTokens(from, to), from - firstTextToken))
    return chunk(`{${role}${createDelta(from, to)}}`, 'null', probabilities, usageSoFar(countTokens))
  }
  // Clients that join the deltas would otherwise get an empty text before the reasoning or the call.
  const content = isText(firstToken) ? '""' : 'null'
  const opening = () =>
    chunk(
      `{"role":"assistant","content":${content}}`,
      'null',
      'null',
      usageSoFar(() => 0),
    )
  const finish = usageRule === 'each' || (usageRule === 'last' && isLast) ? renderUsage() : ''
  const hasUsageChunk = usageRule === 'always' || (usageRule === 'asked' && isUsageRequested)
  const padding = paddingBytes === 0 ? '' : `,"obfuscation":"${'x'.repeat(paddingBytes)}"`
  return {
    opening: roleRule === 'none' ? [] : [opening()],
    content:
      padding === ''
        ? createContent
        : (from, to, countTokens) => {
            const data = createContent(from, to, countTokens)
            return from === firstToken ? `${data.slice(0, -1)}${padding}}` : data
          },
    closing: [chunk('{}', renderJson(finishReason), 'null', finish)],
    usage: hasUsageChunk ? [`${head},"choices":[]${renderUsage()}}`] : [],
    chunk: (choices) => `${head},"choices":${choices}}`,
  }
}
