import { LOAD_OPERATIONS } from './load-operation.ts'
import { type TypeOfSchema, findMismatch, type ValueSchema } from './schema.ts'

/**
 * Version of the extension's JSON formats (`result`, progress lines, event lines). It changes when the name, type or
 * meaning of a field changes. The Go structs in scenarios/extension/record/ have the same fields; a test compares them.
 */
export const RESULT_VERSION = 1

const TOKENS = {
  fields: {
    responses: 'number',
    prompt: 'number',
    completion: 'number',
    // Number of responses without `usage`, for which each content event counts as one completion token.
    estimated: 'number',
  },
} as const satisfies ValueSchema

/**
 * Samples of one process: exact count, mean, minimum and maximum, and a histogram (HDR V2, compressed, microseconds,
 * base64).
 */
const SAMPLES = {
  fields: { n: 'number', sumMs: 'number', minMs: 'number', maxMs: 'number', encoded: 'string' },
} as const satisfies ValueSchema

const HISTOGRAM = {
  fields: SAMPLES.fields,
  // Distributions of the lower and of the upper bounds of the same durations. Absent if some durations have no bounds.
  optional: { low: SAMPLES, high: SAMPLES },
} as const satisfies ValueSchema

const OPERATION = {
  fields: {
    sent: 'number',
    ok: 'number',
    failed: 'number',
    // Requests that the script or the end of the run aborted. They count neither as ok nor as failed.
    aborted: 'number',
    // Requests that met all limits of `ExtensionSettings.limits`.
    good: 'number',
    byStatus: { map: 'number' },
    // Number of requests without a status, keyed by error name.
    byError: { map: 'number' },
    // Histograms with 4 significant digits. Metrics without samples are missing.
    histograms: {
      fields: {},
      optional: {
        ttftMs: HISTOGRAM,
        itlMs: HISTOGRAM,
        tpotMs: HISTOGRAM,
        e2eMs: HISTOGRAM,
        startLagMs: HISTOGRAM,
        blockedMs: HISTOGRAM,
        connectingMs: HISTOGRAM,
        tlsMs: HISTOGRAM,
      },
    },
    // Token counts, keyed by model ID.
    tokens: { map: TOKENS },
    // Complete streams without text, for which token timing cannot be measured.
    withoutContent: 'number',
  },
} as const satisfies ValueSchema

/** Counts and TTFT of one second of the run. */
const SECOND = {
  fields: {
    atS: 'number',
    // Requests that started, succeeded and failed in this second.
    requests: 'number',
    ok: 'number',
    failed: 'number',
    // Requests in flight at the end of the second.
    inFlight: 'number',
    // TTFT of the requests that ended in this second, as an HDR histogram with 2 significant digits.
    ttft: { nullable: 'string' },
  },
} as const satisfies ValueSchema

const VIOLATION = { fields: { kind: 'string', count: 'number', example: 'string' } } as const satisfies ValueSchema

const CHECK = { fields: { name: 'string', passes: 'number', fails: 'number' } } as const satisfies ValueSchema

const OUT_OF_CREDITS = {
  fields: { limitUnits: 'number', countedUnits: 'number', underWayUnits: 'number', nextUnits: 'number' },
} as const satisfies ValueSchema

/**
 * The result of one k6 process. It contains only counts, sums and histograms, so that results of several processes can
 * be merged exactly.
 */
export const RESULT_SCHEMA = {
  fields: {
    version: 'number',
    startedAtUnixMs: 'number',
    endedAtUnixMs: 'number',
    // Segment `index` (from 0) of `count`. It has the arrivals whose index modulo `count` is `index`.
    segment: { fields: { index: 'number', count: 'number' } },
    // Number of all arrivals of this segment, number of arrivals that were due before the end of the run, and number of
    // arrivals that a VU took. Null for a closed loop.
    plan: { nullable: { fields: { planned: 'number', due: 'number', taken: 'number' } } },
    operations: {
      fields: {},
      optional: {
        models: OPERATION,
        chat: OPERATION,
        'chat-stream': OPERATION,
        images: OPERATION,
        transcriptions: OPERATION,
        speech: OPERATION,
      },
    },
    series: { list: SECOND },
    validation: { fields: { streams: 'number', violations: { list: VIOLATION } } },
  },
  optional: {
    // Bounds of the target's clock minus the clock of this machine, from the `Date` headers of the responses.
    targetClock: { fields: { lowMs: 'number', highMs: 'number' } },
    // Present if the run reached its spend limit. Amounts are units of 0.0001 credit.
    outOfCredits: OUT_OF_CREDITS,
    // The reason why the events file lacks lines, such as a full file system.
    eventsProblem: 'string',
    // Fields that the k6 script adds: its name, its settings and its checks. A check that was not executed has 0 passes
    // and 0 fails.
    checks: { list: CHECK },
    run: { fields: { scenario: 'string', settings: 'unknown' } },
  },
} as const satisfies ValueSchema

