import type { EncodedText } from '../../common/byte-string.ts'
import type { ApiError } from '../core/api-errors.ts'
import type { ServedOperationName } from './served-operations.ts'
import type { EmulatorSettings } from '../options/settings.ts'
import type { FormOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { SeededRandom } from '../state/seeded-random.ts'

/** Fields of a request body by name, before they are parsed: JSON values, or the strings and files of a form. */
export interface RequestFields {
  readonly values: Readonly<Record<string, unknown>>
  /** Source text of each number, by field name. Empty or absent unless the option `integer-form` is `plain`. */
  readonly numberSources?: Readonly<Record<string, string>>
  /** True if the values are converted from a request with `functions`. See `legacy-functions.ts`. */
  readonly hasLegacyFunctions?: true
}

export interface RequestClient {
  /** Account of the client's key. Accounts take turns at work that the emulator does one by one. */
  readonly keyOwner: object | undefined
  /** Aborts when the client disconnects or the response ends. */
  readonly signal: AbortSignal
}

export interface OperationContext {
  readonly settings: EmulatorSettings
  readonly client: RequestClient
  /** Scheme and host of the client's request: the `{base_url}` of the specification. */
  readonly baseUrl: string
}

/** A validated request, in a form that is the same for all operations. */
export interface PreparedOperation {
  readonly operation: ServedOperationName
  /** ID of the model that determines the price. Undefined for free operations. */
  readonly model: string | undefined
  /** Price per token in units of 0.0001 credit; 0 for free operations. */
  readonly unitsPerToken: number
  /**
   * Text that identifies the request, for its request counter and for the seed of its random content. `stream`, and the
   * format and speed of speech, are not part of it.
   */
  readonly fingerprint: string
  /** Maximum number of prompt and completion tokens that the request can use. */
  readonly maxUsedTokens: number
  /** Number of used tokens that are not charged. */
  readonly freeTokens: number
  /** Number of prompt tokens of a chat request. Default: 0. */
  readonly promptTokens?: number
  /** Maximum number of tokens of each choice of a chat completion. */
  readonly maxCompletionTokens?: number
  /**
   * Returns the operation with a limit of at least `completionTokens`, for a scripted response. Undefined if the request
   * itself limits the completion.
   */
  readonly allowTokens?: ((completionTokens: number) => PreparedOperation) | undefined
  /** Names of the request fields that have no effect. Default: none. */
  readonly ignoredFields?: readonly string[]
  /**
   * Generates the response. Returns an error (400) for an unsupported JSON Schema. Returns a promise if the generation
   * takes long, so that the emulator serves other requests meanwhile.
   * @param random source of the random values of this response
   * @param created Unix time in seconds
   * @param scripted message to use instead of a generated message
   * @param form options for the form of this response, which replace those of the emulator
   */
  generate(
    random: SeededRandom,
    created: number,
    scripted?: ScriptedMessage,
    form?: Partial<FormOptions>,
  ): GeneratedResponse | ApiError | Promise<GeneratedResponse | ApiError>
  /** Called with the parsed body of a recorded response that replaces the generated response. */
  onReplay?(response: unknown): void
}

/**
 * A message that replaces the generated message: text for transcriptions; text, tool calls or both for chat. All fields
 * are optional. Without any field, the message is empty.
 */
export interface ScriptedMessage {
  readonly text?: string
  /** Reasoning before the text. Each token counts as a completion token. */
  readonly reasoning?: string
  readonly toolCalls?: readonly ToolCall[]
  /** Finish reason of the chat completion. Default: `tool_calls` if there are tool calls, otherwise `stop`. */
  readonly finishReason?: string
  /** Other fields of the chat completion, which replace the generated ones. */
  readonly completion?: {
    readonly id?: string
    readonly model?: string
    /** Unix time in seconds. */
    readonly created?: number
    /** Usage object, sent unchanged. If it has `total_tokens`, a complete response is charged for that number. */
    readonly usage?: Readonly<Record<string, unknown>>
  }
}

/** A call of a function or of a custom tool in a scripted message. */
export interface ToolCall {
  /** ID of the call. Default: `call_` followed by 24 hexadecimal digits that depend on the seed. */
  readonly id?: string
  readonly name: string
  /**
   * Arguments of a function as text, usually a JSON object, or the input of a custom tool. Sent unchanged, so that a
   * test can script invalid JSON.
   */
  readonly arguments: string
  /** True if the request offers the tool as a custom tool, whose input is plain text. */
  readonly isCustom?: true
}

/** A generated body or stream. Its token usage never exceeds `maxUsedTokens`. */
export type GeneratedResponse = GeneratedBody | GeneratedStream

export interface GeneratedBody {
  readonly contentType: string
  readonly body: Buffer | string | EncodedText
  readonly usedTokens: number
  /** Number of reasoning tokens in the usage of a chat completion. Default: 0. */
  readonly reasoningTokens?: number
  /** Zero-based index of the last token. The response is due together with this token. */
  readonly lastToken: number
}

export interface GeneratedStream {
  readonly frameCount: number
  /** Index of the first content event, which has the first token. Equals `contentEnd` if the stream has no tokens. */
  readonly contentStart: number
  /** Index of the event that follows the last content event. */
  readonly contentEnd: number
  /** Event without content, which the emulator sends during a pause. Absent if the stream has no heartbeats. */
  readonly heartbeat?: string
  /** Returns the server-sent event with this index, including the blank line at its end, as a byte string. */
  frame(index: number): string
  /** Returns the zero-based index of the token together with which an event is due. */
  getTokenIndex(index: number): number
  /** Returns the number of prompt and completion tokens used after `framesSent` events. */
  usedTokensAfter(framesSent: number): number
  reasoningTokensAfter(framesSent: number): number
}
