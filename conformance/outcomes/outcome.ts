import type { AgentDeviationParams, AgentRule } from './agent-findings.ts'
import type { MissingEvidence } from './missing-evidence.ts'
import type { Exchange, ExchangeError } from '../http/exchange.ts'
import type {
  ChatCharge,
  BreakdownGroup,
  ImageProblem,
  JsonExcerpt,
  ObservedFact,
  FlakedRequests,
  ResponseParams,
} from './observed-facts.ts'
import type { KeyRole } from '../requests/api-request.ts'
import type { RunObstacleParams } from './run-obstacle.ts'

/*
 * Outcome of a check as data: a verdict, a stable code, and parameters. `sentences.ts` renders them as the texts of the
 * document. Reports group outcomes by code, and `prove` compares them.
 */

/** The verdict of one check. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'observed' | 'not-testable' | 'error'

/** A status, or a class of statuses. */
export type Status = number | '2xx' | '4xx'

/** The requirement on a response, from the quoted sentence or the convention. */
export type Expectation =
  | { readonly status: readonly Status[] }
  | { readonly field: string; readonly type: FieldType }
  | { readonly field: string; readonly value: JsonExcerpt }
  | { readonly field: string; readonly atMost: number }
  | { readonly tokensAtMost: number }
  /** `orStatus`: the request may also get this error response. */
  | { readonly field: string; readonly count: number; readonly orStatus?: number }
  | { readonly mediaType: string }
  | { readonly header: string }
  | { readonly sdkError: string; readonly status: number }
  | { readonly creditsPerToken: number }
  | { readonly limitedRequests: number }
  /** Text that the target's owner declares. */
  | { readonly declared: string }
  | { readonly maxFlakesPercent: number }
  | { readonly rule: Rule }

/** Types of fields in the specification. `count` is an integer of at least 0; `unix-seconds` an integer Unix time. */
export type FieldType = 'string' | 'integer' | 'count' | 'object' | 'items' | 'objects' | 'unix-seconds'

/** Expectations that concern more than one field; `sentences.ts` has a phrase for each. */
export type Rule =
  | 'all-models-listed'
  | 'declared-models-listed'
  | 'model-of-request'
  | 'stream-of-events'
  | 'stream-without-error'
  | 'stream-ends-alike'
  | 'no-cross-talk'
  | 'sdk-sees-response'
  | 'unique-id'
  | 'usage-adds-up'
  | 'completion-object'
  | 'json-completion'
  | 'list'
  | 'usage'
  | 'image-result'
  | 'image-url-address'
  | 'image-url-extension'
  | 'image-file'
  | 'image-file-kind'
  | 'image-file-media-type'
  | 'image-size'
  | 'mp3-start'
  | 'mp3-frames'
  | 'binary'
  | 'speech'
  | 'key-prefix'
  | 'within-balance'
  | 'error-body'
  | 'retry-after'
  | 'recovery'
  | 'chunk-json'
  | 'chunk-id'
  | 'role-first'
  | 'content-text'
  | 'finish-reason-last'
  | 'no-error-member'
  | 'choices-in-each-chunk'
  | 'done-last'
  | 'last-frame-closed'
  | 'stream-progress'
  | 'no-breakdown'
  | 'stream-end'
  | 'max-tokens'
  | AgentRule

/** Difference between a request and the plain one, or its control request. */
export type Difference =
  /** `model`: the only model with the finding, if the check sends the request to each model. */
  | { readonly parameter: string; readonly value: JsonExcerpt; readonly model?: string }
  | { readonly parameter: string; readonly omitted: true }
  | { readonly credential: Credential }
  | { readonly account: 'no-credits'; readonly model?: string }
  /** An invalid body: its text, or a description of how it differs from the valid one. */
  | { readonly body: string }
  | { readonly bodyText: string }
  | { readonly header: string; readonly value: string }
  | { readonly method: string; readonly path: string }
  /** One of this number of parallel requests. */
  | { readonly parallel: number }
  /** Some of the recorded responses of the run. `model` is set if they all come from one model. */
  | { readonly responses: number; readonly of: number; readonly model?: string }
  /** A phrase that describes another valid form of the request: `with the file first`. */
  | { readonly variant: string }

/** Ways to send an invalid key. */
export type Credential =
  | 'no-header'
  | 'unknown-key'
  | 'longer-key'
  | 'shorter-key'
  | 'other-letter-case'
  | 'other-header'
  | 'empty-token'
  | 'other-scheme'
  | 'no-scheme'
  | 'no-prefix'
  | 'prefix-in-capitals'

