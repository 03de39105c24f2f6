import type { Evidence, Misconduct } from './finding.ts'
import type { Observation } from './observation.ts'

/** After this time a repetition is a new attempt: somebody may have put things right, or started the program anew. */
export const REPEAT_WINDOW_MS = 60_000

/**
 * A repetition of what met a limit counts as a reaction to it, when it comes by another connection, only this much later:
 * many alike that are sent at once arrive one after another, and the first may be refused before the last is read.
 */
const REACTION_MS = 25

/** Common clients retry twice; after five retries with backoff, half a minute has passed and a person should know. */
const MOST_RETRIES = 5

/** Timers may fire that much early. */
const EARLY_TOLERANCE_MS = 5

/** Below this, nothing was waited. Common clients begin with 375 ms or more; the first retry may come at once. */
const LEAST_WAIT_MS = 100

/** From the third retry on, the longest wait should be this much longer than the shortest; any backoff with jitter is. */
const LEAST_GROWTH = 1.5

/** Waits that are longer than this need not grow. */
const LONG_WAIT_MS = 10_000

/** What is remembered of an observation: not the request itself, which may be large. */
type Answered = Pick<Observation, 'requestId' | 'channel' | 'answered' | 'status' | 'isBrokenOff' | 'toldToWaitMs'>

/** A request that was not served, as the next one of its kind is held against it. */
export interface Unserved extends Answered {
  readonly fingerprint: string
  /** How many times it had been retried before, this one included. */
  readonly retries: number
  /** Waits so far, where none was told. */
  readonly shortestMs: number
  readonly longestMs: number
}

/** A finding in the making. */
export interface Case {
  readonly kind: Misconduct
  readonly evidence: Evidence
}

const REPEATED: ReadonlyMap<number | undefined, Misconduct> = new Map([
  [400, 'repeated-400'],
  [401, 'repeated-401'],
  [402, 'repeated-402'],
  [404, 'repeated-404'],
])

/** Nothing but another request can help. */
const ALWAYS_WRONG: ReadonlySet<number | undefined> = new Set([400, 401, 404])

/** Tells whether a client should not, or not at once, send this request again. */
export function isUnserved({ status, isBrokenOff }: Observation): boolean {
  return isBrokenOff || status === 429 || (status !== undefined && status >= 500) || REPEATED.has(status)
}

/** Tells whether `later` can be taken to be sent in the knowledge of how `earlier` was answered. */
export function canKnowOf(earlier: Unserved, later: Observation): boolean {
  if (later.arrived.turn < earlier.answered.turn) return false
  // On one connection requests follow each other; in process, turns say it all.
  if (later.channel === earlier.channel) return true
  // Whoever had opened a connection for it did not know yet; whoever takes a used one has read what came before.
  const hadConnection = later.isFirstOnChannel && (later.channel ?? 0) < earlier.answered.turn
  if (ALWAYS_WRONG.has(earlier.status) && !hadConnection) return true
  return later.arrived.atMs - earlier.answered.atMs >= REACTION_MS
}

/** Judges a request that was sent again after it had not been served. */
export function judgeRepeat(earlier: Unserved, later: Observation): Case[] {
  const { status } = earlier
  const kind = REPEATED.get(status)
  const waitedMs = waitBetween(earlier, later)
  if (kind === undefined || earlier.isBrokenOff) return judgeRetry(earlier, later, waitedMs)
  // Served now: something was put right in between, and the client was right to come again.
  if (later.status !== status || waitedMs > REPEAT_WINDOW_MS) return []
  return [{ kind, evidence: evidenceOf(earlier, later, { waitedMs }) }]
}

function judgeRetry(earlier: Unserved, later: Observation, waitedMs: number): Case[] {
  const cases: Case[] = []
  const { toldToWaitMs } = earlier
  const retries = earlier.retries + 1
  if (toldToWaitMs !== undefined && waitedMs + EARLY_TOLERANCE_MS < toldToWaitMs) {
    cases.push({ kind: 'came-back-early', evidence: evidenceOf(earlier, later, { waitedMs, toldToWaitMs }) })
  }
  if (toldToWaitMs === undefined && hasNoBackoff(earlier, retries, waitedMs)) {
    cases.push({ kind: 'no-backoff', evidence: evidenceOf(earlier, later, { waitedMs, retries }) })
  }
  if (retries > MOST_RETRIES) {
    cases.push({ kind: 'too-many-retries', evidence: evidenceOf(earlier, later, { waitedMs, retries }) })
  }
  return cases
}

function hasNoBackoff(earlier: Unserved, retries: number, waitedMs: number): boolean {
  if (retries < 2) return false
  if (waitedMs < LEAST_WAIT_MS) return true
  const shortestMs = Math.min(earlier.shortestMs, waitedMs)
  const longestMs = Math.max(earlier.longestMs, waitedMs)
  return retries >= 3 && waitedMs < LONG_WAIT_MS && longestMs < shortestMs * LEAST_GROWTH
}

/** What is remembered of a request that was not served; `earlier`: the one that it repeats. */
export function toUnserved(observation: Observation, fingerprint: string, earlier: Unserved | undefined): Unserved {
  const { requestId, channel, answered, status, isBrokenOff, toldToWaitMs } = observation
  const known = { requestId, channel, answered, status, isBrokenOff, toldToWaitMs, fingerprint }
  if (earlier === undefined) return { ...known, retries: 0, shortestMs: Infinity, longestMs: 0 }
  const waitedMs = waitBetween(earlier, observation)
  const wasTold = earlier.toldToWaitMs !== undefined
  return {
    ...known,
    retries: earlier.retries + 1,
    shortestMs: wasTold ? earlier.shortestMs : Math.min(earlier.shortestMs, waitedMs),
    longestMs: wasTold ? earlier.longestMs : Math.max(earlier.longestMs, waitedMs),
  }
}

/** ISO 8601. */
export function timeOf(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

function waitBetween({ answered }: Unserved, later: Observation): number {
  return later.arrived.atMs - answered.atMs
}

function evidenceOf(earlier: Unserved, { requestId, atUnixMs }: Observation, more: Partial<Evidence>): Evidence {
  const { waitedMs } = more
  const rounded = waitedMs === undefined ? {} : { waitedMs: Math.round(waitedMs * 1000) / 1000 }
  return { requestId, time: timeOf(atUnixMs), earlierRequestId: earlier.requestId, ...more, ...rounded }
}
