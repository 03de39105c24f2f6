/**
 * The result of a load run as JSON, `load-<scenario>.json`. A change of shape raises `schemaVersion`. Figures with the
 * suffix `Ms` are milliseconds, `S` seconds; credits are decimal strings, since they are money.
 */
export interface LoadDocument {
  /** 1.1 adds `findings`. */
  readonly schemaVersion: 1 | 1.1
  readonly kind: 'load'
  readonly tool: { readonly name: string; readonly version: string }
  readonly spec: { readonly sha256: string }
  readonly target: LoadTarget
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
  readonly scenario: string
  readonly profile: string
  readonly arrivals: string
  readonly verdict: LoadVerdict
  /** Reasons of the verdict, one sentence each: a broken budget, late requests, a figure with too few samples. */
  readonly reasons: readonly string[]
  /** The same reasons as data, in the same order. `code` is stable; `params` name options as in the library. Since schema version 1.1. */
  readonly findings?: readonly { readonly code: string; readonly params: Readonly<Record<string, unknown>> }[]
  readonly budgets: readonly LoadBudget[]
  readonly metrics: Readonly<Partial<Record<LoadOperationName, Readonly<Partial<Record<LoadMetricName, LoadFigure>>>>>>
  readonly series: readonly SeriesEntry[]
  readonly requests: RequestCounts
  /**
   * Requests per second within every limit that a budget sets for single requests. Failed requests do not count as
   * good.
   */
  readonly goodputPerSecond: number
  readonly oracle: {
    readonly streams: number
    readonly violations: readonly Violation[]
    /** Bodies compared with the emulator's digest of what it sent; null if it kept none. */
    readonly bodiesCompared: number | null
    /** Checks of the scenario, one sentence each. One with 0 and 0 was never tested. */
    readonly checks: readonly { readonly name: string; readonly passes: number; readonly fails: number }[]
  }
  readonly credits: LoadCredits
  readonly calibration: Calibration | null
  /** Settings of the load generator, complete enough to repeat the run. */
  readonly settings: Readonly<Record<string, string | number | boolean>>
  /** Present for a segment of a run, and for a document merged from segments. */
  readonly segment?: { readonly index: number; readonly count: number } | { readonly merged: number }
}

export type LoadVerdict = 'within-budgets' | 'budget-broken' | 'incomplete' | 'invalid' | 'harness-error'

export type LoadOperationName = 'models' | 'chat' | 'chat-stream' | 'images' | 'transcriptions' | 'speech'

export type LoadMetricName = 'ttftMs' | 'gapMs' | 'tpotMs' | 'e2eMs' | 'startLagMs'

export interface LoadTarget {
  /** Base address without `/v1`. */
  readonly url: string
  /** True when the run started the emulator itself. */
  readonly embedded: boolean
  /** True when the target is the emulator, whose own record is then compared with the measurement. */
  readonly isEmulator: boolean
  /** Last four characters of the keys in use, by role. */
  readonly keys: Readonly<Record<string, string>>
  readonly models: Readonly<Record<string, string>>
}

export interface LoadBudget {
  /** `ttft`, or of one operation `images.e2e`; `failed`, `rate`, `dropped`. */
  readonly metric: string
  /** p50, p90, p95, p99, max, mean, rate, count. */
  readonly statistic: string
  readonly op: '<=' | '>='
  readonly limit: number
  readonly unit: 'ms' | '%' | '/s' | ''
  /** Null without samples. */
  readonly actual: number | null
  readonly n: number
  /** Samples that the statistic needs. */
  readonly needed: number
  readonly verdict: 'within' | 'broken' | 'insufficient samples' | 'not measurable'
}

export interface LoadFigure {
  readonly n: number
  readonly min: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  /** Mean of measured minus true value, and percentiles of its absolute value, from self-calibration. Null without self-calibration. */
  readonly error: { readonly biasMs: number; readonly p50Ms: number; readonly p99Ms: number } | null
  /** HDR V2, compressed, microseconds, 4 digits, base64. */
  readonly histogram: string
}

export interface SeriesEntry {
  readonly atS: number
  readonly requests: number
  readonly ok: number
  readonly failed: number
  readonly inFlight: number
  readonly ttftP50Ms: number | null
  readonly ttftP99Ms: number | null
  /** HDR histograms with 2 digits, the source of the two figures, so that documents can be merged. */
  readonly ttft: string | null
}

export interface RequestCounts {
  readonly planned: number | null
  readonly sent: number
  readonly ok: number
  /** Planned arrivals that were never started. */
  readonly dropped: number
  readonly byStatus: Readonly<Record<string, number>>
  readonly byError: Readonly<Record<string, number>>
  readonly failed: number
  /** Aborted by the scenario on purpose. */
  readonly aborted: number
  readonly byOperation: Readonly<Partial<Record<LoadOperationName, OperationCounts>>>
}

export interface OperationCounts {
  readonly sent: number
  readonly ok: number
  readonly failed: number
  readonly aborted: number
  /** Within every limit that a budget sets for single requests. */
  readonly good: number
  /** Streams without a recognized token, whose token timing could not be measured. */
  readonly withoutContent: number
}

export interface Violation {
  readonly kind: string
  readonly count: number
  readonly example: string
}

export interface LoadCredits {
  /** Upper bound before the run; null where the specification gives no price for the scenario's requests. */
  readonly forecast: string | null
  /** From `usage` during the run, at the document's prices. */
  readonly counted: string | null
  /** Credits that the emulator's ledger charged; null for other targets. */
  readonly ledger: string | null
  readonly tokens: Readonly<Record<string, { readonly prompt: number; readonly completion: number }>>
  /** Describes in one sentence which data the figures omit; absent if none. */
  readonly note?: string
}

/**
 * Measured times compared with the emulator's record, event by event. For another target it is measured before the run:
 * the error of this generator on this machine at this concurrency, over loopback without TLS. It does not cover the
 * network.
 */
export interface Calibration {
  /**
   * `self`: measured before the run, against an emulator started for it. `run`: measured on the run's own requests; the
   * target is the emulator.
   */
  readonly source: 'self' | 'run'
  /** Maximum of concurrent requests. */
  readonly concurrency: number
  /** Responses with and without a matching record of the emulator. */
  readonly joined: number
  readonly unjoined: number
  /** Timing profiles of the emulator. */
  readonly profiles: readonly string[]
  readonly figures: Readonly<
    Partial<
      Record<
        LoadMetricName,
        { readonly n: number; readonly biasMs: number; readonly p50Ms: number; readonly p99Ms: number }
      >
    >
  >
}
