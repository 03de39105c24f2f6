import type { AgentDeviationParams, AgentRule } from './agent-findings.ts'
import type { MissingEvidence } from './missing-evidence.ts'
import type { Exchange } from '../http/exchange.ts'
import type {
  ChatCharge,
  BreakdownGroup,
  ImageProblem,
  JsonExcerpt,
  NoResponseParams,
  ObservedFact,
  FlakedRequests,
  ResponseParams,
} from './observed-facts.ts'
import type { KeyRole } from '../requests/api-request.ts'
import type { RequestDifference } from './request-difference.ts'
import type { RunObstacleParams } from './run-obstacle.ts'

/*
 * An outcome is the result of a check as data: a verdict, a stable code, and parameters. `sentences.ts` formats it as
 * text. Reports group outcomes by code, and `prove` compares them.
 */

/** Verdict of a check that ran, or that could not run (`not-testable`). */
export type Verdict = 'pass' | 'fail' | 'warn' | 'observed' | 'not-testable' | 'error'

export type ExpectedStatus = number | '2xx' | '4xx'

/** What a response must satisfy, according to a quoted sentence or a convention. */
export type Expectation =
  | { readonly status: readonly ExpectedStatus[] }
  | { readonly field: string; readonly type: FieldType }
  | { readonly field: string; readonly value: JsonExcerpt }
  | { readonly field: string; readonly atMost: number }
  | { readonly tokensAtMost: number }
  /** `orStatus` is an error status that the target may send instead. */
  | { readonly field: string; readonly count: number; readonly orStatus?: number }
  | { readonly mediaType: string }
  | { readonly header: string }
  | { readonly sdkError: string; readonly status: number }
  | { readonly creditsPerToken: number }
  | { readonly limitedRequests: number }
  /** Text of a declaration by the target's owner. */
  | { readonly declared: string }
  | { readonly maxFlakesPercent: number }
  | { readonly rule: ExpectationRule }

/** Field types. `count` is an integer of at least 0. `unix-seconds` is a Unix time as an integer. */
export type FieldType = 'string' | 'integer' | 'count' | 'object' | 'items' | 'objects' | 'unix-seconds'

/** Rules that go beyond the type of a single field. `expectations.ts` contains the phrases for each. */
export type ExpectationRule =
  | 'all-models-listed'
  | 'declared-models-listed'
  | 'model-of-request'
  | 'stream-of-events'
  | 'stream-without-error'
  | 'stream-ends-alike'
  | 'no-cross-talk'
  | 'sdk-sees-response'
  | 'unique-id'
  | 'unique-model-ids'
  | 'usage-adds-up'
  | 'completion-object'
  | 'json-completion'
  | 'list'
  | 'model-list'
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
  | 'charges-by-table'
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
  | 'stream-form'
  | 'stream-text'
  | 'prompt-tokens'
  | 'stream-progress'
  | 'no-breakdown'
  | 'no-body'
  | 'no-byte-order-mark'
  | 'stream-end'
  | 'max-tokens'
  | AgentRule

