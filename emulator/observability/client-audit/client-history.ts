import { DeclaredRetries, hasRetryHeader } from './declared-retries.ts'
import { FINDING_SENTENCES, type FindingEvidence, type Finding, type FindingKind } from './findings.ts'
import {
  isFailedRequest,
  mayHaveReceivedOutcome,
  checkRetry,
  checkRepeatedCharge,
  RETRY_WINDOW_MS,
  formatIsoTime,
  createEarlierRequest,
  type EarlierRequest,
} from './retry-rules.ts'
import type { RequestObservation } from './observation.ts'

/**
 * Maximum number of failed and aborted requests kept per client to recognize retries. Beyond it, the history drops the
 * oldest one.
 */
const MAX_EARLIER_REQUESTS = 256

/** Maximum number of cases stored per kind of finding. Further cases are only counted. */
const MAX_EVIDENCE = 5

/**
 * Time for which the history remembers a request, counted from the earliest allowed retry. Later identical
 * requests do not count as retries.
 */
const REPEAT_TIMEOUT_MS = 10 * RETRY_WINDOW_MS

/**
 * Evaluates the requests of one client in the order of observation. All times come from the observations, not from a
 * clock.
 */
export class ClientHistory {
  requests = 0
  readonly #findings = new Map<FindingKind, { count: number; evidence: FindingEvidence[] }>()
  /** Requests that failed, or whose response did not reach the client. */
  #earlier: EarlierRequest[] = []
  readonly #declared = new DeclaredRetries()

  observe(observation: RequestObservation): void {
    this.requests += 1
    if (observation.hasAbortedStream) this.#add('left-stream', createSimpleEvidence(observation))
    if (observation.hasSecretInUrl) this.#add('secret-in-url', createSimpleEvidence(observation))

    // A request whose client disconnected before the emulator read its body is free, and no other body can equal an
    // unknown one. If the history kept the request, every later request would need a fingerprint.
    const isKept = isFailedRequest(observation) || (observation.isIncomplete && observation.hasBody)
    const isDeclared = hasRetryHeader(observation)
    // Fingerprints are needed only if a request may be a retry.
    if (!isKept && !isDeclared && this.#earlier.length === 0) return
    const fingerprint = observation.fingerprint()
    const candidates = this.#findRepeated(fingerprint, observation)
    const earlier = this.#removeEarliest(candidates)
    const declared = isDeclared ? this.#declared.removeRepeated(fingerprint, observation) : undefined
    const cases = [
      ...(earlier === undefined ? [] : checkRetry(earlier, observation)),
      ...checkRepeatedCharge(candidates, earlier, declared, observation),
    ]
    for (const { kind, evidence } of cases) this.#add(kind, evidence)
    if (!isKept && !isDeclared) return
    const request = createEarlierRequest(observation, fingerprint, earlier)
    if (isDeclared) this.#declared.add(request)
    if (!isKept) return
    if (this.#earlier.length === MAX_EARLIER_REQUESTS) this.#earlier.shift()
    this.#earlier.push(request)
  }

  getFindings(): Finding[] {
    return [...this.#findings].map(([kind, { count, evidence }]) => ({
      kind,
      sentence: FINDING_SENTENCES[kind],
      count,
      evidence: [...evidence],
    }))
  }

  /** Finds the failed and aborted requests of which `later` may be a retry. */
  #findRepeated(fingerprint: string, later: RequestObservation): readonly EarlierRequest[] {
    const nowMs = later.arrived.atMs
    this.#earlier = this.#earlier.filter((one) => nowMs - getEarliestRetryMs(one) < REPEAT_TIMEOUT_MS)
    return this.#earlier.filter((one) => one.fingerprint === fingerprint && mayHaveReceivedOutcome(one, later))
  }

  /**
   * Removes and returns the candidate whose retry is allowed earliest, so that ambiguous cases favour the client. Counts
   * at most one retry of each request, so parallel identical requests have separate retries. Prefers failed requests,
   * which clients retry more often.
   */
  #removeEarliest(candidates: readonly EarlierRequest[]): EarlierRequest | undefined {
    const failed = candidates.filter(({ isFailed }) => isFailed)
    let best: EarlierRequest | undefined
    for (const one of failed.length > 0 ? failed : candidates) {
      if (best === undefined || getEarliestRetryMs(one) < getEarliestRetryMs(best)) best = one
    }
    if (best !== undefined) this.#earlier.splice(this.#earlier.indexOf(best), 1)
    return best
  }

  #add(kind: FindingKind, evidence: FindingEvidence): void {
    const found = this.#findings.get(kind) ?? { count: 0, evidence: [] }
    found.count += 1
    if (found.evidence.length < MAX_EVIDENCE) found.evidence.push(evidence)
    this.#findings.set(kind, found)
  }
}

function createSimpleEvidence({ requestId, atUnixMs }: RequestObservation): FindingEvidence {
  return { requestId, time: formatIsoTime(atUnixMs) }
}

function getEarliestRetryMs({ ended, retryAfterMs }: EarlierRequest): number {
  return ended.atMs + (retryAfterMs ?? 0)
}
