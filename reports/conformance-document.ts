/**
 * The result of a conformance run as JSON, `conformance.json`. A change of shape raises `schemaVersion`.
 * Durations and instants with the suffix `Ms` are milliseconds; instants count from `startedAt`.
 */
export interface ConformanceDocument {
  /** 1.1 added `code` and `params` of checks, 1.2 `causes`. */
  readonly schemaVersion: 1 | 1.1 | 1.2
  readonly kind: 'conformance'
  readonly tool: { readonly name: string; readonly version: string }
  /** SHA-256 of the tested edition of the specification, in hex. */
  readonly spec: { readonly sha256: string }
  readonly target: TargetEntry
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
  /** The duration that the run expected before its checks, from the limits of the key and the time that responses take. */
  readonly expectedDurationMs?: number
  readonly verdict: RunVerdict
  /** True when warnings count as contradictions. */
  readonly strict: boolean
  /** The ids and sections that were selected; null for the whole suite. */
  readonly selection: Selection | null
  readonly summary: Summary
  readonly spent: Spent
  readonly requirements: readonly RequirementEntry[]
  readonly checks: readonly CheckEntry[]
  /**
   * The checks that failed, warned or were not testable, grouped by their cause: causes of failures first, then of
   * warnings, and within each the cause with most checks first. A check has one cause. Missing before version 1.2.
   */
  readonly causes?: readonly CauseEntry[]
  /** Checks that were not part of this run. They do not affect the verdict. */
  readonly notPlanned: readonly NotPlannedEntry[]
  readonly latency: readonly LatencyEntry[]
  /** The budgets of the run with their verdicts. */
  readonly budgets?: readonly BudgetEntry[]
  /**
   * Findings about the run instead of single checks, one sentence each: a broken budget, a known failure that passes, an
   * early end. They affect the verdict, except the hint that the target looks like another service.
   */
  readonly remarks?: readonly string[]
  /** The codes and parameters of `remarks`, in the same order. Missing before version 1.1. */
  readonly remarkFindings?: readonly DocumentFinding[]
}

