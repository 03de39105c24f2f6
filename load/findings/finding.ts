import type { OptionName } from '../options/invalid-option-error.ts'
import type { ModelOperation } from '../../scenarios/lib/option-values.ts'
import type { RequestFailure } from '../target/request-failure.ts'

/**
 * A finding about a load run: a reason for its verdict, or for not starting it. `code` is stable. `params` are plain
 * JSON data in which options have their names of `LoadOptions`. `describeFinding` formats a finding as text.
 */
export type LoadFinding = { readonly [Code in keyof FindingParams]: FindingWithCode<Code> }[keyof FindingParams]

export interface FindingWithCode<Code extends keyof FindingParams> {
  readonly code: Code
  readonly params: FindingParams[Code]
}

/** Number of requests that failed for the same reason. `cause` is a status outside 2xx, or the code of an error. */
export interface FailureCause {
  readonly cause: string
  readonly count: number
}

/**
 * Parameters of each finding, keyed by code. The suffix `Ms` means milliseconds, and `S` seconds. Credits are decimal
 * strings.
 */
export interface FindingParams {
  // Findings of a run that did not start.
  /**
   * Neither k6, nor a Go of at least `minGo` that could build k6, is installed. `packageName` is the package that
   * contains k6 for this platform, or null if this version of touchstone was released without one.
   */
  readonly 'k6-missing': { readonly minGo: string; readonly packageName: string | null }
  /** The k6 at `path` in the installed package `name` differs from the k6 that was released with this version. */
  readonly 'k6-package-changed': { readonly name: string; readonly path: string }
  /** The k6 in the installed package `name` cannot be read. `problem` is the system's error code, such as `ENOENT`. */
  readonly 'k6-package-unreadable': { readonly name: string; readonly path: string; readonly problem: string }
  /** The system could not start k6. `problem` is its error code, such as `EACCES`. */
  readonly 'k6-not-started': { readonly path: string; readonly problem: string }
  /** The cache directory for k6 binaries is not writable. `problem` is the system's error code, such as `EACCES`. */
  readonly 'k6-cache-not-writable': { readonly directory: string; readonly problem: string }
  /** `go build` failed. `message` is the last line that it printed. */
  readonly 'k6-build-failed': { readonly message: string }
  /** `isProxied` is true if the request went through a proxy of the environment. */
  readonly 'target-unreachable': {
    readonly target: string
    readonly failure: RequestFailure
    readonly isProxied?: boolean
  }
  /** The proxy responded with status 407. */
  readonly 'proxy-requires-credentials': { readonly target: string }
  /** The target accepts HTTP/2 over TLS, but not HTTP/1.1. */
  readonly 'target-requires-http2': { readonly target: string }
  readonly 'target-requires-key': { readonly target: string }
  readonly 'target-rejects-key': { readonly target: string; readonly status: number }
  /** The scenario requires a key. `option` is the option that sets it. */
  readonly 'scenario-requires-key': { readonly scenario: string; readonly option: OptionName }
  /**
   * The list of models of the target does not contain `model`, or no list could be read, and a request with the model
   * got `status`. `isDefault` is true if the user did not choose the model.
   */
  readonly 'model-missing': {
    readonly operation: ModelOperation
    readonly model: string
    readonly isDefault: boolean
    readonly status: number
    /** The first models of the list. Empty without a list. */
    readonly listed: readonly string[]
    /** Number of further models in the list. */
    readonly more: number
  }

  // Findings about the load generator.
  /** An unexpected error ended the run. */
  readonly 'run-failed': { readonly message: string }
  /** k6 failed. `exitCode` is null if a signal ended k6. `message` may be empty. */
  readonly 'k6-failed': { readonly exitCode: number | null; readonly hasResult: boolean; readonly message: string }
  /** k6 did not start some of the planned requests. */
  readonly 'requests-dropped': { readonly dropped: number; readonly planned: number | null }
  /** More than `allowed` of `requests` requests had a scheduling delay of `delayMs` or more. */
  readonly 'requests-delayed': {
    readonly allowed: number
    readonly requests: number
    readonly delayMs: number
    readonly maxDelayMs: number
  }
  /** The calibration failed. */
  readonly 'not-calibrated': { readonly problem: string }

