import { toJsonObject } from '../../common/json-object.ts'
import {
  boolean,
  list,
  map,
  nullable,
  number,
  object,
  oneOf,
  optional,
  partial,
  anything,
  string,
  type Schema,
  type ValueOf,
} from '../../common/schema/build-schema.ts'
import { findSchemaProblems } from '../../common/schema/find-schema-problems.ts'
import { TIMED_OPERATIONS } from '../../contract/facts.ts'

/**
 * Version of the extension's JSON formats (`result`, progress lines, event lines). It changes when the name, type or
 * meaning of a field changes. The Go structs in scenarios/extension/record/ have the same fields; a test compares them.
 */
export const RESULT_VERSION = 3

const TOKENS = object({
  responses: number,
  prompt: number,
  completion: number,
  /** Number of responses without `usage`, for which each token event counts as one completion token. */
  estimated: number,
})

const SAMPLE_PARTS = { n: number, sumMs: number, minMs: number, maxMs: number, encoded: string }
/**
 * Samples of one process: exact count, mean, minimum and maximum, and a histogram (HDR V2, compressed, microseconds,
 * base64).
 */
const SAMPLES = object(SAMPLE_PARTS)

const HISTOGRAM = object({
  ...SAMPLE_PARTS,
  /** Distributions of the lower and of the upper bounds of the same durations. Absent if some have no bounds. */
  low: optional(SAMPLES),
  high: optional(SAMPLES),
})

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

const COUNT_PARTS = {
  sent: number,
  ok: number,
  failed: number,
  /** Requests that the script or the end of the run aborted. They count neither as ok nor as failed. */
  aborted: number,
  /** Requests that met all limits of `ExtensionSettings.limits`. */
  good: number,
}

/** Output of the complete responses with a 2xx status. */
const OUTPUT = object({
  responses: number,
  /** Responses with `usage`, and the sum of their completion tokens. */
  withUsage: number,
  completionTokens: number,
  /** Responses that are streams; those without a token of any channel; those without text. */
  streams: number,
  withoutToken: number,
  withoutText: number,
  /** Streams without text whose `finish_reason` is `length`. */
  cutBeforeText: number,
})

const OPERATION = object({
  ...COUNT_PARTS,
  byStatus: map(number),
  /** Number of requests without a status, keyed by error name. */
  byError: map(number),
  /** Histograms with 4 significant digits. Metrics without samples are missing. */
  histograms: partial(METRICS, HISTOGRAM),
  /** Token counts, keyed by model ID. */
  tokens: map(TOKENS),
  output: OUTPUT,
})

/** Counts and TTFT of one second of the run. */
const SECOND = object({
  atS: number,
  /** Requests that started, succeeded and failed in this second. */
  requests: number,
  ok: number,
  failed: number,
  /** Requests in flight at the end of the second. */
  inFlight: number,
  /** TTFT of the requests that ended in this second, as an HDR histogram with 2 significant digits. */
  ttft: nullable(string),
})

const CHECK = object({ name: string, passes: number, fails: number })

const OUT_OF_CREDITS = object({ limitUnits: number, countedUnits: number, underWayUnits: number, nextUnits: number })

/**
 * The result of one k6 process. It contains only counts, sums and histograms, so that results of several processes can
 * be merged exactly.
 */
export const RESULT_SCHEMA = object({
  version: number,
  startedAtUnixMs: number,
  endedAtUnixMs: number,
  /** Segment `index` (from 0) of `count`. It has the arrivals whose index modulo `count` is `index`. */
  segment: object({ index: number, count: number }),
  /**
   * Number of all arrivals of this segment, number of arrivals that were due before the end of the run, and number of
   * arrivals that a VU took. Null for a closed loop.
   */
  plan: nullable(object({ planned: number, due: number, taken: number })),
  operations: partial(TIMED_OPERATIONS, OPERATION),
  /** Requests of the warm-up, which no other field includes. Absent without a warm-up. */
  warmUp: optional(object({ ...COUNT_PARTS, tokens: map(TOKENS) })),
  series: list(SECOND),
  validation: object({
    streams: number,
    violations: list(object({ kind: string, count: number, example: string })),
  }),
  /** Bounds of the target's clock minus the clock of this machine, from the `Date` headers of the responses. */
  targetClock: optional(object({ lowMs: number, highMs: number })),
  /** Present if the run reached its spend limit. Amounts are units of 0.0001 credit. */
  outOfCredits: optional(OUT_OF_CREDITS),
  /** The reason why the events file lacks lines, such as a full file system. */
  eventsProblem: optional(string),
  /**
   * Fields that the k6 script adds: its checks, its name and its settings. A check that was not executed has 0 passes
   * and 0 fails.
   */
  checks: optional(list(CHECK)),
  run: optional(object({ scenario: string, settings: anything })),
  /** Digest (hex) of the fields before it, which shows that the line is complete. The k6 script adds it. */
  sha256: optional(string),
})

