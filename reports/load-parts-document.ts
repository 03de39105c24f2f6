import {
  boolean,
  count,
  list,
  map,
  nonNegative,
  nullable,
  number,
  object,
  oneOf,
  partial,
  string,
  type ValueOf,
} from '../common/schema/build-schema.ts'

export const loadBudget = object({
  /**
   * Metric of all operations (`ttft`) or of one (`images.e2e`), added latency (`added.ttft`) or count (`failed`,
   * `rate`).
   */
  metric: string,
  /** p50, p90, p95, p99, max, mean, rate, count or goodput. */
  statistic: string,
  op: oneOf('<=', '>='),
  limit: nonNegative,
  unit: oneOf('ms', '%', '/s', ''),
  /** Measured value, or null if there are no samples. */
  actual: nullable(number),
  n: count,
  /** Minimum number of samples for the statistic. */
  needed: count,
  verdict: oneOf('within', 'broken', 'insufficient samples', 'not measurable'),
})

/**
 * A value with its bounds. For `record`, the bounds follow from the bounds of the client's times, or from the
 * calibration if the document has one. For `turns`, they are a 98 % confidence interval. A bound is null if it is
 * unknown.
 */
const addedValue = object({ ms: number, lowMs: nullable(number), highMs: nullable(number) })

/** Statistics of added latency in milliseconds. Values may be negative. */
const addedFigure = object({
  /** Number of samples. For `turns`, the lower of the target's number and the upstream's. */
  n: count,
  mean: addedValue,
  p50: addedValue,
  p90: addedValue,
  p95: addedValue,
  p99: addedValue,
  max: addedValue,
})

/** Metrics of added latency: time to the first token, inter-token latency, and time to the last byte. */
export const ADDED_METRICS = ['ttftMs', 'itlMs', 'e2eMs'] as const

/** Comparison of the target, which is a gateway, with its upstream, the service behind it. */
export const loadUpstream = object({
  /** Base URL without `/v1`. */
  url: string,
  /**
   * `record`: the times of each response were compared with the record of an upstream emulator. `turns`: the target and
   * the upstream were loaded alternately, and their distributions were compared.
   */
  method: oneOf('record', 'turns'),
  /** Number of compared responses of the target. For `turns`, the number of successful responses of the upstream. */
  compared: count,
  /** Number of successful responses of the target. */
  responses: count,
  added: partial(ADDED_METRICS, addedFigure),
  /** Counts of the requests that the gateway forwarded, repeated or withheld. Null for `turns`. */
  forwarding: nullable(
    object({
      sent: count,
      /** Number of requests that the upstream received, including those of other clients if `isIdentified` is false. */
      received: count,
      /** Whether the gateway forwarded `x-client-request-id`. If not, the nullable counts are null. */
      isIdentified: boolean,
      /** Number of requests that the gateway sent again after an earlier attempt had ended. */
      retried: nullable(count),
      /** Number of requests that the gateway sent again before an earlier attempt had ended. */
      duplicated: nullable(count),
      /** Number of requests that never reached the upstream. */
      withheld: nullable(count),
      /** Number of requests that failed although the upstream responded to them with status 200. */
      lost: nullable(count),
      /** Number of responses that the client had already received for an earlier request. */
      repeated: count,
    }),
  ),
  /** Streams by how the gateway batched them. `judged` counts those with enough intervals between tokens to detect it. Null for `turns`. */
  streams: nullable(
    object({
      judged: count,
      /** Number of streams in which more than 40 % of the intervals vanished in the gateway, but not all. */
      rebatched: count,
      /** Number of streams that arrived in one piece. */
      buffered: count,
      /** Number of streams that the upstream sent at once, which hides any batching. */
      sentAtOnce: count,
    }),
  ),
  /** Credits in the `usage` that the client received, and credits that the upstream charged. Null for `turns`. */
  credits: nullable(object({ seen: nullable(string), charged: string })),
})

const loadSearchLatency = object({ p50Ms: nonNegative, p90Ms: nonNegative, p99Ms: nonNegative })

/** Kinds of load that a search varies. */
const SEARCH_UNITS = ['requests per second', 'parallel streams'] as const

