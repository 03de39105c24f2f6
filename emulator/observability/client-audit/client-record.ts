import { MISCONDUCT, type Evidence, type Finding, type Misconduct } from './finding.ts'
import {
  canKnowOf,
  isUnserved,
  judgeRepeat,
  REPEAT_WINDOW_MS,
  timeOf,
  toUnserved,
  type Unserved,
} from './retry-rules.ts'
import type { Observation } from './observation.ts'

/** Unserved requests of one client that are waited for to come again. Of more, the oldest are forgotten. */
const MOST_UNSERVED = 256

/** Cases of each kind that are kept in full; the others are counted. */
const MOST_EVIDENCE = 5

/** An unserved request that is not repeated within this time after it may be, was given up. */
const GIVEN_UP_AFTER_MS = 10 * REPEAT_WINDOW_MS

/**
 * What the requests of one client, taken in one after another, say of it. Depends on nothing but them: time is what they
 * tell.
 */
export class ClientRecord {
  requests = 0
  readonly #found = new Map<Misconduct, { count: number; evidence: Evidence[] }>()
  #unserved: Unserved[] = []

  observe(observation: Observation): void {
    this.requests += 1
    if (observation.hasLeftStream) this.#add('left-stream', simpleEvidence(observation))
    if (observation.hasSecretInUrl) this.#add('secret-in-url', simpleEvidence(observation))

    const isTrouble = isUnserved(observation)
    if (!isTrouble && this.#unserved.length === 0) return // the usual case costs no fingerprint
    const fingerprint = observation.fingerprint()
    const earlier = this.#takeRepeated(fingerprint, observation)
    if (earlier !== undefined) {
      for (const { kind, evidence } of judgeRepeat(earlier, observation)) this.#add(kind, evidence)
    }
    if (!isTrouble) return
    if (this.#unserved.length === MOST_UNSERVED) this.#unserved.shift()
    this.#unserved.push(toUnserved(observation, fingerprint, earlier))
  }

  /** What was found so far. */
  findings(): Finding[] {
    return [...this.#found].map(([kind, { count, evidence }]) => ({
      kind,
      sentence: MISCONDUCT[kind],
      count,
      evidence: [...evidence],
    }))
  }

  /**
   * The unserved request that this one repeats. Each is repeated once, so that of many alike that were sent at once, each
   * has retries of its own; of several, the one is taken that speaks best for the client: it may come back soonest.
   */
  #takeRepeated(fingerprint: string, later: Observation): Unserved | undefined {
    const nowMs = later.arrived.atMs
    this.#unserved = this.#unserved.filter((one) => nowMs - mayReturnAtMs(one) < GIVEN_UP_AFTER_MS)
    let best: Unserved | undefined
    for (const one of this.#unserved) {
      if (one.fingerprint !== fingerprint || !canKnowOf(one, later)) continue
      if (best === undefined || mayReturnAtMs(one) < mayReturnAtMs(best)) best = one
    }
    if (best !== undefined) this.#unserved.splice(this.#unserved.indexOf(best), 1)
    return best
  }

  #add(kind: Misconduct, evidence: Evidence): void {
    const found = this.#found.get(kind) ?? { count: 0, evidence: [] }
    found.count += 1
    if (found.evidence.length < MOST_EVIDENCE) found.evidence.push(evidence)
    this.#found.set(kind, found)
  }
}

function simpleEvidence({ requestId, atUnixMs }: Observation): Evidence {
  return { requestId, time: timeOf(atUnixMs) }
}

function mayReturnAtMs({ answered, toldToWaitMs }: Unserved): number {
  return answered.atMs + (toldToWaitMs ?? 0)
}
