import type { ApiError } from '../core/api-errors.ts'
import type { ServedOperation } from './served-operations.ts'
import type { EmulatorSettings } from '../options/settings.ts'
import type { SeededRandom } from '../state/seeded-random.ts'

/** An uploaded file of a form. */
export interface UploadedFile {
  readonly filename: string
  readonly bytes: Buffer
}

/** Unparsed fields of a request body, by name: JSON values, or texts and files of a form. */
export interface RequestFields {
  readonly values: Readonly<Record<string, unknown>>
  /** Source text of each number, by field name. Present only with the option `integer-form=plain`. */
  readonly numberSources?: Readonly<Record<string, string>>
}

/** Settings and base URL that validation depends on. */
export interface OperationContext {
  readonly settings: EmulatorSettings
  /** `{base_url}` in the client's request. */
  readonly baseUrl: string
}

/** A validated request. The fields are the same for all operations. */
export interface PreparedOperation {
  readonly operation: ServedOperation
  /** Model that determines the price; undefined for free operations. */
  readonly model: string | undefined
  /** Price per token in units of 0.0001 credit; 0 for free operations. */
  readonly unitsPerToken: number
  /** Identifies the request. Equal requests have equal fingerprints. */
  readonly fingerprint: string
  /** Upper bound of the prompt and completion tokens that the request can use. */
  readonly maxUsedTokens: number
  /** Number of used tokens that are not charged. */
  readonly freeTokens: number
  /** Prompt tokens of a chat. Default: 0. */
  readonly promptTokens?: number
  /** Names of the request fields that have no effect. Default: none. */
  readonly ignoredFields?: readonly string[]
  /**
   * Generates the response, or an error (400) for a JSON Schema that is not supported.
   * @param random source of the random values of this response
   * @param created Unix time in seconds
   * @param scripted message to use instead of a generated message
   */
  generate(random: SeededRandom, created: number, scripted?: ScriptedMessage): GeneratedResponse | ApiError
  /** Called with the JSON value of a recorded response that is sent instead of a generated one. */
  onReplay?(response: unknown): void
}

/**
 * A message that replaces the generated message: text for transcriptions; text, tool calls or both for chat. All fields
 * are optional; without them, the message is empty.
 */
export interface ScriptedMessage {
  readonly text?: string
  /** Tool calls of a chat completion. */
  readonly toolCalls?: readonly ToolCall[]
  /** Finish reason of a chat completion. Default: `tool_calls` if there are tool calls, otherwise `stop`. */
  readonly finishReason?: string
  /** Other fields of a chat completion, which replace the generated ones. */
  readonly completion?: {
    readonly id?: string
    readonly model?: string
    /** Unix time in seconds. */
    readonly created?: number
    /** Sent unchanged. A complete response is charged for its `total_tokens`, if it has the field. */
    readonly usage?: Readonly<Record<string, unknown>>
  }
}

/** A call of a tool function. */
export interface ToolCall {
  /** ID of the call. Default: `call_` followed by 24 hexadecimal digits that depend on the seed. */
  readonly id?: string
  readonly name: string
  /** Usually a JSON object as text. Sent unchanged, so that a test can script invalid JSON. */
  readonly arguments: string
}

/** A generated body or stream. Its token usage never exceeds `maxUsedTokens`. */
export type GeneratedResponse = GeneratedBody | GeneratedStream

export interface GeneratedBody {
  readonly contentType: string
  readonly body: Buffer | string
  readonly usedTokens: number
  /** Index of the last token, from 0. The response is due together with this token. */
  readonly lastToken: number
}

export interface GeneratedStream {
  readonly frameCount: number
  /** Returns one server-sent event, including the blank line at its end. */
  frame(index: number): string
  /** Returns the index of the token with which a frame is due. Indices start at 0. */
  tokenIndexOf(index: number): number
  /** Returns the prompt and completion tokens used after `framesSent` frames. */
  usedTokensAfter(framesSent: number): number
}
