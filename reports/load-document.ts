import type { LoadSegment } from './load-segment.ts'

/**
 * The result of a load run, written as `load-<scenario>.json`. Fields with the suffix `Ms` are milliseconds, with `S`
 * seconds. Credits are decimal strings, to avoid rounding.
 */
export interface LoadDocument {
  readonly schemaVersion: 1
  readonly kind: 'load'
  readonly tool: { readonly name: string; readonly version: string }
  readonly spec: { readonly sha256: string }
  readonly target: LoadTarget
  /** Start time in ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
  readonly scenario: string
  readonly profile: string
  readonly arrivals: string
  readonly verdict: LoadVerdict
  /** Reasons for the verdict, one sentence each, such as an exceeded budget or an excessive scheduling delay. */
  readonly reasons: readonly string[]
  /** The same reasons as data, in the same order. `code` is stable. `params` uses the option names of the library. */
  readonly findings: readonly { readonly code: string; readonly params: Readonly<Record<string, unknown>> }[]
  readonly budgets: readonly LoadBudget[]
  readonly metrics: Readonly<Partial<Record<LoadOperationName, Readonly<Partial<Record<LoadMetricName, LoadFigure>>>>>>
  readonly series: readonly SeriesEntry[]
  readonly requests: RequestCounts
  /** Successful requests per second that met every budget for single requests. */
  readonly goodputPerSecond: number
  readonly validation: {
    readonly streams: number
    readonly violations: readonly StreamViolation[]
    /** Number of response bodies compared with the emulator's digests, or null if it recorded none. */
    readonly bodiesCompared: number | null
    /** Checks of the scenario. `name` is a sentence. A check with 0 passes and 0 fails was not executed. */
    readonly checks: readonly { readonly name: string; readonly passes: number; readonly fails: number }[]
  }
  readonly credits: LoadCredits
  readonly calibration: Calibration | null
  /** Latency and requests that a gateway (the target) adds to its upstream. Present if the run had an upstream. */
  readonly upstream?: LoadUpstream
  /**
   * Search for the highest rate. The other fields describe the runs at that rate, or else at the lowest measured rate.
   */
  readonly search?: LoadSearch
  /**
   * Shell command that repeats the run, with environment variables for keys. Missing in the documents of k6 scripts and
   * of merged runs.
   */
  readonly command?: string
  /** Settings of the load generator, such as the seed and the number of virtual users. */
  readonly settings: Readonly<Record<string, string | number | boolean>>
  /** Position of the segment of the run, or the number of merged segments. Absent for a run that is not divided. */
  readonly segment?: LoadSegment | { readonly merged: number }
}

export type LoadVerdict = 'within-budgets' | 'budget-broken' | 'incomplete' | 'invalid' | 'harness-error'

export type LoadOperationName = 'models' | 'chat' | 'chat-stream' | 'images' | 'transcriptions' | 'speech'

export type LoadMetricName =
  | 'ttftMs'
  | 'itlMs'
  | 'tpotMs'
  | 'e2eMs'
  | 'startLagMs'
  | 'blockedMs'
  | 'connectingMs'
  | 'tlsMs'

export interface LoadTarget {
  /** Base URL without `/v1`. */
  readonly url: string
  /** Whether the measured target is an emulator that the run itself started. */
  readonly embedded: boolean
  /** Whether the target is an emulator. If so, the measurement is compared with the emulator's own record. */
  readonly isEmulator: boolean
  /** Fingerprints of the API keys, such as `sha256:1f3870be`, by role. `(hidden)` for a short key. */
  readonly keys: Readonly<Record<string, string>>
  readonly models: Readonly<Record<string, string>>
}

export interface LoadBudget {
  /**
   * Metric of all operations (`ttft`) or of one (`images.e2e`), added latency (`added.ttft`) or count (`failed`,
   * `rate`).
   */
  readonly metric: string
  /** p50, p90, p95, p99, max, mean, rate, count or goodput. */
  readonly statistic: string
  readonly op: '<=' | '>='
  readonly limit: number
  readonly unit: 'ms' | '%' | '/s' | ''
  /** Measured value, or null if there are no samples. */
  readonly actual: number | null
  readonly n: number
  /** Minimum number of samples for the statistic. */
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
  /**
   * Measurement error, or null if it is unknown. `biasMs` is the mean of measured minus true values. Each other field
   * bounds the error of one statistic: `p90Ms` bounds the error of `p90`. If `bounds` is present, the error is
   * calculated from it; otherwise, the calibration estimates it.
   */
  readonly error: LoadError | null
  /**
   * Lower and upper bounds between which the true value of each sample lies. They follow from the times before and
   * after the request was written to the socket, and from the times at which the kernel received the response. Absent
   * if the kernel does not report times.
   */
  readonly bounds?: { readonly low: BoundDistribution; readonly high: BoundDistribution }
  /** Histogram: HDR V2, compressed, microseconds, 4 significant digits, base64. */
  readonly histogram: string
}

