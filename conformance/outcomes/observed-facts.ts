import type { ExchangeError } from '../http/exchange.ts'

/* Parts of outcomes that describe responses, as plain data. */

/** A value from a response. `{ cut }` with the start of its JSON text replaces a long value: see `json-excerpt.ts`. */
export type JsonExcerpt =
  | null
  | boolean
  | number
  | string
  | readonly JsonExcerpt[]
  | { readonly [name: string]: JsonExcerpt }

/** Status and error of an exchange. Status 0 means that no status line arrived. */
export type ResponseParams = {
  readonly actualStatus: number
  readonly error?: ExchangeError
  /** True if an event of the stream reports an error. */
  readonly isErrorInStream?: true
}

/**
 * A request that broke down once and succeeded when repeated, with the data for finding it in the logs of the target.
 */
export interface RecordedFlake extends ResponseParams {
  /** Method and path. */
  readonly endpoint: string
  /** Time at which the request was sent, in ISO 8601. */
  readonly sentAt: string
  /** The header of the response that identifies the request, as `name: value`. */
  readonly requestId?: string
  readonly repeatStatus: number
  readonly repeatedAfterMs: number
}

/** Requests that broke down once and got a response when repeated. */
export interface FlakedRequests {
  readonly flakes: number
  /** Number of breakdowns. All requests of an outage count as one. */
  readonly incidents: number
  readonly requests: number
  readonly by: readonly BreakdownGroup[]
  readonly first: RecordedFlake
}

/** Requests that broke down in the same way. */
export interface BreakdownGroup extends ResponseParams {
  /** Method and path. */
  readonly endpoint: string
  /** Set if all of these requests have `stream: true`. */
  readonly stream?: true
  /** The model that all of these requests name. Absent if the target served another request for it. */
  readonly model?: string
  readonly requests: number
}

/** Reason why an image or its size could not be read. */
export type ImageProblem = 'no-url' | 'outside-base-address' | 'not-an-image' | 'empty' | 'no-extension' | 'no-size'

/** Usage and charge of a chat; the charge in units of 0.0001 credit. */
export type ChatCharge = { readonly prompt: number; readonly completion: number; readonly units: number }

/** A feature of requests that the target does not support: it rejects the request, or ignores the feature. */
export interface NotSupported {
  readonly actualStatus: number
  readonly instead: 'error' | 'no-tool-call' | 'no-json'
}

/** Facts from the responses. Most kinds belong to a single check. */
export type ObservedFact =
  | ({ readonly kind: 'response' } & ResponseParams)
  | { readonly kind: 'error-responses'; readonly statuses: readonly number[] }
  /** Number of requests if none of them broke down. */
  | { readonly kind: 'requests'; readonly requests: number }
  /** An identical request got the same completion with the same id, and another request got another id. */
  | { readonly kind: 'cached-completion' }
  | { readonly kind: 'tokens'; readonly tokens: number }
  /** Length of a text without usage, in bytes. A text has at most as many tokens as bytes. */
  | { readonly kind: 'short-text'; readonly bytes: number }
  /** Number of tokens in a text without usage, estimated from a completion with usage. */
  | { readonly kind: 'text-length'; readonly characters: number; readonly tokens: number }
  /** `otherStatuses`: statuses of success apart from 200, which the specification does not name. */
  | { readonly kind: 'every-response'; readonly responses: number; readonly otherStatuses?: readonly number[] }
  | { readonly kind: 'all-models'; readonly models: number }
  /** Models that the target lists: those that served the request, and those that rejected it. */
  | { readonly kind: 'listed-models'; readonly served: readonly string[]; readonly rejected: readonly string[] }
  | { readonly kind: 'all-streams'; readonly streams: number }
  | {
      readonly kind: 'complete-streams'
      readonly streams: number
      readonly longestMs: number
      /** Whether no stream was long enough to show a time-out. */
      readonly isTooShort?: true
    }
  | { readonly kind: 'finish-reasons'; readonly reasons: readonly JsonExcerpt[] }
  | { readonly kind: 'event-times'; readonly events: number; readonly overMs: number }
  | { readonly kind: 'sdk-value'; readonly value: JsonExcerpt }
  | { readonly kind: 'sdk-error'; readonly error: string; readonly message: string }
  | { readonly kind: 'charge'; readonly bills: readonly ChatCharge[]; readonly reading: PriceReading }
  | { readonly kind: 'price'; readonly reading: PriceReading }
  | { readonly kind: 'units-charged'; readonly units: number }
  | { readonly kind: 'charged' }
  | { readonly kind: 'within-balance' }
  | { readonly kind: 'limited'; readonly limited: number; readonly requests: number }
  | { readonly kind: 'models-without-credits'; readonly rejected: number; readonly models: number }
  | { readonly kind: 'retry-after'; readonly seconds: number }
  | { readonly kind: 'recovered'; readonly waitedS: number; readonly retryAfterS?: number }
  | { readonly kind: 'variants'; readonly served: number; readonly variants: number }
  | { readonly kind: 'header'; readonly actualStatus: number; readonly header: string; readonly value: string | null }
  | { readonly kind: 'challenge'; readonly actualStatus: number; readonly value: string | null }
  | {
      readonly kind: 'by-model'
      readonly responses: readonly (ResponseParams & { readonly model: string; readonly operation: string })[]
    }
  | {
      readonly kind: 'stream-frames'
      readonly json: boolean
      readonly names: readonly string[]
      readonly done: 'last' | 'not-last' | 'none'
      readonly usage: boolean
    }
  | { readonly kind: 'stream-usage'; readonly usage: 'none' | 'without-choices' | 'with-choices' }
  | { readonly kind: 'image-url'; readonly problem: ImageProblem }
  | { readonly kind: 'sound'; readonly frames: number; readonly durationMs: number }
  | { readonly kind: 'transcript'; readonly actualStatus: number; readonly heard: number; readonly spoken: number }
  | { readonly kind: 'connection'; readonly after: 'kept' | 'closed-unannounced' }
  | { readonly kind: 'connection'; readonly after: 'closed'; readonly header: string | null }
  | {
      readonly kind: 'error-body'
      readonly actualStatus: number
      /** Names of the members of the body. Null if it is not a JSON object. */
      readonly members: readonly string[] | null
      readonly error?: readonly string[] | { readonly value: JsonExcerpt }
      readonly code?: JsonExcerpt
    }
  | { readonly kind: 'header-names'; readonly names: readonly string[] }
  | { readonly kind: 'images'; readonly images: number }
  | ({ readonly kind: 'not-supported' } & NotSupported)
  | {
      readonly kind: 'tool-calls'
      readonly actualStatus: number
      readonly calls: number
      readonly finishReason?: string
    }
  | { readonly kind: 'tool-prompt-tokens'; readonly promptTokens: number; readonly without: number }
  | { readonly kind: 'prompt-tokens'; readonly actualStatus: number; readonly promptTokens: number }

/** Explanation of a charge by the price table. `other` is the price of the other kind of token, in units. */
export type PriceReading =
  | 'all-tokens'
  | 'completion-only'
  | { readonly byTable: 'prompt' | 'completion'; readonly otherUnits: number }
