import type { FindingEvidence, FindingKind } from './findings.ts'
import type { RequestObservation } from './observation.ts'

/**
 * Maximum wait before a repeated request counts as a retry. Later, the cause of the failure may have been removed, or
 * the client may have restarted.
 */
export const RETRY_WINDOW_MS = 60_000

/**
 * Minimum time after a failure before a request on another connection can be a retry. Parallel requests arrive shortly
 * after one another, and the first may fail before the emulator reads the last.
 */
const MIN_REACTION_MS = 25

/**
 * Maximum number of retries without a finding. Common clients retry twice; five retries with backoff take about half a
 * minute.
 */
const MAX_RETRIES = 5

/** Tolerance for timers that fire early. */
const TIMER_TOLERANCE_MS = 5

/** Minimum wait that counts as backoff. Common clients start at 375 ms or more. The first retry may be immediate. */
const MIN_WAIT_MS = 100

/** Minimum ratio of the longest to the shortest wait from the third retry on. Every backoff with jitter reaches it. */
const MIN_GROWTH = 1.5

/** Wait from which the waits need not grow any further. */
const LONG_WAIT_MS = 10_000

/** Fields of an observation that are stored. The request is not stored, because it may be large. */
type ResponseOutcome = Pick<
  RequestObservation,
  'requestId' | 'connection' | 'ended' | 'status' | 'isAborted' | 'retryAfterMs'
>

/** A failed request that later requests are compared with. */
export interface FailedRequest extends ResponseOutcome {
  readonly fingerprint: string
  /** Number of retries so far, including this request. */
  readonly retries: number
  /** Shortest and longest wait so far, excluding waits after a Retry-After. */
  readonly shortestMs: number
  readonly longestMs: number
}

/** A case of a finding, with its kind. */
export interface FindingCase {
  readonly kind: FindingKind
  readonly evidence: FindingEvidence
}

const REPEAT_FINDINGS: ReadonlyMap<number | undefined, FindingKind> = new Map([
  [400, 'repeated-400'],
  [401, 'repeated-401'],
  [402, 'repeated-402'],
  [404, 'repeated-404'],
])

/** Statuses that a retry cannot change. */
const PERMANENT_FAILURES: ReadonlySet<number | undefined> = new Set([400, 401, 404])

/** Returns true if the client should not repeat the request immediately, or not at all. */
export function isFailedRequest({ status, isAborted }: RequestObservation): boolean {
  return isAborted || status === 429 || (status !== undefined && status >= 500) || REPEAT_FINDINGS.has(status)
}

/** Returns true if the client may have received the end of `earlier` before it sent `later`. */
export function mayHaveReceivedOutcome(earlier: FailedRequest, later: RequestObservation): boolean {
  if (later.arrived.sequence < earlier.ended.sequence) return false
  // Requests on one connection are sequential. For in-process requests, the sequence numbers are sufficient.
  if (later.connection === earlier.connection) return true
  // A connection opened before the earlier response ended may have been opened for a parallel request.
  const hadConnection = later.isFirstOnConnection && (later.connection ?? 0) < earlier.ended.sequence
  if (PERMANENT_FAILURES.has(earlier.status) && !hadConnection) return true
  return later.arrived.atMs - earlier.ended.atMs >= MIN_REACTION_MS
}

/** Checks a request that repeats a failed request, and returns the violated rules. */
export function checkRetry(earlier: FailedRequest, later: RequestObservation): FindingCase[] {
  const { status } = earlier
  const kind = REPEAT_FINDINGS.get(status)
  const waitedMs = computeWaitMs(earlier, later)
  if (kind === undefined || earlier.isAborted) return checkRetryTiming(earlier, later, waitedMs)
  // A different status shows that the cause changed in between, so the retry was justified.
  if (later.status !== status || waitedMs > RETRY_WINDOW_MS) return []
  return [{ kind, evidence: createEvidence(earlier, later, { waitedMs }) }]
}

function checkRetryTiming(earlier: FailedRequest, later: RequestObservation, waitedMs: number): FindingCase[] {
  const cases: FindingCase[] = []
  const { retryAfterMs } = earlier
  const retries = earlier.retries + 1
  if (retryAfterMs !== undefined && waitedMs + TIMER_TOLERANCE_MS < retryAfterMs) {
    cases.push({
      kind: 'came-back-early',
      evidence: createEvidence(earlier, later, { waitedMs, toldToWaitMs: retryAfterMs }),
    })
  }
  if (retryAfterMs === undefined && lacksBackoff(earlier, retries, waitedMs)) {
    cases.push({ kind: 'no-backoff', evidence: createEvidence(earlier, later, { waitedMs, retries }) })
  }
  if (retries > MAX_RETRIES) {
    cases.push({ kind: 'too-many-retries', evidence: createEvidence(earlier, later, { waitedMs, retries }) })
  }
  return cases
}

function lacksBackoff(earlier: FailedRequest, retries: number, waitedMs: number): boolean {
  if (retries < 2) return false
  if (waitedMs < MIN_WAIT_MS) return true
  const shortestMs = Math.min(earlier.shortestMs, waitedMs)
  const longestMs = Math.max(earlier.longestMs, waitedMs)
  return retries >= 3 && waitedMs < LONG_WAIT_MS && longestMs < shortestMs * MIN_GROWTH
}

/**
 * Creates the record of a failed request.
 * @param earlier the failed request that this request repeats
 */
export function createFailedRequest(
  observation: RequestObservation,
  fingerprint: string,
  earlier: FailedRequest | undefined,
): FailedRequest {
  const { requestId, connection, ended, status, isAborted, retryAfterMs } = observation
  const outcome = { requestId, connection, ended, status, isAborted, retryAfterMs, fingerprint }
  if (earlier === undefined) return { ...outcome, retries: 0, shortestMs: Infinity, longestMs: 0 }
  const waitedMs = computeWaitMs(earlier, observation)
  const hadRetryAfter = earlier.retryAfterMs !== undefined
  return {
    ...outcome,
    retries: earlier.retries + 1,
    shortestMs: hadRetryAfter ? earlier.shortestMs : Math.min(earlier.shortestMs, waitedMs),
    longestMs: hadRetryAfter ? earlier.longestMs : Math.max(earlier.longestMs, waitedMs),
  }
}

/** Formats Unix milliseconds in ISO 8601 format. */
export function formatIsoTime(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

function computeWaitMs({ ended }: FailedRequest, later: RequestObservation): number {
  return later.arrived.atMs - ended.atMs
}

function createEvidence(
  earlier: FailedRequest,
  { requestId, atUnixMs }: RequestObservation,
  more: Partial<FindingEvidence>,
): FindingEvidence {
  const { waitedMs } = more
  const rounded = waitedMs === undefined ? {} : { waitedMs: Math.round(waitedMs * 1000) / 1000 }
  return { requestId, time: formatIsoTime(atUnixMs), earlierRequestId: earlier.requestId, ...more, ...rounded }
}