/** Distribution of the lower or the upper bounds of all samples of a figure. */
export type BoundDistribution = Pick<LoadFigure, 'mean' | 'min' | 'max' | 'histogram'>

export interface LoadError {
  readonly biasMs: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export interface SeriesEntry {
  readonly atS: number
  readonly requests: number
  readonly ok: number
  readonly failed: number
  readonly inFlight: number
  readonly ttftP50Ms: number | null
  readonly ttftP99Ms: number | null
  /** HDR histogram (2 significant digits) from which both TTFT percentiles are calculated. It can be merged. */
  readonly ttft: string | null
}

export interface RequestCounts {
  readonly planned: number | null
  readonly sent: number
  readonly ok: number
  /** Number of planned requests that k6 never started. */
  readonly dropped: number
  readonly byStatus: Readonly<Record<string, number>>
  readonly byError: Readonly<Record<string, number>>
  readonly failed: number
  /** Number of requests that the scenario aborted on purpose. */
  readonly aborted: number
  readonly byOperation: Readonly<Partial<Record<LoadOperationName, OperationCounts>>>
}

export interface OperationCounts {
  readonly sent: number
  readonly ok: number
  readonly failed: number
  readonly aborted: number
  /** Number of requests that met every budget for single requests. */
  readonly good: number
  /** Number of streams in which no token was recognized, so that their token timing cannot be measured. */
  readonly withoutContent: number
}

export interface StreamViolation {
  readonly kind: string
  readonly count: number
  readonly example: string
}

export interface LoadCredits {
  /** Upper bound estimated before the run, or null if there is none. */
  readonly estimate: string | null
  /** Cost according to `usage`, at the specification's prices, or null if it is unknown. */
  readonly counted: string | null
  /** Credits that the emulator's ledger charged, or null for other targets. */
  readonly ledger: string | null
  readonly tokens: Readonly<Record<string, { readonly prompt: number; readonly completion: number }>>
  /** Sentences about the accuracy of the credits, and about costs that they do not include. */
  readonly note?: string
}

/**
 * Comparison of measured times with a server's record, event by event. If the target is an emulator, the server is the
 * target, and the record is that of the run. Otherwise, the generator reads streams from a reference server after the
 * run, unless the run bounds its own errors. The result describes the error of this generator on this machine at this
 * concurrency, over loopback without TLS. The error does not include the network.
 */
export interface Calibration {
  /** `self`: measured with a reference server. `run`: measured on the requests of the run. */
  readonly source: 'self' | 'run'
  /** Maximum number of concurrent requests. */
  readonly concurrency: number
  /** Number of responses that have, or lack, a matching record of the server. */
  readonly joined: number
  readonly unjoined: number
  /** Names of the latency profiles that the reference server used. Empty for `run`. */
  readonly profiles: readonly string[]
  readonly figures: Readonly<Partial<Record<LoadMetricName, { readonly n: number } & LoadError>>>
}

/** Metrics of added latency: time to the first token, inter-token latency, and time to the last byte. */
export type AddedMetricName = 'ttftMs' | 'itlMs' | 'e2eMs'

/** Comparison of the target, which is a gateway, with its upstream, the service behind it. */
export interface LoadUpstream {
  /** Base URL without `/v1`. */
  readonly url: string
  /**
   * `record`: the times of each response were compared with the record of an upstream emulator. `turns`: the target and
   * the upstream were loaded alternately, and their distributions were compared.
   */
  readonly method: 'record' | 'turns'
  /** Number of compared responses of the target. For `turns`, the number of successful responses of the upstream. */
  readonly compared: number
  /** Number of successful responses of the target. */
  readonly responses: number
  readonly added: Readonly<Partial<Record<AddedMetricName, AddedFigure>>>
  /** Counts of the requests that the gateway forwarded, repeated or withheld. Null for `turns`. */
  readonly forwarding: {
    readonly sent: number
    /** Number of requests that the upstream received, including those of other clients if `isIdentified` is false. */
    readonly received: number
    /** Whether the gateway forwarded `x-client-request-id`. If not, the nullable counts are null. */
    readonly isIdentified: boolean
    /** Number of requests that the gateway sent again after an earlier attempt had ended. */
    readonly retried: number | null
    /** Number of requests that the gateway sent again before an earlier attempt had ended. */
    readonly duplicated: number | null
    /** Number of requests that never reached the upstream. */
    readonly withheld: number | null
    /** Number of requests that failed although the upstream responded to them with status 200. */
    readonly lost: number | null
    /** Number of responses that the client had already received for an earlier request. */
    readonly repeated: number
  } | null
  /** Streams by how the gateway batched them. `judged` counts those with enough intervals between tokens to detect it. Null for `turns`. */
  readonly streams: {
    readonly judged: number
    /** Number of streams in which more than 40 % of the intervals vanished in the gateway, but not all. */
    readonly rebatched: number
    /** Number of streams that arrived in one piece. */
    readonly buffered: number
    /** Number of streams that the upstream sent at once, which hides any batching. */
    readonly sentAtOnce: number
  } | null
  /** Credits in the `usage` that the client received, and credits that the upstream charged. Null for `turns`. */
  readonly credits: { readonly seen: string | null; readonly charged: string } | null
}

/** Statistics of added latency in milliseconds. Values may be negative. */
export interface AddedFigure {
  /** Number of samples. For `turns`, the lower of the target's number and the upstream's. */
  readonly n: number
  readonly mean: AddedValue
  readonly p50: AddedValue
  readonly p90: AddedValue
  readonly p95: AddedValue
  readonly p99: AddedValue
  readonly max: AddedValue
}

/**
 * A value with its bounds. For `record`, the bounds follow from the bounds of the client's times, or from the calibration
 * if the document has one. For `turns`, they are a 98 % confidence interval. A bound is null if it is unknown.
 */
export interface AddedValue {
  readonly ms: number
  readonly lowMs: number | null
  readonly highMs: number | null
}

/** A search for the highest rate at which budgets hold. Rates are requests per second. */
export interface LoadSearch {
  /** Highest rate at which all budgets hold, or null if they hold at no measured rate. */
  readonly holdsAtRate: number | null
  /** Lowest rate at which a budget is broken or uncertain, or null if there is none. */
  readonly brokenAtRate: number | null
  readonly resolutionPercent: number
  readonly end: LoadSearchEnd
  /** Cost of all runs as a decimal string, or null if it is unknown. */
  readonly credits: string | null
  /** Measured rates in ascending order. */
  readonly steps: readonly LoadSearchStep[]
}

/**
 * Reason why a search ended. `resolution`: `holdsAtRate` and `brokenAtRate` are close enough. `max-rate`: the highest
 * permitted rate meets all budgets. `no-rate`: no rate meets them. `uncertain`: no rate had a confident result.
 * `generator`: the load generator was too slow or too inaccurate. `max-duration`, `spend-limit`: the search reached one
 * of its limits. `no-success`: no request succeeded. `run-failed`: a run failed.
 */
export type LoadSearchEnd =
  | 'resolution'
  | 'max-rate'
  | 'no-rate'
  | 'uncertain'
  | 'generator'
  | 'max-duration'
  | 'spend-limit'
  | 'no-success'
  | 'run-failed'
  | 'interrupted'

/** All runs of a search at one rate. */
export interface LoadSearchStep {
  /** Planned rate in requests per second. */
  readonly rate: number
  /**
   * `uncertain`: the samples allow no confident decision. `generator`: the load generator was too slow or too
   * inaccurate.
   */
  readonly outcome: 'holds' | 'broken' | 'uncertain' | 'generator'
  readonly runs: number
  readonly sent: number
  readonly failed: number
  /** Successful requests per second, from the end of the first quarter of each run to its planned end. */
  readonly okPerSecond: number
  readonly maxInFlight: number
  /** Percentiles over all operations, or null if there are no samples. */
  readonly ttft: LoadSearchLatency | null
  readonly e2e: LoadSearchLatency | null
  readonly budgets: readonly LoadBudget[]
}

export interface LoadSearchLatency {
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
}
