import type { ModelId, Operation } from '../../contract/facts.ts'
import type { Settings } from '../options/settings.ts'
import type { SeededRandom } from '../state/seeded-random.ts'

/** A file of a form. */
export interface UploadedFile {
  readonly filename: string
  readonly bytes: Buffer
}

/** The fields of a request body by name, as they came: JSON values, or the texts and files of a form. */
export interface RequestFields {
  readonly values: Readonly<Record<string, unknown>>
  /** How numbers were written, by field, where that matters. */
  readonly numberSources?: Readonly<Record<string, string>>
}

/** What reading a request may depend on beside its fields. */
export interface OperationContext {
  readonly settings: Settings
  /** `{base_url}` as the client addressed it. */
  readonly baseUrl: string
}

/** A valid request, as the stages after validation see it: they need not know which operation it is. */
export interface PreparedOperation {
  readonly operation: Operation
  /** The model that is charged; undefined when nothing is. */
  readonly model: ModelId | undefined
  /** What was asked, to the byte; equal requests have equal fingerprints. */
  readonly fingerprint: string
  /** The most tokens that the request can use, prompt and answer together. */
  readonly maxUsedTokens: number
  /** How many of the used tokens are not charged, the prompt's first. */
  readonly freeTokens: number
  /** Makes the answer, of a scripted text where one is given. `created` is Unix time in seconds. */
  generate(draw: SeededRandom, created: number, scripted?: ScriptedText): GeneratedResponse
}

/** What an answer is to say instead of a made-up text, where the operation answers with a text. */
export interface ScriptedText {
  readonly text: string
  /** For chat. Default: `stop`. */
  readonly finishReason?: string
}

/** An answer, whole or as a stream. Used tokens never exceed the ceiling. */
export type GeneratedResponse = GeneratedBody | GeneratedStream

export interface GeneratedBody {
  readonly contentType: string
  readonly body: Buffer | string
  readonly usedTokens: number
  /** The last answer token, from 0: a whole answer is there when it is. */
  readonly lastToken: number
}

export interface GeneratedStream {
  readonly frameCount: number
  /** One server-sent event with its blank line. */
  frame(index: number): string
  /** The answer token with which a frame goes out, from 0. */
  tokenIndexOf(index: number): number
  /** Prompt and answer tokens of a client that was sent the first `framesSent` frames. */
  usedTokensAfter(framesSent: number): number
}
