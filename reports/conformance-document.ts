/**
 * The result of a conformance run, written as `conformance.json`. Fields with the suffix `Ms` are milliseconds; points
 * in time are relative to `startedAt`.
 */
export interface ConformanceDocument {
  readonly schemaVersion: 1
  readonly kind: 'conformance'
  readonly tool: { readonly name: string; readonly version: string }
  /** SHA-256 digest (hex) of the specification that the suite tests. */
  readonly spec: { readonly sha256: string }
  readonly target: TargetEntry
  /** Start time in ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
  readonly verdict: RunVerdict
  /** Whether warnings count as failures. */
  readonly strict: boolean
  /** IDs of checks and sections that the user selected, or null for the whole suite. */
  readonly selection: CheckSelection | null
  readonly summary: VerdictCounts
  readonly spent: SpentTotals
  readonly requirements: readonly RequirementEntry[]
  readonly checks: readonly CheckEntry[]
  /**
   * Causes of the checks that failed, warned or were not testable. Causes of failures come first, then causes of
   * warnings; within each group, causes with more checks come first. Each check has one cause.
   */
  readonly causes: readonly CauseEntry[]
  /** Checks that were not part of the run and do not affect its verdict. */
  readonly notPlanned: readonly NotPlannedEntry[]
  readonly latency: readonly LatencyEntry[]
  /** Latency budgets of the run with their verdicts. */
  readonly budgets?: readonly BudgetEntry[]
  /**
   * Findings about the run as a whole, one sentence each, such as an exceeded budget, a known failure that passes, or
   * an early end.
   */
  readonly remarks: readonly string[]
  /** Codes and parameters of `remarks`, in the same order. */
  readonly remarkFindings: readonly DocumentFinding[]
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
  /** The reason as a stable code. */
  readonly code: 'not-selected' | 'skipped' | 'not-requested' | 'not-declared' | 'not-offered' | 'other-models'
}

export type RunVerdict = 'conformant' | 'non-conformant' | 'incomplete' | 'harness-error'

export type CheckVerdict = 'pass' | 'fail' | 'warn' | 'observed' | 'not-testable' | 'error'