/** All runs of a search at one level of load. */
const loadSearchStep = object({
  /** Planned requests per second, or parallel streams. */
  level: nonNegative,
  /**
   * `uncertain`: the samples allow no confident decision. `generator`: the load generator was too slow or too
   * inaccurate.
   */
  outcome: oneOf('holds', 'broken', 'uncertain', 'generator'),
  runs: count,
  sent: count,
  failed: count,
  /** Requests that the search aborted, because it had enough samples. With those that failed or succeeded, they are all. */
  stopped: count,
  /** Number of responses by status, and of requests without a status by error. */
  byStatus: map(count),
  byError: map(count),
  /** Successful requests per second, while the load of the runs was steady. Null if the runs ended too early. */
  okPerSecond: nullable(nonNegative),
  /** Those of them that met every budget for single requests. Null also if too many requests preceded the steady load. */
  goodPerSecond: nullable(nonNegative),
  /** Mean number of requests in flight in the same time. */
  inFlight: nullable(nonNegative),
  /**
   * Percentiles over all operations, or null if there are no samples. Above `capacity.from`, TTFT is that of the steady load,
   * and E2E is null if too many requests preceded it.
   */
  ttft: nullable(loadSearchLatency),
  e2e: nullable(loadSearchLatency),
  budgets: list(loadBudget),
})

/** A run that begins with a load above the capacity, and ends with half the capacity. */
const loadOverload = object({
  /** Load above the capacity, and its duration. */
  level: nonNegative,
  durationS: nonNegative,
  /** Requests that ended during this time. */
  ok: count,
  failed: count,
  /** Successful requests per second and TTFT while the load was steady, or null if it was not long enough. */
  okPerSecond: nullable(nonNegative),
  ttft: nullable(loadSearchLatency),
  /** Number of responses by status, and of requests without a status by error, in the whole run. */
  byStatus: map(count),
  byError: map(count),
  /** Load after the overload, and its duration. */
  recoveryLevel: nonNegative,
  recoveryS: nonNegative,
  /** Metrics of the budgets for all operations that show the recovery. */
  recoveryMetrics: list(oneOf('ttft', 'failed.rate')),
  /**
   * Seconds from the end of the overload until the responses meet these budgets again. The responses include those of
   * requests that the target received during the overload. Null if they do not within `recoveryS`, or if there is no such
   * budget.
   */
  recoveredAfterS: nullable(nonNegative),
})

/** A search for the highest load at which budgets hold. */
export const loadSearch = object({
  /**
   * The budgets hold at `from`, and do not at `to`. An end is null if it is unknown: `from` if no level holds, `to` if
   * every level up to the highest one holds, or if the search ended early.
   */
  capacity: object({ from: nullable(nonNegative), to: nullable(nonNegative), unit: oneOf(...SEARCH_UNITS) }),
  resolutionPercent: nonNegative,
  /**
   * Reason why the search ended. `resolution`: both ends of the capacity are close enough. `max-level`: the highest
   * permitted level meets all budgets. `no-level`: no level meets them. `uncertain`: the runs between both ends had no
   * confident result. `generator`: the load generator was too slow or too inaccurate. `max-duration`, `spend-limit`: the
   * search reached one of its limits. `no-success`: no request succeeded. `run-failed`: a run failed.
   */
  end: oneOf(
    'resolution',
    'max-level',
    'no-level',
    'uncertain',
    'generator',
    'max-duration',
    'spend-limit',
    'no-success',
    'run-failed',
    'interrupted',
  ),
  durationS: nonNegative,
  /** Cost of all runs as a decimal string, or null if it is unknown. */
  credits: nullable(string),
  /** Measured levels in ascending order. */
  steps: list(loadSearchStep),
  /** Behaviour above the capacity. Null if the search found no capacity, or had no time or credits for this run. */
  overload: nullable(loadOverload),
})

export type LoadBudget = ValueOf<typeof loadBudget>
export type AddedMetricName = (typeof ADDED_METRICS)[number]
export type AddedValue = ValueOf<typeof addedValue>
export type AddedFigure = ValueOf<typeof addedFigure>
export type LoadUpstream = ValueOf<typeof loadUpstream>
export type LoadSearch = ValueOf<typeof loadSearch>
export type LoadSearchEnd = LoadSearch['end']
export type LoadSearchStep = ValueOf<typeof loadSearchStep>
export type LoadOverload = ValueOf<typeof loadOverload>
export type SearchUnit = LoadSearch['capacity']['unit']
export type LoadSearchLatency = ValueOf<typeof loadSearchLatency>
