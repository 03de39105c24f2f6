import type { ModelId, Operation } from '../../contract/facts.ts'
import type { Settings } from '../options/settings.ts'
import type { SeededRandom } from '../state/seeded-random.ts'

/** A file in a form. */
export interface UploadedFile {
  readonly filename: string
  readonly bytes: Buffer
}

/** Fields of a request body by name, unchanged: JSON values, or texts and files of a form. */
export interface RequestFields {
  readonly values: Readonly<Record<string, unknown>>
  /** Source text of numbers, by field; only with the option `integer-form=plain`. */
  readonly numberSources?: Readonly<Record<string, string>>
}

/** Context in which a request is validated. */
export interface OperationContext {
  readonly settings: Settings
  /** `{base_url}` as the client used it. */
  readonly baseUrl: string
}

/** A validated request, independent of its operation. */
export interface PreparedOperation {
  readonly operation: Operation
  /** Model whose price applies; undefined for free operations. */
  readonly model: ModelId | undefined
  /** Identifies the request: equal requests have equal fingerprints. */
  readonly fingerprint: string
  /** Upper bound of the used tokens, prompt and completion. */
  readonly maxUsedTokens: number
  /** Number of used tokens that are not charged. */
  readonly freeTokens: number
  /**
   * Generates the response.
   * @param random random numbers of this response
   * @param created Unix time in seconds
   * @param scripted message that replaces the generated one
   */
  generate(random: SeededRandom, created: number, scripted?: ScriptedMessage): GeneratedResponse
}

/**
 * A message that replaces the generated one: text for transcriptions; text, tool calls or both for chat. Without either
 * it is empty.
 */
export interface ScriptedMessage {
  readonly text?: string
  /** Only for chat. */
  readonly toolCalls?: readonly ToolCall[]
  /** Only for chat. Default: `tool_calls` with tool calls, otherwise `stop`. */
  readonly finishReason?: string
}

/** A call of a function that the request offers as a tool. */
export interface ToolCall {
  /** Default: `call_` and 24 hexadecimal digits from the seed. */
  readonly id?: string
  readonly name: string
  /** Usually a JSON object; sent unchanged, so that a test can script invalid JSON. */
  readonly arguments: string
}

/** A generated response, complete or as a stream. It never uses more than `maxUsedTokens`. */
export type GeneratedResponse = GeneratedBody | GeneratedStream

export interface GeneratedBody {
  readonly contentType: string
  readonly body: Buffer | string
  readonly usedTokens: number
  /** Index of the last token, from 0. Its due time is that of the response. */
  readonly lastToken: number
}

export interface GeneratedStream {
  readonly frameCount: number
  /** Returns one server-sent event, including its blank line. */
  frame(index: number): string
  /** Returns the index of the token with which a frame is due, from 0. */
  tokenIndexOf(index: number): number
  /** Returns the prompt and completion tokens used when the first `framesSent` frames were sent. */
  usedTokensAfter(framesSent: number): number
}
