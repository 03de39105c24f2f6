import { FINDING_SENTENCES, type FindingEvidence, type Finding, type FindingKind } from './findings.ts'
import {
  mayHaveReceivedOutcome,
  isFailedRequest,
  checkRetry,
  RETRY_WINDOW_MS,
  formatIsoTime,
  createFailedRequest,
  type FailedRequest,
} from './retry-rules.ts'
import type { RequestObservation } from './observation.ts'

/** Maximum number of failed requests kept per client to recognize retries. Beyond it, the history drops the oldest failed request. */
const MAX_FAILED_REQUESTS = 256

/** Maximum number of cases stored per kind of finding. Further cases are only counted. */
const MAX_EVIDENCE = 5

/**
 * Time for which the history remembers a failed request, counted from the earliest allowed retry. Later identical
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
  #failed: FailedRequest[] = []

  observe(observation: RequestObservation): void {
    this.requests += 1
    if (observation.hasAbortedStream) this.#add('left-stream', createSimpleEvidence(observation))
    if (observation.hasSecretInUrl) this.#add('secret-in-url', createSimpleEvidence(observation))

    const hasFailed = isFailedRequest(observation)
    if (!hasFailed && this.#failed.length === 0) return // Fingerprints are needed only after a failure.
    const fingerprint = observation.fingerprint()
    const earlier = this.#removeRepeated(fingerprint, observation)
    if (earlier !== undefined) {
      for (const { kind, evidence } of checkRetry(earlier, observation)) this.#add(kind, evidence)
    }
    if (!hasFailed) return
    if (this.#failed.length === MAX_FAILED_REQUESTS) this.#failed.shift()
    this.#failed.push(createFailedRequest(observation, fingerprint, earlier))
  }

  getFindings(): Finding[] {
    return [...this.#findings].map(([kind, { count, evidence }]) => ({
      kind,
      sentence: FINDING_SENTENCES[kind],
      count,
      evidence: [...evidence],
    }))
  }

  /**
   * Removes and returns the failed request that `later` retries. Counts at most one retry of each failed request, so
   * parallel identical requests have separate retries. Of several candidates, selects the one whose retry is allowed
   * earliest, so that ambiguous cases favour the client.
   */
  #removeRepeated(fingerprint: string, later: RequestObservation): FailedRequest | undefined {
    const nowMs = later.arrived.atMs
    this.#failed = this.#failed.filter((one) => nowMs - getEarliestRetryMs(one) < REPEAT_TIMEOUT_MS)
    let best: FailedRequest | undefined
    for (const one of this.#failed) {
      if (one.fingerprint !== fingerprint || !mayHaveReceivedOutcome(one, later)) continue
      if (best === undefined || getEarliestRetryMs(one) < getEarliestRetryMs(best)) best = one
    }
    if (best !== undefined) this.#failed.splice(this.#failed.indexOf(best), 1)
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

function getEarliestRetryMs({ ended, retryAfterMs }: FailedRequest): number {
  return ended.atMs + (retryAfterMs ?? 0)
}
