import type { Evidence, FindingKind } from './findings.ts'
import type { RequestObservation } from './observation.ts'

/** After this time a repetition is a new attempt: somebody may have put things right, or started the program anew. */
export const REPEAT_WINDOW_MS = 60_000

/**
 * A repetition of what met a limit counts as a reaction to it, when it comes by another connection, only this much later:
 * many alike that are sent at once arrive one after another, and the first may be refused before the last is read.
 */
const MIN_REACTION_MS = 25

/** Common clients retry twice; after five retries with backoff, half a minute has passed and a person should know. */
const MAX_RETRIES = 5

/** Timers may fire that much early. */
const TIMER_TOLERANCE_MS = 5

/** Below this, nothing was waited. Common clients begin with 375 ms or more; the first retry may come at once. */
const MIN_WAIT_MS = 100

/** From the third retry on, the longest wait should be this much longer than the shortest; any backoff with jitter is. */
const MIN_GROWTH = 1.5

/** Waits that are longer than this need not grow. */
const LONG_WAIT_MS = 10_000

/** What is remembered of an observation: not the request itself, which may be large. */
type ResponseOutcome = Pick<
  RequestObservation,
  'requestId' | 'connection' | 'ended' | 'status' | 'isAborted' | 'retryAfterMs'
>

/** A request that was not served, as the next one of its kind is held against it. */
export interface FailedRequest extends ResponseOutcome {
  readonly fingerprint: string
  /** How many times it had been retried before, this one included. */
  readonly retries: number
  /** Waits so far, where none was told. */
  readonly shortestMs: number
  readonly longestMs: number
}

/** A finding in the making. */
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

/** Nothing but another request can help. */
const PERMANENT_FAILURES: ReadonlySet<number | undefined> = new Set([400, 401, 404])

/** Tells whether a client should not, or not at once, send this request again. */
export function isFailure({ status, isAborted }: RequestObservation): boolean {
  return isAborted || status === 429 || (status !== undefined && status >= 500) || REPEAT_FINDINGS.has(status)
}

/** Tells whether `later` can be taken to be sent in the knowledge of how `earlier` was answered. */
export function couldKnowOutcome(earlier: FailedRequest, later: RequestObservation): boolean {
  if (later.arrived.turn < earlier.ended.turn) return false
  // On one connection requests follow each other; in process, turns say it all.
  if (later.connection === earlier.connection) return true
  // Whoever had opened a connection for it did not know yet; whoever takes a used one has read what came before.
  const hadConnection = later.isFirstOnConnection && (later.connection ?? 0) < earlier.ended.turn
  if (PERMANENT_FAILURES.has(earlier.status) && !hadConnection) return true
  return later.arrived.atMs - earlier.ended.atMs >= MIN_REACTION_MS
}

/** Judges a request that was sent again after it had not been served. */
export function checkRepeat(earlier: FailedRequest, later: RequestObservation): FindingCase[] {
  const { status } = earlier
  const kind = REPEAT_FINDINGS.get(status)
  const waitedMs = computeWaitMs(earlier, later)
  if (kind === undefined || earlier.isAborted) return checkRetry(earlier, later, waitedMs)
  // Served now: something was put right in between, and the client was right to come again.
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

/** What is remembered of a request that was not served; `earlier`: the one that it repeats. */
export function createFailedRequest(
  observation: RequestObservation,
  fingerprint: string,
  earlier: FailedRequest | undefined,
): FailedRequest {
  const { requestId, connection, ended, status, isAborted, retryAfterMs } = observation
  const known = { requestId, connection, ended, status, isAborted, retryAfterMs, fingerprint }
  if (earlier === undefined) return { ...known, retries: 0, shortestMs: Infinity, longestMs: 0 }
  const waitedMs = computeWaitMs(earlier, observation)
  const wasTold = earlier.retryAfterMs !== undefined
  return {
    ...known,
    retries: earlier.retries + 1,
    shortestMs: wasTold ? earlier.shortestMs : Math.min(earlier.shortestMs, waitedMs),
    longestMs: wasTold ? earlier.longestMs : Math.max(earlier.longestMs, waitedMs),
  }
}

/** ISO 8601. */
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