/** Deviations from an expectation, by code. */
export interface DeviationParams extends AgentDeviationParams {
  'unexpected-status': ResponseParams
  /** The exchange ended without a complete response. */
  'no-response': ResponseParams & { readonly error: ExchangeError }
  'missing-field': { readonly path: string }
  'wrong-type': { readonly path: string; readonly actualType: string; readonly actual: JsonExcerpt }
  'wrong-value': { readonly path: string; readonly actual: JsonExcerpt; readonly unit?: 'ms' }
  'wrong-count': { readonly path: string; readonly actualCount: number }
  'bound-exceeded': { readonly path: string; readonly actual: number; readonly bound?: number }
  /** Length of a stream without usage. A word has at least one token, and an event with text usually contains one. */
  'text-exceeds-bound': { readonly words: number; readonly events: number }
  'duplicate-value': { readonly path: string; readonly actual: JsonExcerpt }
  'models-not-listed': { readonly missing: readonly string[] }
  /** The target served the same request in the form that `servedWith` names. */
  'served-only-otherwise': ResponseParams & { readonly servedWith: Difference }
  'rejected-in-all-forms': { readonly responses: readonly (ResponseParams & { readonly form: string })[] }
  'unexpected-media-type': { readonly actualMediaType: string }
  'missing-header': { readonly header: string }
  'wrong-header': { readonly header: string; readonly actual: string }
  'wrong-body': { readonly problem: 'empty' | 'not-a-json-object' | 'json' }
  'stream-malformed': { readonly problem: StreamProblem; readonly actual?: JsonExcerpt }
  'error-in-stream': { readonly form: 'event-name' | 'type' | 'error-member'; readonly actual: JsonExcerpt }
  'stream-cut': { readonly end: StreamEnd; readonly singleEnd: StreamEnd }
  /** Nearly all events arrived in groups, in each of two streams, with pauses of about `pauseMs`. */
  'stream-in-bursts': {
    readonly events: number
    readonly bursts: number
    readonly pauseMs: number
    readonly totalMs: number
  }
  /** Truncated streams that all took about `afterMs`; `events` is the number of events of each. */
  'streams-timed-out': {
    readonly streams: number
    readonly afterMs: number
    readonly events: readonly number[]
    /** Number of streams of the run that reached their end. */
    readonly complete: number
  }
  /**
   * Truncated streams, while `complete` other streams of the run ended; `events` is the number of events of some of
   * them.
   */
  'streams-without-end': { readonly streams: number; readonly events: readonly number[]; readonly complete: number }
  'stream-held-back': {
    readonly events: number
    readonly spreadMs: number
    readonly totalMs: number
    readonly growthMs: number
  }
  /** All events arrived together, later than the whole completion without `stream`, which took `plainMs`. */
  'stream-later-than-plain': {
    readonly events: number
    readonly spreadMs: number
    readonly totalMs: number
    readonly plainMs: number
  }
  /** The response at `position` contains the text (a nonce) or the id of another response. */
  'cross-talk': { readonly of: 'text' | 'id'; readonly position: number; readonly responses: number }
  'mp3-malformed': {
    readonly problem: 'empty' | 'nothing-after-tag' | 'no-frame-header' | 'no-frame' | 'frame-cut'
    readonly offset?: number
    readonly frames?: number
    readonly actualBytes?: number
    readonly frameBytes?: number
  }
  /** The image at the url, or the url itself. `name` is the last part of the url's path. */
  'wrong-image': {
    readonly problem: ImageProblem | 'other-format' | 'other-media-type' | 'other-size'
    readonly name?: string
    readonly actualFormat?: string
    readonly actualMediaType?: string
    readonly actualSize?: string
  }
  'key-without-prefix': object
  'wrong-charge': { readonly bills: readonly ChatCharge[] }
  'balance-exceeded': ServedShare & { readonly credits: number; readonly balance: number }
  /** A burst got no 429. `actualStatus` is the status of the rejected requests, if any was rejected. */
  'limit-not-enforced': {
    readonly requests: number
    readonly rejected: number
    readonly actualStatus?: number
    readonly servedAfterS?: number
    readonly declared?: DeclaredRateLimit
  }
  'limit-shared-between-keys': object
  /** The key was served again later than the time of Retry-After, or not within `waitedS`. */
  'not-recovered': { readonly waitedS: number; readonly retryAfterS?: number }
  /**
   * Valid or unspecified requests that broke down on every attempt. `requests` is the number of all requests to the
   * operation.
   */
  'requests-broke-down': { readonly broken: number; readonly requests: number; readonly by: readonly BreakdownGroup[] }
  'requests-flaked': FlakedRequests
  /** The result or exception of the SDK differs from the response. */
  'sdk-differs': {
    readonly wire?: JsonExcerpt
    readonly sdk?: JsonExcerpt
    readonly error?: string
    readonly message?: string
  }
  'sdk-error-differs': {
    readonly actualStatus: number
    readonly error?: string
    readonly message?: string
    readonly body?: JsonExcerpt
  }
}