/**
 * A line that the extension writes to `progressPath` once per second. Counts are totals since the start,
 * unless stated otherwise.
 */
export const PROGRESS_SCHEMA = object({
  atS: number,
  sent: number,
  ok: number,
  failed: number,
  /** Number of requests in flight when the line was written. */
  inFlight: number,
  /** Number of requests that ended in the last second. */
  ratePerS: number,
  ttftP50Ms: nullable(number),
  ttftP99Ms: nullable(number),
  /** Token counts over all operations, keyed by model ID. */
  tokens: map(TOKENS),
  /** Number of requests, keyed by operation. Absent if empty. */
  counts: optional(map(object(COUNT_PARTS))),
  /**
   * Counts for each budget in `ExtensionSettings.budgets`, in the same order: number of samples, number of samples
   * above the limit, and sum of all samples. Absent if empty.
   */
  budgets: optional(list(object({ n: number, above: number, sumMs: number }))),
})

/**
 * A line of the file `eventsPath` about a response with status 200, for comparison with the emulator's record. With
 * `requestIds`, every request has a line.
 */
export const EVENTS_LINE_SCHEMA = object({
  operation: oneOf(...TIMED_OPERATIONS),
  /** Whether the request belongs to the warm-up. Absent if not. */
  isWarmUp: optional(boolean),
  /** Value of the response header `x-request-id`. */
  requestId: nullable(string),
  /** Milliseconds from the start of the request until each event arrived. Empty if the response is not a stream. */
  atMs: list(number),
  /** Indexes of the events with a token of any channel in `atMs`. */
  tokens: list(number),
  /** Index in `tokens` of the first event with text; -1 if there is none. */
  firstText: number,
  e2eMs: number,
  /** Whether the body arrived completely. */
  isComplete: boolean,
  /**
   * Only with `requestIds`: the status (absent without a response), the request header `x-client-request-id`, the ID in
   * the body of a chat completion, whether the response contains usage, and the SHA-256 digest of the text in a
   * complete chat completion.
   */
  status: optional(number),
  clientRequestId: optional(string),
  completionId: optional(string),
  hasUsage: optional(boolean),
  textSha256: optional(string),
  /**
   * Opposite bounds of the times above: the latest possible start of the request, and the earliest possible times of
   * the events with a token and of the end. Absent if the times have no bounds.
   */
  bounds: optional(object({ startMs: number, tokenMs: list(number), e2eMs: number })),
})

export type ExtensionResult = ValueOf<typeof RESULT_SCHEMA>
export type OperationResult = ValueOf<typeof OPERATION>
export type SamplesResult = ValueOf<typeof SAMPLES>
export type HistogramResult = ValueOf<typeof HISTOGRAM>
export type TokensResult = ValueOf<typeof TOKENS>
export type SecondResult = ValueOf<typeof SECOND>
export type CheckResult = ValueOf<typeof CHECK>
export type SpendLimitResult = ValueOf<typeof OUT_OF_CREDITS>
export type ProgressResult = ValueOf<typeof PROGRESS_SCHEMA>
export type EventsResult = ValueOf<typeof EVENTS_LINE_SCHEMA>

/**
 * Validates the result of a k6 process.
 * @throws Error with one sentence, for a different version or shape
 */
export function readExtensionResult(value: unknown): ExtensionResult {
  const version = toJsonObject(value)['version']
  if (version !== undefined && version !== RESULT_VERSION) {
    throw new Error(
      `The k6 extension writes results of version ${JSON.stringify(version)}, but this program reads version ${RESULT_VERSION}: build k6 from the same version of touchstone.`,
    )
  }
  return parseWithSchema(RESULT_SCHEMA, value, 'result')
}

/**
 * Validates a value against a schema, and returns it with the schema's type.
 * @throws Error with one sentence, if the value does not conform
 */
export function parseWithSchema<Value>(schema: Schema<Value>, value: unknown, name: string): Value {
  const [problem] = findSchemaProblems(schema.json, value, 'it')
  // The cast is safe: the value conforms to the schema.
  if (problem === undefined) return value as Value
  throw new Error(
    `The ${name} of the k6 extension has an unexpected shape (${problem}): build k6 from the same version of touchstone.`,
  )
}
