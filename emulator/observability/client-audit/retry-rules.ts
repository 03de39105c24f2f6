import { formatUnits } from '../../state/credits.ts'
import type { FindingEvidence, FindingKind } from './findings.ts'
import type { RequestObservation } from './observation.ts'

/**
 * Maximum time between a failure and a repeated request that counts as a retry. Later, the cause of the failure may
 * have disappeared, or the client may have restarted.
 */
export const RETRY_WINDOW_MS = 60_000

/**
 * Minimum time between a failure and a retry on a different connection. Parallel requests arrive shortly after one
 * another, and the first may fail before the emulator reads the last.
 */
const MIN_REACTION_MS = 25

/**
 * Number of retries above which the audit reports a finding. Common clients retry twice; five retries with backoff take
 * about half a minute.
 */
const MAX_RETRIES = 5

/** Tolerance for client timers that fire early. */
const TIMER_TOLERANCE_MS = 5

/**
 * Minimum wait before a retry that counts as backoff. Common clients wait at least 375 ms. The first retry may be
 * immediate.
 */
const MIN_WAIT_MS = 100

/**
 * Minimum ratio of the longest to the shortest wait, checked from the third retry on. Every exponential backoff with
 * jitter reaches it.
 */
const MIN_GROWTH = 1.5

/** Wait that is long enough for backoff. The audit does not expect longer waits. */
const LONG_WAIT_MS = 10_000

/** A request with which the audit compares later requests. */
export interface EarlierRequest extends Omit<RequestObservation, 'fingerprint'> {
  readonly fingerprint: string
  /** True if the client should wait before it repeats the request, or should not repeat it. */
  readonly isFailed: boolean
  /** Number of retries so far, including this request. */
  readonly retries: number
  /** Shortest wait so far in milliseconds, excluding waits after a Retry-After. */
  readonly shortestMs: number
  readonly longestMs: number
}

/** A violation of one rule by one request. */
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

/** Statuses that remain the same after a retry. */
const PERMANENT_FAILURES: ReadonlySet<number | undefined> = new Set([400, 401, 404])

/** Returns true if the client should wait before it repeats the request, or should not repeat it. */
export function isFailedRequest({ status, isAborted }: RequestObservation): boolean {
  return isAborted || status === 429 || (status !== undefined && status >= 500) || REPEAT_FINDINGS.has(status)
}

/** Returns true if the client may have received the end of `earlier` before it sent `later`. */
export function mayHaveReceivedOutcome(earlier: EarlierRequest, later: RequestObservation): boolean {
  if (later.arrived.sequence < earlier.ended.sequence) return false
  // Requests on one connection are sequential. In-process requests have no connection; their sequence numbers have been
  // compared above.
  if (later.connection === earlier.connection) return true
  // The client may have opened this connection for a parallel request, before the earlier response ended.
  const hadConnection = later.isFirstOnConnection && (later.connection ?? 0) < earlier.ended.sequence
  // A client knows at once that it has disconnected, or that the emulator has closed the connection.
  const isKnownAtOnce = PERMANENT_FAILURES.has(earlier.status) || earlier.isIncomplete
  if (isKnownAtOnce && !hadConnection) return true
  return later.arrived.atMs - earlier.ended.atMs >= MIN_REACTION_MS
}

/** Checks a request that repeats a failed request. Returns the violated rules. */
export function checkRetry(earlier: EarlierRequest, later: RequestObservation): FindingCase[] {
  const { status } = earlier
  if (!earlier.isFailed) return []
  const kind = REPEAT_FINDINGS.get(status)
  const waitedMs = computeWaitMs(earlier, later)
  if (kind === undefined || earlier.isAborted) return checkRetryTiming(earlier, later, waitedMs)
  // A different status shows that the cause has changed, so the retry was justified.
  if (later.status !== status || waitedMs > RETRY_WINDOW_MS) return []
  return [{ kind, evidence: createEvidence(earlier, later, { waitedMs }) }]
}

/**
 * Checks whether a request is certainly a retry of a charged request. It is one if it declares to be, or if every
 * request that it may repeat was charged and its response did not reach the client.
 * @param candidates failed and aborted requests that `later` may repeat
 * @param earliest the candidate that the audit compares with `later`
 * @param declared charged request that `later` declares to repeat
 */
export function checkRepeatedCharge(
  candidates: readonly EarlierRequest[],
  earliest: EarlierRequest | undefined,
  declared: EarlierRequest | undefined,
  later: RequestObservation,
): FindingCase[] {
  const isLost = candidates.every(({ chargedUnits }) => chargedUnits > 0)
  const isInWindow = earliest !== undefined && computeWaitMs(earliest, later) <= RETRY_WINDOW_MS
  const earlier = isLost && isInWindow ? earliest : declared
  if (earlier === undefined) return []
  const evidence = { waitedMs: computeWaitMs(earlier, later), charged: formatUnits(earlier.chargedUnits) }
  return [{ kind: 'repeated-charged-request', evidence: createEvidence(earlier, later, evidence) }]
}

function checkRetryTiming(earlier: EarlierRequest, later: RequestObservation, waitedMs: number): FindingCase[] {
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

function lacksBackoff(earlier: EarlierRequest, retries: number, waitedMs: number): boolean {
  if (retries < 2) return false
  if (waitedMs < MIN_WAIT_MS) return true
  const shortestMs = Math.min(earlier.shortestMs, waitedMs)
  const longestMs = Math.max(earlier.longestMs, waitedMs)
  return retries >= 3 && waitedMs < LONG_WAIT_MS && longestMs < shortestMs * MIN_GROWTH
}

/**
 * Creates the record of a request for comparison with later requests.
 * @param earlier the request that this request repeats, if any
 */
export function createEarlierRequest(
  observation: RequestObservation,
  fingerprint: string,
  earlier: EarlierRequest | undefined,
): EarlierRequest {
  // The function that computes the fingerprint is not kept, because it keeps the request, which may be large.
  const outcome = { ...observation, fingerprint, isFailed: isFailedRequest(observation) }
  if (earlier?.isFailed !== true) return { ...outcome, retries: 0, shortestMs: Infinity, longestMs: 0 }
  const waitedMs = computeWaitMs(earlier, observation)
  const hadRetryAfter = earlier.retryAfterMs !== undefined
  return {
    ...outcome,
    retries: earlier.retries + 1,
    shortestMs: hadRetryAfter ? earlier.shortestMs : Math.min(earlier.shortestMs, waitedMs),
    longestMs: hadRetryAfter ? earlier.longestMs : Math.max(earlier.longestMs, waitedMs),
  }
}

export function formatIsoTime(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

function computeWaitMs({ ended }: EarlierRequest, later: RequestObservation): number {
  return later.arrived.atMs - ended.atMs
}

function createEvidence(
  earlier: EarlierRequest,
  { requestId, atUnixMs }: RequestObservation,
  more: Partial<FindingEvidence>,
): FindingEvidence {
  const { waitedMs } = more
  const rounded = waitedMs === undefined ? {} : { waitedMs: Math.round(waitedMs * 1000) / 1000 }
  return { requestId, time: formatIsoTime(atUnixMs), earlierRequestId: earlier.requestId, ...more, ...rounded }
}