export interface CheckSelection {
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

export interface TargetEntry {
  /** Base URL without `/v1`. */
  readonly url: string
  /** Value of `{base_url}` in the specification, including `/v1`. */
  readonly baseUrl: string
  /** Whether the tested target is an emulator that the run itself started. */
  readonly embedded: boolean
  /** Fingerprints of the API keys, such as `sha256:1f3870be`, by role. `(hidden)` for a short key. */
  readonly keys: Readonly<Record<string, string>>
  /** Model that the run used for each operation, keyed by operation. */
  readonly models: Readonly<Record<string, string>>
  /**
   * Operations and other parts of the specification that the target does not offer, according to its owner. Their
   * checks are not planned.
   */
  readonly notOffered?: readonly string[]
  /** Models that the run tested instead of the models of section 2.1. Absent if it tested the models of section 2.1. */
  readonly ownModels?: OwnModels
  /** One or two sentences that explain why the run tested nothing. */
  readonly problem?: string
  /** Code and parameters of `problem`. */
  readonly obstacle?: DocumentFinding
}

/** Models that the run tested although the specification does not list them. */
export interface OwnModels {
  /**
   * `declared`: the target's owner specified the models. `listed`: the target's list of models contains no model of the
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
  /** Number of requests that the target rejected with 429 because the run exceeded its key's rate limit. */
  readonly rateLimited: number
  /**
   * Upper bound of the cost in credits: prompt bytes and `max_tokens` at the specification's prices, over all requests
   * whose key can be charged. For images and audio, only the input text counts.
   */
  readonly creditsUpperBound: number | null
  /** Cost in credits according to the `usage` of chat responses, or null if no response reported it. */
  readonly creditsKnown: number | null
}

export type RequirementEntry = {
  readonly id: string
  readonly section: string
  readonly level: 'stated' | 'convention' | 'unspecified'
  /** The sentence of the specification, verbatim. */
  readonly quote: string
} & ({ readonly checks: readonly string[] } | { readonly excluded: string })

export interface CheckEntry {
  readonly id: string
  readonly requirement: string
  readonly section: string
  readonly level: 'stated' | 'convention' | 'unspecified'
  readonly title: string
  readonly verdict: CheckVerdict
  /**
   * Behaviour that the target's owner declares where the specification leaves it open. The check compares it with the
   * target's actual behaviour.
   */
  readonly declared?: string
  /** Why this check is known to fail. If present, the failure does not affect the verdict. */
  readonly knownFailure?: string
  /** Why the owner accepts that this check is not testable. If present, the check does not affect the verdict. */
  readonly accepted?: string
  /** Stable kebab-case code of the finding, as defined in `conformance/outcomes/outcome.ts`. */
  readonly code: string
  /**
   * Parameters of `code`. The first are `operation`, `expected` and `difference` (how the request differs from a plain
   * one), if present. The parameters of the code follow, such as `actualStatus`.
   */
  readonly params: Readonly<Record<string, unknown>>
  readonly expected: readonly string[]
  /** Observed behaviour of the target. For `not-testable`: the missing prerequisite and how to provide it. */
  readonly actual: string
  /**
   * A client library that fails because of this behaviour, and the symptom that its user sees. Present only for a
   * warning.
   */
  readonly consequence?: string
  readonly durationMs: number
  readonly evidence?: readonly ExchangeEntry[]
  /** Shell command that repeats the request that determined the verdict. */
  readonly reproduce?: string
}

/** A common cause of several findings, for example of 21 failures and 3 checks that were not testable. */
export interface CauseEntry {
  /** Describes the cause: `Validation errors get 422 instead of 400`. */
  readonly title: string
  /** IDs of the checks with this cause. */
  readonly checks: readonly string[]
  /** Shell command that demonstrates the cause. */
  readonly reproduce?: string
  /** How the owner removes the cause, for example with a setting of a proxy. */
  readonly remedy?: string
  /** The causes that this cause merges, those with the most failures first. Absent if it merges none. */
  readonly parts?: readonly CausePart[]
}

/** One of several causes that reports merge, for example one of several statuses that invalid requests get. */
export type CausePart = Pick<CauseEntry, 'title' | 'checks' | 'reproduce'>

/** A body. API keys are masked, and a binary body is replaced with a description. */
export interface BodyEntry {
  /** A body of up to 32 KiB, or the first 24 KiB and the last 8 KiB of a longer one, separated by `…`. */
  readonly body: string
  /** Size and SHA-256 digest (hex) of a longer body. */
  readonly whole?: { readonly bytes: number; readonly sha256: string }
}

/** A request and its response. If the evidence of a run becomes very large, bodies and headers are shorter. */
export interface ExchangeEntry {
  readonly startedAtMs: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
  } & BodyEntry
  /** Response of the target, or null if no status line arrived. */
  readonly response: ResponseEntry | null
  readonly error?: string
  /** Whether a body, the header fields or the list of events is truncated. */
  readonly truncated: boolean
}

export interface ResponseEntry extends BodyEntry {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Events of a stream. `atMs` is relative to the start of the request. */
  readonly events?: readonly { readonly atMs: number; readonly data: string }[]
}

/**
 * Latencies of successful responses during the checks. They do not replace a load test. The suite sends separate
 * sequential requests to measure an operation that has a budget; the other latencies come from all checks, which run
 * concurrently.
 */
export interface LatencyEntry {
  /** One of the five operations, or `chat-stream` for streamed chat. */
  readonly operation: string
  /**
   * `ttft`: time to the first token of a stream. `total`: time to the last byte. Both are milliseconds and include the
   * connection setup.
   */
  readonly figure: 'ttft' | 'total'
  readonly n: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** Strictest budget for this latency, in milliseconds. */
  readonly budget?: number
  /** Describes a known bias of the measured latency. */
  readonly note?: string
}

/** A budget with the measured value. It is neither met nor broken if there are too few samples for its statistic. */
export interface BudgetEntry {
  /** Operation and metric, such as `chat-stream.ttft`. */
  readonly metric: string
  /** Statistic of the samples: p50, p90, p95, p99, max or mean. */
  readonly statistic: string
  readonly op: '<='
  readonly limit: number
  readonly unit: 'ms'
  /** Measured value in milliseconds, or null if there are no samples. */
  readonly actual: number | null
  readonly n: number
  /** Minimum number of samples for the statistic. */
  readonly needed: number
  readonly verdict: 'within' | 'broken' | 'insufficient samples'
}
