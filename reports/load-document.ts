import {
  anyOf,
  anything,
  boolean,
  constant,
  count,
  document,
  list,
  map,
  nonNegative,
  nullable,
  number,
  object,
  oneOf,
  optional,
  partial,
  string,
  timestamp,
  type ValueOf,
} from '../common/schema/build-schema.ts'
import { TIMED_OPERATIONS } from '../contract/facts.ts'
import { loadBudget, loadSearch, loadUpstream } from './load-parts-document.ts'

/**
 * Latency metrics of requests. A token event is an event with a token of any channel: text, reasoning, a refusal or a
 * tool call. `ttftMs` ends with the first token event, and `textTtftMs` with the first event with text. `itlMs` is the
 * time between two consecutive token events. `tpotMs` is the time from the first to the last token event, divided by
 * the number of tokens that `usage` reports for this interval.
 */
const METRICS = [
  'ttftMs',
  'textTtftMs',
  'itlMs',
  'tpotMs',
  'e2eMs',
  'startLagMs',
  'blockedMs',
  'connectingMs',
  'tlsMs',
] as const

const errorParts = {
  biasMs: number,
  p50Ms: nonNegative,
  p90Ms: nonNegative,
  p95Ms: nonNegative,
  p99Ms: nonNegative,
  maxMs: nonNegative,
}
const loadError = object(errorParts)

/** Distribution of the lower or the upper bounds of all samples of a figure. */
const boundDistribution = object({ mean: number, min: number, max: number, histogram: string })

/** Latencies. They may be negative, because the resolution of the clock can make a short delay slightly negative. */
const loadFigure = object({
  n: count,
  min: number,
  mean: number,
  p50: number,
  p90: number,
  p95: number,
  p99: number,
  max: number,
  /**
   * Measurement error, or null if it is unknown. `biasMs` is the mean of measured minus true values. Each other field
   * bounds the error of one statistic: `p90Ms` bounds the error of `p90`. If `bounds` is present, the error is
   * calculated from it; otherwise, the calibration estimates it.
   */
  error: nullable(loadError),
  /** Histogram: HDR V2, compressed, microseconds, 4 significant digits, base64. */
  histogram: string,
  /**
   * Lower and upper bounds between which the true value of each sample lies. They follow from the times before and
   * after the request was written to the socket, and from the times at which the kernel received the response. Absent
   * if the kernel does not report times.
   */
  bounds: optional(object({ low: boundDistribution, high: boundDistribution })),
})

const loadTarget = object({
  /** Base URL without `/v1`. */
  url: string,
  /** Whether the measured target is an emulator that the run itself started. */
  embedded: boolean,
  /** Whether the target is an emulator. If so, the measurement is compared with the emulator's own record. */
  isEmulator: boolean,
  /** Fingerprints of the API keys, such as `sha256:1f3870be`, by role. `(hidden)` for a short key. */
  keys: map(string),
  models: map(string),
})

const seriesEntry = object({
  atS: nonNegative,
  requests: count,
  ok: count,
  failed: count,
  inFlight: count,
  ttftP50Ms: nullable(nonNegative),
  ttftP99Ms: nullable(nonNegative),
  /** HDR histogram (2 significant digits) from which both TTFT percentiles are calculated. It can be merged. */
  ttft: nullable(string),
})

/** Output of complete responses with a 2xx status. */
const operationOutput = object({
  responses: count,
  /** Number of responses with `usage`, and the sum of their completion tokens. */
  withUsage: count,
  completionTokens: count,
  streams: count,
  /** Number of streams without a token of any channel, and without text. */
  withoutToken: count,
  withoutText: count,
  /** Number of streams without text whose `finish_reason` is `length`. */
  cutBeforeText: count,
})

const operationCounts = object({
  sent: count,
  ok: count,
  failed: count,
  aborted: count,
  /** Number of requests that met every budget for single requests. */
  good: count,
  /** Absent in documents of earlier versions. */
  output: optional(operationOutput),
})

/** A rate of output tokens, and the bounds of its true value, or null if they are unknown. */
const tokenRate = object({ perSecond: nonNegative, low: nullable(nonNegative), high: nullable(nonNegative) })

/** Output tokens per second according to `usage`, never according to the number of events. */
const outputTokens = object({
  /** Number of responses of chat, and number of those with `usage`. */
  responses: count,
  withUsage: count,
  /**
   * Completion tokens of all complete responses, divided by the duration of the run. A lower bound if some responses
   * lack usage, and null if all do.
   */
  perSecond: nullable(nonNegative),
  /**
   * Rate of a stream from its first to its last token: 1 s / TPOT. 1 % of the streams are slower than `p1`. Null if no
   * stream has a TPOT, or if streams arrived in one read.
   */
  perStream: nullable(object({ n: count, p50: tokenRate, p10: tokenRate, p5: tokenRate, p1: tokenRate })),
})

const requestCounts = object({
  planned: nullable(count),
  sent: count,
  ok: count,
  /** Number of planned requests that k6 never started. */
  dropped: count,
  byStatus: map(count),
  byError: map(count),
  failed: count,
  /** Number of requests that the scenario aborted on purpose. */
  aborted: count,
  byOperation: partial(TIMED_OPERATIONS, operationCounts),
})

const streamViolation = object({ kind: string, count, example: string })

