/**
 * The result of a conformance run, written as `conformance.json`. A change of shape raises `schemaVersion`. Fields with
 * the suffix `Ms` are milliseconds; instants are relative to `startedAt`.
 */
export interface ConformanceDocument {
  /** Version 1.1 added `code` and `params` of checks; version 1.2 added `causes`. */
  readonly schemaVersion: 1 | 1.1 | 1.2
  readonly kind: 'conformance'
  readonly tool: { readonly name: string; readonly version: string }
  /** SHA-256 digest (hex) of the specification that the suite tests. */
  readonly spec: { readonly sha256: string }
  readonly target: TargetEntry
  /** Start time in ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
  /** Duration that was estimated before the checks, from the rate limit of the key and the response times. */
  readonly expectedDurationMs?: number
  readonly verdict: RunVerdict
  /** Whether warnings count as failures. */
  readonly strict: boolean
  /** The check IDs and sections that the user selected, or null for the whole suite. */
  readonly selection: CheckSelection | null
  readonly summary: VerdictCounts
  readonly spent: SpentTotals
  readonly requirements: readonly RequirementEntry[]
  readonly checks: readonly CheckEntry[]
  /**
   * Causes of the checks that failed, warned or were not testable. Causes of failures come first, then causes of
   * warnings; within each group, causes with more checks come first. Each check has one cause. Missing before version
   * 1.2.
   */
  readonly causes?: readonly CauseEntry[]
  /** Checks that were not part of this run, and do not affect the verdict. */
  readonly notPlanned: readonly NotPlannedEntry[]
  readonly latency: readonly LatencyEntry[]
  /** Latency budgets of the run with their verdicts. */
  readonly budgets?: readonly BudgetEntry[]
  /**
   * Findings about the run as a whole, one sentence each: an exceeded budget, a known failure that passes, an early
   * end. They affect the verdict, except for the hint that the target looks like another service.
   */
  readonly remarks?: readonly string[]
  /** Codes and parameters of `remarks`, in the same order. Missing before version 1.1. */
  readonly remarkFindings?: readonly DocumentFinding[]
}

