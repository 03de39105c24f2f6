import { LOAD_OPERATIONS } from './load-operation.ts'
import { type Described, findMismatch, type Schema } from './schema.ts'

/**
 * Version of the JSON that the extension writes (`result`, the lines of progress and of events). It changes when a field changes its
 * name, its type or its meaning. The Go structs in scenarios/extension/record/ have the same fields; a test compares them.
 */
export const RESULT_VERSION = 1

const TOKENS = {
  fields: {
    answers: 'number',
    prompt: 'number',
    completion: 'number',
    // Responses without `usage`: their completion tokens are their content events.
    estimated: 'number',
  },
} as const satisfies Schema

/** Samples of one process: exact sum, minimum and maximum, and a histogram (HDR V2, compressed, microseconds, base64). */
const HISTOGRAM = {
  fields: { n: 'number', sumMs: 'number', minMs: 'number', maxMs: 'number', encoded: 'string' },
} as const satisfies Schema

const OPERATION = {
  fields: {
    sent: 'number',
    ok: 'number',
    failed: 'number',
    // Requests aborted by the script or by the end of the run: neither ok nor failed.
    aborted: 'number',
    // Requests within all limits of `ExtensionSettings.limits`.
    good: 'number',
    byStatus: { map: 'number' },
    // Requests without a status, by error name.
    byError: { map: 'number' },
    // 4 significant digits; only those with samples.
    histograms: {
      fields: {},
      optional: { ttftMs: HISTOGRAM, gapMs: HISTOGRAM, tpotMs: HISTOGRAM, e2eMs: HISTOGRAM, startLagMs: HISTOGRAM },
    },
    // By model.
    tokens: { map: TOKENS },
    // Complete streams without any text: their token timing cannot be measured.
    withoutContent: 'number',
  },
} as const satisfies Schema

/** One second of the run. */
const SECOND = {
  fields: {
    atS: 'number',
    // Requests that began, that succeeded and that failed in this second.
    requests: 'number',
    ok: 'number',
    failed: 'number',
    // At the end of the second.
    inFlight: 'number',
    // TTFT of the requests that ended: HDR, 2 digits.
    ttft: { nullable: 'string' },
  },
} as const satisfies Schema

const VIOLATION = { fields: { kind: 'string', count: 'number', example: 'string' } } as const satisfies Schema

const CHECK = { fields: { name: 'string', passes: 'number', fails: 'number' } } as const satisfies Schema

const OUT_OF_CREDITS = {
  fields: { limitUnits: 'number', countedUnits: 'number', underWayUnits: 'number', nextUnits: 'number' },
} as const satisfies Schema

/** The result of a k6 process. Results can be merged exactly: they contain counts, sums and histograms only. */
export const RESULT_SCHEMA = {
  fields: {
    version: 'number',
    startedAtUnixMs: 'number',
    endedAtUnixMs: 'number',
    // The arrivals of this process: `index` modulo `count`.
    segment: { fields: { index: 'number', count: 'number' } },
    // Arrivals of this segment, those due before the run was ended, and those that were taken. Null for a closed loop.
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
    oracle: { fields: { streams: 'number', violations: { list: VIOLATION } } },
  },
  optional: {
    // Present where the spend limit ended the run. Units are 0.0001 credit.
    outOfCredits: OUT_OF_CREDITS,
    // Added by the k6 script: its checks, and its name and settings. A check that was never made has 0 and 0.
    checks: { list: CHECK },
    run: { fields: { scenario: 'string', settings: 'unknown' } },
  },
} as const satisfies Schema

/** A line of the file `progressPath`, once a second: sums since the start, unless stated otherwise. */
export const PROGRESS_SCHEMA = {
  fields: {
    atS: 'number',
    sent: 'number',
    ok: 'number',
    failed: 'number',
    // Now.
    inFlight: 'number',
    // Requests that ended in the last second.
    ratePerS: 'number',
    ttftP50Ms: { nullable: 'number' },
    ttftP99Ms: { nullable: 'number' },
    // By model, all operations together.
    tokens: { map: TOKENS },
  },
} as const satisfies Schema

/** A line of the file `eventsPath`, for each response with status 200. It is joined with the record of the emulator. */
export const EVENTS_SCHEMA = {
  fields: {
    operation: { oneOf: LOAD_OPERATIONS },
    // Header `x-request-id`.
    requestId: { nullable: 'string' },
    // Time from the start of the request until each event was read. Empty if the response is not a stream.
    atMs: { list: 'number' },
    // Positions in `atMs` of events with content.
    content: { list: 'number' },
    e2eMs: 'number',
    // SHA-256 of the body, hex; null for an incomplete body.
    bodySha256: { nullable: 'string' },
  },
} as const satisfies Schema

export type ExtensionResult = Described<typeof RESULT_SCHEMA>
export type OperationResult = Described<typeof OPERATION>
export type HistogramResult = Described<typeof HISTOGRAM>
export type TokensResult = Described<typeof TOKENS>
export type SecondResult = Described<typeof SECOND>
export type CheckResult = Described<typeof CHECK>
export type OutOfCredits = Described<typeof OUT_OF_CREDITS>
export type ProgressResult = Described<typeof PROGRESS_SCHEMA>
export type EventsResult = Described<typeof EVENTS_SCHEMA>

/**
 * Reads the result of a k6 process from its JSON value. Results without a version are those of version 0.1, which have
 * the same fields.
 * @throws Error with one sentence for another version or shape
 */
export function readExtensionResult(value: unknown): ExtensionResult {
  const result: unknown =
    typeof value === 'object' && value !== null && !('version' in value) ? { version: 1, ...value } : value
  const version = typeof result === 'object' && result !== null && 'version' in result ? result.version : undefined
  if (version !== undefined && version !== RESULT_VERSION) {
    throw new Error(
      `The k6 extension writes results of version ${JSON.stringify(version)}, and this program reads version ${RESULT_VERSION}: build k6 from the same version of touchstone.`,
    )
  }
  return readAs(RESULT_SCHEMA, result, 'result')
}

/** Gives a value the type of its schema. @throws Error with one sentence if it has another shape */
export function readAs<Shape extends Schema>(schema: Shape, value: unknown, name: string): Described<Shape> {
  const mismatch = findMismatch(schema, value, '')
  if (mismatch === undefined) return value as Described<Shape> // Compared in the line above.
  throw new Error(
    `The ${name} of the k6 extension has another shape (${mismatch}): build k6 from the same version of touchstone.`,
  )
}