const loadCredits = object({
  /** Upper bound estimated before the run, or null if there is none. */
  estimate: nullable(string),
  /** Cost according to `usage`, at the specification's prices, or null if it is unknown. */
  counted: nullable(string),
  /** Credits that the emulator's ledger charged, or null for other targets. */
  ledger: nullable(string),
  tokens: map(object({ prompt: count, completion: count })),
  /** Sentences about the accuracy of the credits, and about costs that they do not include. */
  note: optional(string),
})

/**
 * Comparison of measured times with a server's record, event by event. If the target is an emulator, the server is the
 * target, and the record is that of the run. Otherwise, the generator reads streams from a reference server after the
 * run, unless the run bounds its own errors. The result describes the error of this generator on this machine at this
 * concurrency, over loopback without TLS. The error does not include the network.
 */
const calibration = object({
  /** `self`: measured with a reference server. `run`: measured on the requests of the run. */
  source: oneOf('self', 'run'),
  /** Maximum number of concurrent requests. */
  concurrency: count,
  /** Number of responses that have, or lack, a matching record of the server. */
  joined: count,
  unjoined: count,
  /** Names of the latency profiles that the reference server used. Empty for `run`. */
  profiles: list(string),
  figures: partial(METRICS, object({ n: count, ...errorParts })),
})

/** Position of a segment of a run, from 0. */
const loadSegment = object({
  index: count,
  count,
  /**
   * Bounds of the target's clock minus the clock of the load generator, from the `Date` headers of the responses. Absent
   * if the responses have no such header.
   */
  targetClock: optional(object({ lowMs: number, highMs: number })),
})
const mergedSegments = object({ merged: count })

export const loadSchema = document(
  'The result of a load run',
  object({
    schemaVersion: constant(1),
    kind: constant('load'),
    tool: object({ name: string, version: string }),
    spec: object({ sha256: string }),
    target: loadTarget,
    /** Start time in ISO 8601, UTC. */
    startedAt: timestamp,
    durationMs: nonNegative,
    scenario: string,
    profile: string,
    arrivals: string,
    verdict: oneOf('within-budgets', 'budget-broken', 'incomplete', 'invalid', 'harness-error'),
    /** Reasons for the verdict, one sentence each, such as an exceeded budget or an excessive scheduling delay. */
    reasons: list(string),
    /** The same reasons as data, in the same order. `code` is stable. `params` uses the option names of the library. */
    findings: list(object({ code: string, params: map(anything) })),
    budgets: list(loadBudget),
    metrics: partial(TIMED_OPERATIONS, partial(METRICS, loadFigure)),
    series: list(seriesEntry),
    requests: requestCounts,
    /** Requests of the warm-up. Only `credits` includes them, too. Absent without a warm-up. */
    warmUp: optional(object({ sent: count, ok: count, failed: count, aborted: count })),
    /**
     * Successful requests per second while the load of a search was steady, to which goodput and output tokens refer. Absent
     * without a search.
     */
    okPerSecond: optional(nonNegative),
    /** Successful requests per second that met every budget for single requests. */
    goodputPerSecond: nonNegative,
    /** Absent without a complete response of chat. */
    outputTokens: optional(outputTokens),
    validation: object({
      streams: count,
      violations: list(streamViolation),
      /** Checks of the scenario. `name` is a sentence. A check with 0 passes and 0 fails was not executed. */
      checks: list(object({ name: string, passes: count, fails: count })),
    }),
    credits: loadCredits,
    calibration: nullable(calibration),
    /** Settings of the load generator, such as the seed and the number of virtual users. */
    settings: map(anyOf<string | number | boolean>(string, number, boolean)),
    /** Latency and requests that a gateway (the target) adds to its upstream. Present if the run had an upstream. */
    upstream: optional(loadUpstream),
    /**
     * Search for the capacity. The other fields describe the runs at the highest level that holds, or else at the lowest
     * measured level.
     */
    search: optional(loadSearch),
    /**
     * Shell command that repeats the run, with environment variables for keys. Missing in the documents of k6 scripts and
     * of merged runs.
     */
    command: optional(string),
    /** Position of the segment of the run, or the number of merged segments. Absent for a run that is not divided. */
    segment: optional(anyOf<LoadSegment | ValueOf<typeof mergedSegments>>(loadSegment, mergedSegments)),
  }),
)

/**
 * The result of a load run, written as `load-<scenario>.json`. Fields with the suffix `Ms` are milliseconds, with `S`
 * seconds. Credits are decimal strings, to avoid rounding.
 */
export type LoadDocument = ValueOf<typeof loadSchema>
export type LoadVerdict = LoadDocument['verdict']
export type LoadMetricName = (typeof METRICS)[number]
export type LoadTarget = ValueOf<typeof loadTarget>
export type LoadFigure = ValueOf<typeof loadFigure>
export type BoundDistribution = ValueOf<typeof boundDistribution>
export type LoadError = ValueOf<typeof loadError>
export type SeriesEntry = ValueOf<typeof seriesEntry>
export type OperationOutput = ValueOf<typeof operationOutput>
export type OutputTokens = ValueOf<typeof outputTokens>
export type OperationCounts = ValueOf<typeof operationCounts>
export type StreamViolation = ValueOf<typeof streamViolation>
export type LoadCredits = ValueOf<typeof loadCredits>
export type Calibration = ValueOf<typeof calibration>
export type LoadSegment = ValueOf<typeof loadSegment>
