import type { Evidence, FindingKind } from './findings.ts'
import type { RequestObservation } from './observation.ts'

/** A repetition after this time counts as a new attempt: the cause may have been removed, or the program restarted. */
export const REPEAT_WINDOW_MS = 60_000

/**
 * Minimum time until a repetition on another connection counts as a reaction. Parallel requests arrive one after
 * another, and the first may have failed before the last is read.
 */
const MIN_REACTION_MS = 25

/** Common clients retry twice. After five retries with backoff, half a minute has passed. */
const MAX_RETRIES = 5

/** Timers may fire this much early. */
const TIMER_TOLERANCE_MS = 5

/** Shorter waits count as no wait. Common clients start with 375 ms or more; the first retry may be immediate. */
const MIN_WAIT_MS = 100

/** From the third retry on, the longest wait must exceed the shortest by this factor. Any backoff with jitter does. */
const MIN_GROWTH = 1.5

/** Longer waits do not need to grow. */
const LONG_WAIT_MS = 10_000

/** The part of an observation that is kept; the request itself may be large. */
type ResponseOutcome = Pick<
  RequestObservation,
  'requestId' | 'connection' | 'ended' | 'status' | 'isAborted' | 'retryAfterMs'
>

/** A failed request, to be compared with later ones. */
export interface FailedRequest extends ResponseOutcome {
  readonly fingerprint: string
  /** Number of retries so far, this request included. */
  readonly retries: number
  /** Range of the waits so far, without those after a Retry-After. */
  readonly shortestMs: number
  readonly longestMs: number
}

/** A single case of a finding. */
export interface FindingCase {
  readonly kind: FindingKind
  readonly evidence: Evidence
}

const REPEAT_FINDINGS: ReadonlyMap<number | undefined, FindingKind> = new Map([
  [400, 'repeated-400'],
  [401, 'repeated-401'],
  [402, 'repeated-402'],
  [404, 'repeated-404'],
])

/** Statuses that a repetition cannot change. */
const PERMANENT_FAILURES: ReadonlySet<number | undefined> = new Set([400, 401, 404])

/** Returns true for a response after which the client should not repeat the request, or not immediately. */
export function isFailure({ status, isAborted }: RequestObservation): boolean {
  return isAborted || status === 429 || (status !== undefined && status >= 500) || REPEAT_FINDINGS.has(status)
}

/** Returns true if the client could know the outcome of `earlier` when it sent `later`. */
export function couldKnowOutcome(earlier: FailedRequest, later: RequestObservation): boolean {
  if (later.arrived.turn < earlier.ended.turn) return false
  // Requests on one connection are sequential. In process, the sequence numbers are sufficient.
  if (later.connection === earlier.connection) return true
  // A connection opened before the earlier response ended may have been opened for a parallel request.
  const hadConnection = later.isFirstOnConnection && (later.connection ?? 0) < earlier.ended.turn
  if (PERMANENT_FAILURES.has(earlier.status) && !hadConnection) return true
  return later.arrived.atMs - earlier.ended.atMs >= MIN_REACTION_MS
}

/** Checks a request that repeats a failed one. */
export function checkRepeat(earlier: FailedRequest, later: RequestObservation): FindingCase[] {
  const { status } = earlier
  const kind = REPEAT_FINDINGS.get(status)
  const waitedMs = computeWaitMs(earlier, later)
  if (kind === undefined || earlier.isAborted) return checkRetry(earlier, later, waitedMs)
  // It succeeded, or failed differently: the cause changed in between, so repeating it was right.
  if (later.status !== status || waitedMs > REPEAT_WINDOW_MS) return []
  return [{ kind, evidence: createEvidence(earlier, later, { waitedMs }) }]
}

function checkRetry(earlier: FailedRequest, later: RequestObservation, waitedMs: number): FindingCase[] {
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
 * @param earlier the failed request that it repeats
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

/** Formats a time as ISO 8601. */
export function formatTime(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

function computeWaitMs({ ended }: FailedRequest, later: RequestObservation): number {
  return later.arrived.atMs - ended.atMs
}

function createEvidence(
  earlier: FailedRequest,
  { requestId, atUnixMs }: RequestObservation,
  more: Partial<Evidence>,
): Evidence {
  const { waitedMs } = more
  const rounded = waitedMs === undefined ? {} : { waitedMs: Math.round(waitedMs * 1000) / 1000 }
  return { requestId, time: formatTime(atUnixMs), earlierRequestId: earlier.requestId, ...more, ...rounded }
}