export type StreamProblem =
  | 'no-events'
  | 'no-chunks'
  | 'no-choices'
  | 'not-json'
  | 'several-ids'
  | 'wrong-role'
  | 'no-role'
  | 'content-not-text'
  | 'no-content'
  | 'no-finish-reason'
  | 'early-finish-reason'
  | 'repeated-finish-reason'
  | 'error-member'
  | 'empty-choices'
  | 'no-done'
  | 'event-after-done'
  | 'no-blank-line'

/** The end of a stream, as clients recognize it. */
export type StreamEnd = { readonly finishReason: boolean; readonly done: boolean }

type ServedShare = { readonly served: number; readonly requests: number }

/** Reasons why a check could not decide, by code. */
export interface ObstacleParams {
  /** A valid or unspecified request broke down twice. The breakdown checks report it, once for each operation. */
  'request-broke-down': ResponseParams
  /** A valid request was not served, because of an error response or the tester's account or network. */
  'request-not-served': ResponseParams
  /** The control request was not served, so the error response to the invalid request may have another reason. */
  'control-request-not-served': ResponseParams
  /** The responses do not show whether the target conforms. */
  'no-evidence': { readonly missing: MissingEvidence }
  /** The error response under test could not be provoked. */
  'error-not-provoked': ResponseParams & { readonly status: number }
  'plain-stream-is-none': { readonly actualMediaType: string }
  /** The response to the plainest request already deviates. Another check reports it. */
  'plain-response-deviates': { readonly deviation: Deviation }
  'image-unreadable': { readonly problem: ImageProblem }
  'image-not-served': ResponseParams
  /** A burst got no 429 and exceeds no declared limit. */
  'limit-not-reached': { readonly requests: number; readonly declared?: DeclaredRateLimit }
  'key-rate-limited': { readonly key: KeyRole; readonly retryAfterS: number }
  'key-invalid': { readonly key: KeyRole }
  'key-rejected': ResponseParams & { readonly key: KeyRole }
  'keys-swapped': { readonly served: KeyRole; readonly rejected: KeyRole }
  'balance-unreadable': ResponseParams & { readonly path: string }
  'balance-not-a-number': { readonly path: string; readonly pointer: string; readonly actual?: JsonExcerpt }
  'balance-too-large': { readonly credits: number; readonly requests: number }
  'balance-used-up': { readonly credits: number }
  'balance-not-used-up': ServedShare & { readonly credits: number; readonly balance: number }
  'sdk-sent-nothing': { readonly message: string }
}

/** The owner's declaration that the target serves this number of requests within this time. */
type DeclaredRateLimit = { readonly requests: number; readonly seconds: number }

/** Errors of the suite itself, by code. */
export interface SuiteErrorParams {
  'check-crashed': { readonly name: string; readonly message: string }
  'too-many-requests': { readonly sent: number; readonly declared: number }
  /** An error ended the run before the check. */
  'run-failed': { readonly message: string }
}

/** Findings of checks that pass or observe. */
export interface ResultParams {
  /** The target met the expectation. */
  'as-expected': { readonly seen?: ObservedFact }
  /** The response stayed below the bound without reaching it. */
  'bound-not-reached': { readonly actual: number }
  /** Unspecified behaviour. `tried` describes the request. */
  'observed-response': { readonly tried?: string; readonly seen: ObservedFact }
}

/** Every code with its parameters. */
export interface FindingParams
  extends DeviationParams, ObstacleParams, RunObstacleParams, SuiteErrorParams, ResultParams {}

/** All codes. */
export type FindingCode = keyof FindingParams

/** Findings with one of these codes. */
export type FindingOf<Codes extends FindingCode> = {
  [Code in Codes]: { readonly code: Code; readonly params: FindingParams[Code] }
}[Codes]

/** A deviation from an expectation. */
export type Deviation = FindingOf<keyof DeviationParams>
/** Reason why a check could not run. */
export type Obstacle = FindingOf<keyof ObstacleParams | keyof RunObstacleParams>
/** Finding of a check: a code with its parameters. */
export type Finding = FindingOf<keyof FindingParams>

/** The result of one check. */
export type Outcome = Finding & {
  readonly verdict: Verdict
  /** The requirement; absent if there is none, or if nothing could be tested. */
  readonly expected?: Expectation
  /** Difference between the request of the finding and the plain one; absent for the plain one. */
  readonly difference?: Difference
  /** Client that fails, and how. Only for a warning. */
  readonly consequence?: string
  /** The exchange that shows the finding, to reproduce it. Default: the last one of the check. */
  readonly exchange?: Exchange
}
