import type { ExchangeError } from '../http/exchange.ts'

/* These types describe facts about responses in outcomes, as plain data. */

/**
 * A value from a response. A long value is replaced with `{ cut }`, which contains the start of its JSON text: see
 * `json-excerpt.ts`.
 */
export type JsonExcerpt =
  | null
  | boolean
  | number
  | string
  | readonly JsonExcerpt[]
  | { readonly [name: string]: JsonExcerpt }

/** Status and error of an exchange. Status 0 means that the target sent no status line. */
export type ResponseParams = {
  readonly actualStatus: number
  readonly error?: ExchangeError
  /** Whether an event of the stream reports an error. */
  readonly isErrorInStream?: true
}

/**
 * An exchange that ended without a complete response. If an invalid request got none in time, `waitedMs` is the time
 * without a response, and `controlMs` the duration of its control request.
 */
export type NoResponseParams = ResponseParams & {
  readonly error: ExchangeError
  readonly waitedMs?: number
  readonly controlMs?: number
}

/** A request that broke down once and succeeded when repeated, with data that helps to find it in the target's logs. */
export interface RecordedFlake extends ResponseParams {
  /** Method and path of the request. */
  readonly endpoint: string
  /** Start time of the request (ISO 8601). */
  readonly sentAt: string
  /** Response header that contains the request ID, as `name: value`. */
  readonly requestId?: string
  readonly repeatStatus: number
  readonly repeatedAfterMs: number
}

/** Requests that broke down once and succeeded when repeated. */
export interface FlakedRequests {
  readonly flakes: number
  /**
   * Number of incidents that caused the breakdowns. An outage counts as one incident, regardless of its number of
   * requests.
   */
  readonly incidents: number
  readonly requests: number
  readonly by: readonly BreakdownGroup[]
  readonly first: RecordedFlake
}

/** Requests that broke down in the same way. */
export interface BreakdownGroup extends ResponseParams {
  /** Method and path of the requests. */
  readonly endpoint: string
  /**
   * Whether the requests of the group have `stream: true`. Absent if the target served requests of the other kind and of
   * this kind.
   */
  readonly stream?: boolean
  /** Model that all requests of the group name. Absent if the target served another request for the same model. */
  readonly model?: string
  /** Whether all requests of the group have a large body, and the target served no request with a large body. */
  readonly largeBody?: true
  readonly invalidUtf8?: true
  readonly requests: number
}

/** Usage and charge of a chat. The charge is in units of 0.0001 credit. */
export type ChatCharge = { readonly prompt: number; readonly completion: number; readonly units: number }

/** Response of a target that does not support a feature of the request. */
export interface UnsupportedFeature {
  readonly actualStatus: number
  readonly instead: 'error' | 'no-tool-call' | 'no-json'
}

/** A fact about responses that the report shows. */
export type ObservedFact =
  | ({ readonly kind: 'response' } & ResponseParams)
  | { readonly kind: 'error-responses'; readonly statuses: readonly number[] }
  /** Number of requests, none of which broke down. */
  | { readonly kind: 'requests'; readonly requests: number }
  /** An identical request got the same completion with the same ID, and a different request got a different ID. */
  | { readonly kind: 'cached-completion' }
  | { readonly kind: 'tokens'; readonly tokens: number }
  /** Length of a completion without usage, in bytes. This is an upper bound of its tokens. */
  | { readonly kind: 'short-text'; readonly bytes: number }
  /**
   * Length of a completion without usage, with an estimate of its tokens. The estimate is based on a non-streaming
   * completion that reports its usage.
   */
  | { readonly kind: 'text-length'; readonly characters: number; readonly tokens: number }
  /**
   * `otherStatuses` contains the success statuses other than 200, since the specification does not state which one a
   * target must use.
   */
  | { readonly kind: 'every-response'; readonly responses: number; readonly otherStatuses?: readonly number[] }
  | { readonly kind: 'all-models'; readonly models: number }
  /** Listed models that served the request, and listed models that rejected it. */
  | { readonly kind: 'listed-models'; readonly served: readonly string[]; readonly rejected: readonly string[] }
  | { readonly kind: 'all-streams'; readonly streams: number }
  | {
      readonly kind: 'complete-streams'
      readonly streams: number
      readonly longestMs: number
      /** Whether all streams were too short to reach a possible timeout. */
      readonly isTooShort?: true
    }
  /** `differ` is false if every completion is the same text or its start. */
  | { readonly kind: 'texts-of-prompts'; readonly differ: boolean }
  | { readonly kind: 'stream-text'; readonly isSame: boolean }
  | { readonly kind: 'finish-reasons'; readonly reasons: readonly JsonExcerpt[] }
  | { readonly kind: 'common-limit' }
  | { readonly kind: 'uncompressed-stream' }
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
  | { readonly kind: 'sound'; readonly frames: number; readonly durationMs: number }
  | { readonly kind: 'transcript'; readonly actualStatus: number; readonly heard: number; readonly spoken: number }
  | { readonly kind: 'connection'; readonly after: 'kept' | 'closed-unannounced' }
  | { readonly kind: 'connection'; readonly after: 'closed'; readonly header: string | null }
  | {
      readonly kind: 'error-body'
      readonly actualStatus: number
      /** Names of the body's properties. Null if the body is not a JSON object. */
      readonly members: readonly string[] | null
      readonly error?: readonly string[] | { readonly value: JsonExcerpt }
      readonly code?: JsonExcerpt
    }
  | { readonly kind: 'header-names'; readonly names: readonly string[] }
  | { readonly kind: 'images'; readonly images: number }
  | ({ readonly kind: 'not-supported' } & UnsupportedFeature)
  | {
      readonly kind: 'tool-calls'
      readonly actualStatus: number
      readonly calls: number
      readonly finishReason?: string
    }
  | { readonly kind: 'tool-prompt-tokens'; readonly promptTokens: number; readonly without: number }
  | { readonly kind: 'prompt-tokens'; readonly actualStatus: number; readonly promptTokens: number }

/**
 * How the price table explains a charge. `otherUnits` is the price of tokens of the kind that does not have the price
 * of the table, in units.
 */
export type PriceReading =
  | 'all-tokens'
  | 'completion-only'
  | { readonly byTable: 'prompt' | 'completion'; readonly otherUnits: number }