/**
 * A line that the extension writes to `progressPath` once per second. Counts are totals since the start,
 * unless stated otherwise.
 */
export const PROGRESS_SCHEMA = {
  fields: {
    atS: 'number',
    sent: 'number',
    ok: 'number',
    failed: 'number',
    // Number of requests in flight when the line was written.
    inFlight: 'number',
    // Number of requests that ended in the last second.
    ratePerS: 'number',
    ttftP50Ms: { nullable: 'number' },
    ttftP99Ms: { nullable: 'number' },
    // Token counts over all operations, keyed by model ID.
    tokens: { map: TOKENS },
  },
  // Absent if they are empty.
  optional: {
    // Number of requests, keyed by operation.
    counts: { map: { fields: { sent: 'number', ok: 'number', failed: 'number', aborted: 'number', good: 'number' } } },
    // Counts for each budget in `ExtensionSettings.budgets`, in the same order: number of samples, number of samples
    // above the limit, and sum of all samples.
    budgets: { list: { fields: { n: 'number', above: 'number', sumMs: 'number' } } },
  },
} as const satisfies ValueSchema

/**
 * A line of the file `eventsPath` about a response with status 200, for comparison with the emulator's record. With
 * `requestIds`, every request has a line.
 */
export const EVENTS_LINE_SCHEMA = {
  fields: {
    operation: { oneOf: LOAD_OPERATIONS },
    // Whether this is the first request of its VU.
    isFirst: 'boolean',
    // Value of the response header `x-request-id`.
    requestId: { nullable: 'string' },
    // Milliseconds from the start of the request until each event arrived. Empty if the response is not a stream.
    atMs: { list: 'number' },
    // Indexes of the events with content in `atMs`.
    content: { list: 'number' },
    e2eMs: 'number',
    // SHA-256 digest of the body in hex, or null for an incomplete body.
    bodySha256: { nullable: 'string' },
  },
  optional: {
    // Only with `requestIds`: the status (absent without a response), the request header `x-client-request-id`, the ID in
    // the body of a chat completion, whether the response contains usage, and the SHA-256 digest of the text in a complete
    // chat completion.
    status: 'number',
    clientRequestId: 'string',
    completionId: 'string',
    hasUsage: 'boolean',
    textSha256: 'string',
    // Opposite bounds of the times above: the latest possible start of the request, and the earliest possible times of
    // the events with content and of the end. Absent if the times have no bounds.
    bounds: { fields: { startMs: 'number', contentMs: { list: 'number' }, e2eMs: 'number' } },
  },
} as const satisfies ValueSchema

export type ExtensionResult = TypeOfSchema<typeof RESULT_SCHEMA>
export type OperationResult = TypeOfSchema<typeof OPERATION>
export type SamplesResult = TypeOfSchema<typeof SAMPLES>
export type HistogramResult = TypeOfSchema<typeof HISTOGRAM>
export type TokensResult = TypeOfSchema<typeof TOKENS>
export type SecondResult = TypeOfSchema<typeof SECOND>
export type CheckResult = TypeOfSchema<typeof CHECK>
export type SpendLimitResult = TypeOfSchema<typeof OUT_OF_CREDITS>
export type ProgressResult = TypeOfSchema<typeof PROGRESS_SCHEMA>
export type EventsResult = TypeOfSchema<typeof EVENTS_LINE_SCHEMA>

/**
 * Validates the result of a k6 process.
 * @throws Error with one sentence, for a different version or shape
 */
export function readExtensionResult(value: unknown): ExtensionResult {
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
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
export function parseWithSchema<Shape extends ValueSchema>(
  schema: Shape,
  value: unknown,
  name: string,
): TypeOfSchema<Shape> {
  const mismatch = findMismatch(schema, value, '')
  // The cast is safe: `findMismatch` has compared the value with the schema.
  if (mismatch === undefined) return value as TypeOfSchema<Shape>
  throw new Error(
    `The ${name} of the k6 extension has an unexpected shape (${mismatch}): build k6 from the same version of touchstone.`,
  )
}