/** A stable kebab-case code with its parameters, as defined in `conformance/outcomes/`. */
export interface DocumentFinding {
  readonly code: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A check that was not part of the run. */
export interface NotPlannedEntry {
  readonly id: string
  readonly reason: string
  /** The reason, as a stable code. Missing before version 1.1. */
  readonly code?: 'not-selected' | 'skipped' | 'not-requested' | 'not-declared' | 'not-offered' | 'other-models'
}

export type RunVerdict = 'conformant' | 'non-conformant' | 'incomplete' | 'harness-error'

export type CheckVerdict = 'pass' | 'fail' | 'warn' | 'observed' | 'not-testable' | 'error'

export interface CheckSelection {
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

export interface TargetEntry {
  /** Base address without `/v1`. */
  readonly url: string
  /** Value of `{base_url}` in the specification, which includes `/v1`. */
  readonly baseUrl: string
  /** Whether the run started the emulator itself. */
  readonly embedded: boolean
  /** Last four characters of each API key, by role. */
  readonly keys: Readonly<Record<string, string>>
  /** Model that was used for each operation. */
  readonly models: Readonly<Record<string, string>>
  /**
   * Operations and other parts of the specification that the target's owner declares as not offered. Their checks are
   * not planned.
   */
  readonly notOffered?: readonly string[]
  /** Models that were tested instead of the models of section 2.1; absent if those were tested. */
  readonly ownModels?: OwnModels
  /** Reason why the run tested nothing, in one or two sentences. */
  readonly problem?: string
  /** Code and parameters of `problem`. Missing before version 1.1. */
  readonly obstacle?: DocumentFinding
}

/** Models that the specification does not list. */
export interface OwnModels {
  /**
   * `declared`: the target's owner named the models. `listed`: the target's list of models contains none of the
   * specification.
   */
  readonly origin: 'declared' | 'listed'
  readonly ids: readonly string[]
}

export interface VerdictCounts {
  readonly pass: number
  readonly fail: number
  readonly warn: number
  readonly observed: number
  readonly notTestable: number
  readonly error: number
}

export interface SpentTotals {
  readonly requests: number
  /**
   * Number of requests that were rejected with 429 because of the tester's rate limit. The run repeated them or stopped
   * trying.
   */
  readonly rateLimited?: number
  /**
   * Upper bound of the cost: prompt bytes and `max_tokens` at the specification's prices, over all requests with a key
   * that can be charged. For images and audio only the input text counts.
   */
  readonly creditsUpperBound: number | null
  /** Cost according to the `usage` of chat responses, or null if no response reported it. */
  readonly creditsKnown: number | null
}

export type RequirementEntry = {
  readonly id: string
  readonly section: string
  readonly level: 'stated' | 'convention' | 'silent'
  /** The sentence of the specification, verbatim. */
  readonly quote: string
} & ({ readonly checks: readonly string[] } | { readonly excluded: string })

export interface CheckEntry {
  readonly id: string
  readonly requirement: string
  readonly section: string
  readonly level: 'stated' | 'convention' | 'silent'
  readonly title: string
  readonly verdict: CheckVerdict
  /**
   * Behaviour that the target's owner declares where the specification leaves it open; the check compares it with the
   * response.
   */
  readonly declared?: string
  /** Reason why this check is known to fail. If present, the failure does not affect the verdict. */
  readonly knownFailure?: string
  /**
   * Reason why the owner accepts that this check is not testable. If present, the check does not affect the verdict.
   */
  readonly accepted?: string
  /** Stable kebab-case code of the finding (`conformance/outcomes/outcome.ts`). Missing before version 1.1. */
  readonly code?: string
  /**
   * Parameters of `code`. They start with `operation`, `expected` and `difference` (how the request differs from a
   * plain one) if present; then follow the parameters of the code, e.g. `actualStatus`.
   */
  readonly params?: Readonly<Record<string, unknown>>
  readonly expected: readonly string[]
  /** Observed behaviour of the target. For `not-testable`: the missing prerequisite and how to provide it. */
  readonly actual: string
  /** Client that fails, and its symptom. Only for a warning. */
  readonly consequence?: string
  readonly durationMs: number
  readonly evidence?: readonly ExchangeEntry[]
  /** Shell command that repeats the request that determined the verdict. */
  readonly reproduce?: string
}

/** A common cause of several findings, e.g. of 21 failures and 3 checks that were not testable. */
export interface CauseEntry {
  /** Describes the cause: `Validation errors get 422 instead of 400`. */
  readonly title: string
  /** IDs of the checks with this cause. */
  readonly checks: readonly string[]
  /** Shell command that demonstrates the cause. */
  readonly reproduce?: string
}

/** A request and its response. API keys are masked, long bodies are truncated, and binary bodies are described. */
export interface ExchangeEntry {
  readonly startedAtMs: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** Response of the target. Null if no status line was received. */
  readonly response: ResponseEntry | null
  readonly error?: string
  /** Whether a body or the list of events was truncated. */
  readonly truncated: boolean
}

export interface ResponseEntry {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Events of a stream; `atMs` is relative to the start of the request. */
  readonly events?: readonly { readonly atMs: number; readonly data: string }[]
}

/**
 * Latencies of successful responses that the suite measured; not a load test. An operation with a budget is measured
 * with separate sequential requests. Latencies of other operations come from all checks, which run concurrently.
 */
export interface LatencyEntry {
  /** One of the five operations, or `chat-stream` for streamed chat. */
  readonly operation: string
  /**
   * `ttft`: time to the first token of a stream. `total`: time to the last byte. Both in milliseconds, including the
   * connection setup.
   */
  readonly figure: 'ttft' | 'total'
  readonly n: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** Strictest budget for this figure, in milliseconds. */
  readonly budget?: number
  /** Describes a known bias of the figure. */
  readonly note?: string
}

/** A budget with the measured value. With too few samples for its statistic it is neither kept nor broken. */
export interface BudgetEntry {
  /** Operation and figure, e.g. `chat-stream.ttft`. */
  readonly metric: string
  /** Statistic of the samples: p50, p90, p95, p99, max or mean. */
  readonly statistic: string
  readonly op: '<='
  readonly limit: number
  readonly unit: 'ms'
  /** Measured value in milliseconds, or null without samples. */
  readonly actual: number | null
  readonly n: number
  /** Minimum number of samples for the statistic. */
  readonly needed: number
  readonly verdict: 'within' | 'broken' | 'insufficient samples'
}