  // Findings about budgets.
  readonly 'budget-broken': {
    readonly metric: string
    readonly actual: number | null
    readonly op: '<=' | '>='
    readonly limit: number
    readonly unit: 'ms' | '%' | '/s' | ''
  }
  readonly 'no-sample': { readonly metric: string }
  readonly 'too-few-samples': { readonly metric: string; readonly needed: number; readonly samples: number }
  /** No stream event had text in the configured field, so the metric has no samples. */
  readonly 'no-text-in-streams': { readonly metric: string }
  /** No finished request was recorded. `operation` is that of the budget, or null for a budget on all operations. */
  readonly 'no-finished-request': { readonly operation: string | null }
  readonly 'measurement-error-too-large': {
    readonly metric: string
    readonly errorMs: number
    readonly limitMs: number
    /** Smallest limit that can be evaluated with the current measurement error. */
    readonly minLimitMs: number
  }

  /** The limit lies between the bounds of an added latency. */
  readonly 'added-latency-uncertain': {
    readonly metric: string
    /** Lower bound of the added latency. Null if there are too few samples to calculate it. */
    readonly lowMs: number | null
    readonly highMs: number | null
    readonly limitMs: number
  }
  /**
   * The run cannot alternate between the target and an upstream that is not an emulator. `what` is a phrase for the
   * setting that prevents it, such as `a trace`.
   */
  readonly 'turns-not-possible': { readonly what: string }

  // Findings about a gateway and its upstream.
  readonly 'upstream-unreachable': { readonly upstream: string; readonly failure: RequestFailure }
  readonly 'upstream-rejects-key': { readonly upstream: string; readonly status: number }
  /**
   * The emulator's request log or timing record was too small for the run: it contains `compared` of the `responses`.
   */
  readonly 'upstream-record-incomplete': { readonly compared: number; readonly responses: number }
  /** No response could be found in the emulator's request log, because the gateway forwards no IDs. */
  readonly 'upstream-responses-unidentified': Readonly<Record<never, never>>
  readonly 'gateway-retries': { readonly retried: number; readonly sent: number }
  readonly 'gateway-duplicates': { readonly duplicated: number; readonly sent: number }
  /**
   * The upstream received more requests than the run sent. Retries, duplicates and requests of other clients cannot be
   * distinguished, because the gateway does not forward request IDs.
   */
  readonly 'gateway-sends-more': { readonly received: number; readonly sent: number }
  readonly 'gateway-withholds': { readonly withheld: number; readonly sent: number }
  readonly 'gateway-loses': { readonly lost: number; readonly sent: number }
  readonly 'gateway-repeats': { readonly repeated: number; readonly sent: number }
  readonly 'gateway-rebatches': { readonly rebatched: number; readonly judged: number }
  /** The gateway removed usage from `removed` of `streams`, or removed the request field that asks for it. */
  readonly 'gateway-removes-usage': { readonly removed: number; readonly streams: number }
  /** The text of `changed` of `compared` chat completions differs from the text that the upstream sent. */
  readonly 'gateway-changes-text': { readonly changed: number; readonly compared: number }
  readonly 'gateway-changes-ids': { readonly changed: number; readonly compared: number }
  /** `requested` and `received` are the models of one of the `changed` requests. */
  readonly 'gateway-changes-model': {
    readonly changed: number
    readonly compared: number
    readonly requested: string
    readonly received: string
  }
  readonly 'gateway-buffers': { readonly buffered: number; readonly judged: number }
  readonly 'upstream-charged-differently': { readonly seen: string; readonly charged: string }

