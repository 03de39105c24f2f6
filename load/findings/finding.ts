import type { OptionName } from '../options/invalid-option-error.ts'
import type { RequestFailure } from '../target/request-failure.ts'

/**
 * A finding about a load run: a reason of its verdict, or why it did not start. `code` is stable, and `params` are plain JSON data, in
 * which options have the names of `LoadOptions`. `describeFinding` turns both into a sentence.
 */
export type LoadFinding = { readonly [Code in keyof FindingParams]: FindingOf<Code> }[keyof FindingParams]

/** The finding with a code. */
export interface FindingOf<Code extends keyof FindingParams> {
  readonly code: Code
  readonly params: FindingParams[Code]
}

/** Parameters of each finding, by its code. Times are milliseconds or seconds by suffix; credits are decimal strings. */
export interface FindingParams {
  // The run did not start.
  /** No k6 was found, and no Go of this version or later to build one. */
  readonly 'k6-missing': { readonly minGo: string }
  /** The directory of built k6 binaries cannot be written. `problem` is what the system reports: `EACCES`. */
  readonly 'k6-cache-not-writable': { readonly directory: string; readonly problem: string }
  /** `message` is the last line of the output of `go build`. */
  readonly 'k6-build-failed': { readonly message: string }
  readonly 'k6-build-interrupted': Readonly<Record<never, never>>
  readonly 'target-unreachable': { readonly target: string; readonly failure: RequestFailure }
  readonly 'target-requires-key': { readonly target: string }
  readonly 'target-rejects-key': { readonly target: string; readonly status: number }
  /** `option` is the key that the scenario needs. */
  readonly 'scenario-requires-key': { readonly scenario: string; readonly option: OptionName }

  // The load generator failed or fell behind.
  /** `exitCode` is null if a signal ended k6. `message` may be empty. */
  readonly 'k6-failed': { readonly exitCode: number | null; readonly hasResult: boolean; readonly message: string }
  /** Planned requests that never started. */
  readonly 'requests-dropped': { readonly dropped: number; readonly planned: number | null }
  /** More than `allowed` of `requests` had a scheduling delay of `delayMs` or more. */
  readonly 'requests-delayed': {
    readonly allowed: number
    readonly requests: number
    readonly delayMs: number
    readonly maxDelayMs: number
  }
  readonly 'not-calibrated': Readonly<Record<never, never>>

  // Budgets.
  readonly 'budget-broken': {
    readonly metric: string
    readonly actual: number | null
    readonly op: '<=' | '>='
    readonly limit: number
    readonly unit: 'ms' | '%' | '/s' | ''
  }
  readonly 'no-sample': { readonly metric: string }
  readonly 'too-few-samples': { readonly metric: string; readonly needed: number; readonly samples: number }
  /** No stream event had text in the configured field. */
  readonly 'no-text-in-streams': { readonly metric: string }
  /** `operation` is null for all operations of the run. */
  readonly 'no-finished-request': { readonly operation: string | null }
  readonly 'measurement-error-too-large': {
    readonly metric: string
    readonly errorMs: number
    readonly limitMs: number
    /** Smallest limit that can be evaluated with this error. */
    readonly minLimitMs: number
  }

  // Responses.
  readonly 'no-request-sent': Readonly<Record<never, never>>
  /** The most frequent causes first: status codes and network errors. `status`: the only status of all responses. */
  readonly 'no-success': {
    readonly sent: number
    readonly causes: readonly { readonly cause: string; readonly count: number }[]
    readonly status: number | null
  }
  readonly 'stream-violation': {
    readonly kind: string
    readonly count: number
    readonly streams: number
    readonly example: string
  }
  /** Streams without the end that other streams of the run had. */
  readonly 'streams-cut-short': { readonly count: number; readonly streams: number; readonly missing: string }
  readonly 'check-failed': { readonly check: string; readonly fails: number; readonly tested: number }
  readonly 'check-not-tested': { readonly check: string }
  /** Credits by `usage`, and credits that the ledger charged. */
  readonly 'credits-differ': { readonly counted: string; readonly charged: string }
  /** The emulator's record of the run. */
  readonly 'record-unreadable': { readonly message: string }

  // The run ended before its plan did.
  readonly 'ended-early': Readonly<Record<never, never>>
  readonly 'spend-limit-reached': {
    readonly limit: string
    readonly counted: string
    readonly underWay: string
    readonly next: string
  }
  /** A threshold of k6 ended a growing load at this rate, in requests per second. */
  readonly 'threshold-broken': { readonly afterS: number; readonly ratePerSecond: number }

  // Segments of a run.
  /** `missing` are numbers from 1 to `count`. */
  readonly 'segments-missing': { readonly count: number; readonly missing: readonly number[] }
  /** `reason` is the first reason in the segment's document, if it has one. */
  readonly 'segment-incomplete': { readonly segment: string; readonly reason: string | null }
  readonly 'segment-failed': { readonly segment: string; readonly reason: string | null }
}