/** Parameters of deviations from an expectation, by code. */
export interface DeviationParams extends AgentDeviationParams {
  'unexpected-status': ResponseParams
  'no-response': NoResponseParams
  'missing-field': { readonly path: string }
  'wrong-type': { readonly path: string; readonly actualType: string; readonly actual: JsonExcerpt }
  'wrong-value': {
    readonly path: string
    readonly actual: JsonExcerpt
    readonly unit?: 'ms'
    readonly lacks?: 'extension'
  }
  'wrong-count': { readonly path: string; readonly actualCount: number }
  'bound-exceeded': { readonly path: string; readonly actual: number; readonly bound?: number }
  /** A completion without max_tokens has the finish_reason "length", but fewer tokens than the default. */
  'truncated-below-default': { readonly actual: number }
  /** Length of a completion without usage. A word has at least one token. `events` is set for a stream. */
  'text-exceeds-bound': { readonly words: number; readonly events?: number }
  'duplicate-value': { readonly path: string; readonly actual: JsonExcerpt }
  'models-not-listed': { readonly missing: readonly string[] }
  'model-listed-again': { readonly model: JsonExcerpt }
  /** The target rejected the request, but served it in the form that `servedWith` describes. */
  'served-only-otherwise': ResponseParams & { readonly servedWith: RequestDifference }
  'rejected-in-all-forms': { readonly responses: readonly (ResponseParams & { readonly form: string })[] }
  'unexpected-media-type': { readonly actualMediaType: string }
  'missing-header': { readonly header: string }
  'wrong-header': { readonly header: string; readonly actual: string }
  /** `present` means that a response to HEAD has a body. */
  'wrong-body': { readonly problem: 'empty' | 'not-a-json-object' | 'json' | 'present' | 'byte-order-mark' }
  'stream-malformed': { readonly problem: StreamProblem; readonly actual?: JsonExcerpt }
  'error-in-stream': { readonly form: 'event-name' | 'type' | 'error-member'; readonly actual: JsonExcerpt }
  'stream-cut': { readonly end: StreamEnd; readonly singleEnd: StreamEnd }
  /** In each of two streams, nearly all events arrived in groups, with pauses of about `pauseMs` between them. */
  'stream-in-bursts': {
    readonly events: number
    readonly bursts: number
    readonly pauseMs: number
    readonly totalMs: number
  }
  /** Truncated streams that all ended after about `afterMs`. `events` contains the number of events of each stream. */
  'streams-timed-out': {
    readonly streams: number
    readonly afterMs: number
    readonly events: readonly number[]
    /** Number of complete streams in the run. */
    readonly complete: number
  }
  /**
   * Truncated streams. `complete` is the number of complete streams; `events` contains the number of events of some
   * truncated ones.
   */
  'streams-without-end': { readonly streams: number; readonly events: readonly number[]; readonly complete: number }
  'stream-held-back': {
    readonly events: number
    readonly spreadMs: number
    readonly totalMs: number
    readonly growthMs: number
  }
  /** All events arrived together, later than the response without `stream`, which took `plainMs`. */
  'stream-later-than-plain': {
    readonly events: number
    readonly spreadMs: number
    readonly totalMs: number
    readonly plainMs: number
  }
  /**
   * The events of compressed streams arrived in groups or all at once, but those of a stream without compression arrived
   * one by one. `firstMs` and `plainFirstMs` are the times until the first event.
   */
  'compressed-stream-buffered': {
    readonly encoding: string
    readonly events: number
    readonly groups: number
    readonly firstMs: number
    readonly plainFirstMs: number
  }
  /** The response at `position` contains the nonce (`text`) or the ID of another response. */
  'cross-talk': { readonly of: 'text' | 'id'; readonly position: number; readonly responses: number }
  /** A stream is the completion of an identical request without some of its words. */
  'words-lost': { readonly words: number; readonly of: number; readonly lost: JsonExcerpt }
  'mp3-malformed': {
    readonly problem: 'empty' | 'nothing-after-tag' | 'no-frame-header' | 'no-frame' | 'frame-cut'
    readonly offset?: number
    readonly frames?: number
    readonly actualBytes?: number
    readonly frameBytes?: number
  }
  /** Deviation of the image at a URL, or of the URL itself. `name` is the last part of the URL's path. */
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
  /** A burst got no 429. `actualStatus` is the status of rejected requests, if there were any. */
  'limit-not-enforced': {
    readonly requests: number
    readonly rejected: number
    readonly actualStatus?: number
    readonly servedAfterS?: number
    readonly declared?: DeclaredRateLimit
  }
  'limit-shared-between-keys': object
  /** The target served the key again later than Retry-After states, or did not serve it within `waitedS`. */
  'not-recovered': { readonly waitedS: number; readonly retryAfterS?: number }
  /**
   * Requests that broke down on every attempt, although they were not invalid. `requests` is the number of all requests
   * to the operation.
   */
  'requests-broke-down': { readonly broken: number; readonly requests: number; readonly by: readonly BreakdownGroup[] }
  'requests-flaked': FlakedRequests
  /** The SDK returned a value, or threw an error, that differs from the response. */
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
  | 'no-spaces'
  | 'no-content'
  | 'no-finish-reason'
  | 'early-finish-reason'
  | 'repeated-finish-reason'
  | 'error-member'
  | 'empty-choices'
  | 'no-done'
  | 'event-after-done'
  | 'no-blank-line'

/** End-of-stream markers that a stream contains and that clients recognize. */
export type StreamEnd = { readonly finishReason: boolean; readonly done: boolean }

type ServedShare = { readonly served: number; readonly requests: number }

/** Parameters of the reasons why a check is not testable, by code. */
export interface ObstacleParams {
  /** The request broke down twice, although it was not invalid. The breakdown check of the operation reports it. */
  'request-broke-down': ResponseParams
  /** The target did not serve a valid request, or the tester's account or network prevented a response. */
  'request-not-served': ResponseParams
  /** The target did not serve the control request, so the response to the invalid request proves nothing. */
  'control-request-not-served': ResponseParams
  /** The responses do not show whether the target conforms. */
  'no-evidence': { readonly missing: MissingEvidence }
  /** The target did not send the error response that the check evaluates. */
  'error-not-provoked': ResponseParams & { readonly status: number }
  'plain-stream-is-none': { readonly actualMediaType: string }
  /** The response to the plain request already has this deviation, which a different check reports. */
  'plain-response-deviates': { readonly deviation: Deviation }
  'image-unreadable': { readonly problem: ImageProblem }
  'image-not-served': ResponseParams
  /** A burst got no 429, but it also did not exceed the declared limit, if there is one. */
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

/** A declaration of the owner: the target serves this number of requests in this time. */
type DeclaredRateLimit = { readonly requests: number; readonly seconds: number }

/** Parameters of errors of the suite itself, by code. */
export interface SuiteErrorParams {
  'check-crashed': { readonly name: string; readonly message: string }
  'too-many-requests': { readonly sent: number; readonly declared: number }
  /** An error ended the run before the check. */
  'run-failed': { readonly message: string }
}

/** Parameters of findings with the outcome *pass* or *observed*, by code. */
export interface ResultParams {
  /** The target met the expectation. `seen` is a fact that the report shows. */
  'as-expected': { readonly seen?: ObservedFact }
  /** The completion was shorter than its bound. */
  'bound-not-reached': { readonly actual: number }
  /** A response that shows unspecified behaviour. `tried` describes the request. */
  'observed-response': { readonly tried?: string; readonly seen: ObservedFact }
}

/** Parameters of all findings, by code. */
export interface FindingParams
  extends DeviationParams, ObstacleParams, RunObstacleParams, SuiteErrorParams, ResultParams {}

export type FindingCode = keyof FindingParams

export type FindingWithCode<Codes extends FindingCode> = {
  [Code in Codes]: { readonly code: Code; readonly params: FindingParams[Code] }
}[Codes]

export type Deviation = FindingWithCode<keyof DeviationParams>
export type Obstacle = FindingWithCode<keyof ObstacleParams | keyof RunObstacleParams>
/** Finding of a check: a code with its parameters. */
export type Finding = FindingWithCode<keyof FindingParams>

/** Result of one check. */
export type Outcome = Finding & {
  readonly verdict: Verdict
  /** Expectation that the response must meet. Absent for observations, and for most checks that are not testable. */
  readonly expected?: Expectation
  /**
   * Difference between the request of the finding and the plain request. Absent if the finding concerns the plain
   * request.
   */
  readonly difference?: RequestDifference
  /** Names the clients that fail, and describes how. Set only for a warning. */
  readonly consequence?: string
  /**
   * Exchange that shows the finding. The report builds its command from this exchange. Default: the check's last
   * exchange.
   */
  readonly exchange?: Exchange
  /** Exchanges that show the finding only together. The command of the report then sends these requests in order. */
  readonly sequence?: readonly Exchange[]
  /** Number of parallel requests that the command sends, if one request alone does not show the finding. */
  readonly parallel?: number
}