  // Findings of a search for the highest rate. Rates are requests per second.
  /** `broken` is a budget that fails at `brokenAtRate`, with its value; null if all budgets are uncertain. */
  readonly 'capacity-found': {
    readonly rate: number
    readonly brokenAtRate: number
    readonly broken: string | null
  }
  readonly 'capacity-above-max-rate': { readonly rate: number }
  readonly 'no-rate-holds': { readonly rate: number; readonly broken: string | null }
  /** The search ended without a result. `holdsAtRate` and `brokenAtRate` are null if they are unknown. */
  readonly 'search-ended': {
    readonly end:
      | 'generator'
      | 'max-duration'
      | 'spend-limit'
      | 'no-success'
      | 'run-failed'
      | 'uncertain'
      | 'interrupted'
    readonly holdsAtRate: number | null
    readonly brokenAtRate: number | null
  }

  // Findings about responses.
  readonly 'no-request-sent': Readonly<Record<never, never>>
  /**
   * No request succeeded. Lists the most frequent causes first. `status` is null unless all responses have the same
   * status.
   */
  readonly 'no-success': {
    readonly sent: number
    readonly causes: readonly FailureCause[]
    readonly status: number | null
  }
  /** More requests failed than a budget allows. Lists the most frequent causes first. `ended` counts finished requests. */
  readonly 'requests-failed': {
    readonly failed: number
    readonly ended: number
    readonly causes: readonly FailureCause[]
  }
  readonly 'stream-violation': {
    readonly kind: string
    readonly count: number
    readonly streams: number
    readonly example: string
  }
  /** Some streams lack the ending (`missing`) that other streams of the run had. */
  readonly 'streams-cut-short': { readonly count: number; readonly streams: number; readonly missing: string }
  readonly 'check-failed': { readonly check: string; readonly fails: number; readonly tested: number }
  readonly 'check-not-tested': { readonly check: string }
  /**
   * The ledger charged an amount (`charged`) that differs from the amount that the `usage` of the responses reports
   * (`counted`).
   */
  readonly 'credits-differ': { readonly counted: string; readonly charged: string }
  /**
   * The temporary directory could not store the times of the events, which the comparison with an emulator's record
   * needs. `problem` is the error, such as a full file system.
   */
  readonly 'events-not-written': { readonly directory: string; readonly problem: string }
  /** The emulator's timing record or request log could not be read. */
  readonly 'record-unreadable': { readonly message: string }

  // Findings about runs that ended early.
  readonly 'ended-early': Readonly<Record<never, never>>
  /** k6 ended early after an interrupt that this program did not send. */
  readonly 'k6-interrupted': Readonly<Record<never, never>>
  /**
   * k6 ended before the last of its `planned` requests was due. In a closed loop, `planned` is the number of
   * iterations.
   */
  readonly 'plan-not-sent': { readonly sent: number; readonly planned: number }
  /** A closed loop ended before its planned duration. */
  readonly 'duration-not-reached': { readonly actualS: number; readonly plannedS: number }
  readonly 'spend-limit-reached': {
    readonly limit: string
    readonly counted: string
    readonly underWay: string
    readonly next: string
  }
  /** A load that grows until it exceeds a k6 threshold ended at this rate, in requests per second. */
  readonly 'threshold-broken': { readonly afterS: number; readonly ratePerSecond: number }

  // Findings about the segments of a run.
  /** Some segments of the run are missing. `missing` lists segment numbers from 1 to `count`. */
  readonly 'segments-missing': { readonly count: number; readonly missing: readonly number[] }
  /** The segment `last` started `apartMs` after `first`, by the clocks of their machines. */
  readonly 'segments-start-apart': { readonly first: string; readonly last: string; readonly apartMs: number }
  /** By the clock of the target, the segment `last` started at least `minApartMs` after `first`. */
  readonly 'segment-clocks-differ': { readonly first: string; readonly last: string; readonly minApartMs: number }
  /** A segment did not send its whole plan. `reason` is the first reason in its document, or null. */
  readonly 'segment-incomplete': { readonly segment: string; readonly reason: string | null }
  readonly 'segment-failed': { readonly segment: string; readonly reason: string | null }
}