/** A stable kebab-case code with its parameters (`conformance/outcomes/`). */
export interface DocumentFinding {
  readonly code: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A check that was not part of the run. */
export interface NotPlannedEntry {
  readonly id: string
  readonly reason: string
  /** Missing before version 1.1. */
  readonly code?: 'not-selected' | 'skipped' | 'not-requested' | 'not-declared' | 'not-offered' | 'other-models'
}

export type RunVerdict = 'conformant' | 'non-conformant' | 'incomplete' | 'harness-error'

export type CheckVerdict = 'pass' | 'fail' | 'warn' | 'observed' | 'not-testable' | 'error'

export interface Selection {
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

export interface TargetEntry {
  /** Base address without `/v1`. */
  readonly url: string
  /** `{base_url}` of the specification. */
  readonly baseUrl: string
  /** True when the run started the emulator itself. */
  readonly embedded: boolean
  /** Last four characters of the given keys, by role. */
  readonly keys: Readonly<Record<string, string>>
  /** Model used for each operation. */
  readonly models: Readonly<Record<string, string>>
  /** Operations and other parts of the specification that the owner declares absent. Their checks are not planned. */
  readonly notOffered?: readonly string[]
  /** Models that were tested in place of those of section 2.1; absent if those were tested. */
  readonly ownModels?: OwnModels
  /** Why the run tested nothing, in one or two sentences. */
  readonly problem?: string
  /** The code and parameters of `problem`. Missing before version 1.1. */
  readonly obstacle?: DocumentFinding
}

/** Models of the target's own. */
export interface OwnModels {
  /** `declared` by the owner, or `listed` by the target, which lists none of the specification. */
  readonly origin: 'declared' | 'listed'
  readonly ids: readonly string[]
}

export interface Summary {
  readonly pass: number
  readonly fail: number
  readonly warn: number
  readonly observed: number
  readonly notTestable: number
  readonly error: number
}

export interface Spent {
  readonly requests: number
  /** Number of requests that got a 429 because of the tester's key. The run repeated them, or stopped trying. */
  readonly rateLimited?: number
  /**
   * Upper bound: prompt bytes and `max_tokens` at the price of the specification, over all requests with a key that can
   * be charged. Images and audio count only their input text.
   */
  readonly creditsUpperBound: number | null
  /** From the `usage` of chat responses; null when none reported it. */
  readonly creditsKnown: number | null
}

export type RequirementEntry = {
  readonly id: string
  readonly section: string
  readonly level: 'stated' | 'convention' | 'silent'
  /** Verbatim from the specification. */
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
   * The declaration of the target's owner about this unspecified behaviour; the check compares it with the response.
   */
  readonly declared?: string
  /** Why this check is known to fail; the verdict then ignores it. */
  readonly knownFailure?: string
  /** Why the owner accepts that this check is not testable; the verdict then ignores it. */
  readonly accepted?: string
  /** Stable kebab-case name of the finding (`conformance/outcomes/outcome.ts`). Missing before version 1.1. */
  readonly code?: string
  /**
   * The parameters of `code`: `operation`, `expected` and `difference` (how the request differs from the plain one) where
   * there are any, then those of the code, e.g. `actualStatus`.
   */
  readonly params?: Readonly<Record<string, unknown>>
  readonly expected: readonly string[]
  /** The behaviour of the target; for `not-testable`, what was missing and how to provide it. */
  readonly actual: string
  /** For a warning: which client breaks, and how. */
  readonly consequence?: string
  readonly durationMs: number
  readonly evidence?: readonly ExchangeEntry[]
  /** Shell command that repeats the deciding request. */
  readonly reproduce?: string
}

/** One cause of several results, e.g. of 21 failures and 3 checks that were not testable. */
export interface CauseEntry {
  /** Names the cause in plain English: `Validation errors get 422 instead of 400`. */
  readonly title: string
  /** Ids of the checks. */
  readonly checks: readonly string[]
  /** Shell command that shows the cause. */
  readonly reproduce?: string
}

/** A request and its response: keys masked, long bodies cut, binary bodies described. */
export interface ExchangeEntry {
  readonly startedAtMs: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** Null when no status line arrived. */
  readonly response: ResponseEntry | null
  readonly error?: string
  /** True when a body or the list of events was cut. */
  readonly truncated: boolean
}

export interface ResponseEntry {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Events of a stream; `atMs` counts from the start of the request. */
  readonly events?: readonly { readonly atMs: number; readonly data: string }[]
}

/**
 * Times that the suite measured on responses with a success status; not a load test. For an operation with a budget,
 * they come from separate requests, sent one at a time. Otherwise they come from all checks, which run in parallel.
 */
export interface LatencyEntry {
  /** One of the five operations, or `chat-stream`. */
  readonly operation: string
  /** `ttft`: to the first token of a stream; `total`: to the last byte. In milliseconds, connecting included. */
  readonly figure: 'ttft' | 'total'
  readonly n: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** Limit of the strictest budget on this figure, in milliseconds. */
  readonly budget?: number
  /** Known bias of the figure, if any. */
  readonly note?: string
}

/** A budget with the measured value. With too few samples for its statistic it is neither met nor broken. */
export interface BudgetEntry {
  /** `<operation>.<figure>`, e.g. `chat-stream.ttft`. */
  readonly metric: string
  /** p50, p90, p95, p99, max or mean. */
  readonly statistic: string
  readonly op: '<='
  readonly limit: number
  readonly unit: 'ms'
  /** Null without samples. */
  readonly actual: number | null
  readonly n: number
  /** Samples that the statistic needs. */
  readonly needed: number
  readonly verdict: 'within' | 'broken' | 'insufficient samples'
}
