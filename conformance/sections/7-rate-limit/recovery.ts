import { type CheckContext, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { isOutcome, type Outcome } from '../../findings/outcome.ts'
import { calculateMaxBurstCost } from '../shared/operation.ts'
import { isRateLimited, provokeLimit, sendBurst, sendFreshBurst } from './rate-limit-burst.ts'
import { parseRetryAfterSeconds } from '../shared/response-access.ts'

const MAX_WAIT_S = 30
/** Pauses before further retries, in seconds. Rejected requests may also count against the limit. */
const FURTHER_WAITS_S = [1, 5, 5, 5, 5, 5, 5]

export const recoveryCheck = defineCheck({
  id: '7/recovery',
  requirement: '7/429-habits',
  title: 'serves the key again within a second of the time in Retry-After',
  operation: 'chat',
  needs: ['chatModel', 'limited'],
  // At most three bursts, with one retry beside other checks after the first, and several alone after the others.
  ...calculateMaxBurstCost(3, 3 + 2 * FURTHER_WAITS_S.length),
  first: true,
  async run(context) {
    const first = await testRecovery(context, false)
    if (first.outcome.verdict !== 'pass' || first.waitS > MAX_WAIT_S / 2) return first.outcome
    // The first burst has used up the limit, so the second measurement is exact.
    const second = await testRecovery(context, first.isAlone)
    return second.outcome.verdict === 'warn' ? second.outcome : first.outcome
  },
})

interface Recovery {
  readonly outcome: Outcome
  /** Whether no other check sent requests at the same time. */
  readonly isAlone: boolean
  /** Longest Retry-After of the burst, in seconds: 1 without a Retry-After, and 0 without a 429. */
  readonly waitS: number
}

/** Sends a burst, then retries in parallel with other checks. If the retry fails, starts over and runs alone. */
async function testRecovery(context: CheckContext, isAlone: boolean): Promise<Recovery> {
  const recover = async (limited: readonly Exchange[] | Outcome, waits: readonly number[]): Promise<Recovery> => ({
    outcome: await awaitRecovery(context, limited, waits),
    isAlone: waits.length > 0,
    waitS: isOutcome(limited) ? 0 : (longestWait(limited) ?? 1),
  })
  const beside = isAlone
    ? undefined
    : await recover(await context.alone(() => provokeLimit(context, sendFreshBurst)), [])
  return beside?.outcome.verdict === 'pass'
    ? beside
    : context.alone(async () => recover(await provokeLimit(context, sendBurst), FURTHER_WAITS_S))
}

const RECOVERY: Expectation = { rule: 'recovery' }

const CONSEQUENCE = 'clients that wait for Retry-After give up after two retries: the request is lost'

/**
 * Waits for the time in Retry-After, at least 1 s, then retries. The outcome is not testable if that time exceeds 30 s.
 * If `furtherWaits` contains pauses, continues to retry for up to 31 s in total, because a single retry might fail by
 * chance.
 */
async function awaitRecovery(
  { chat, wait, limitedBurst }: CheckContext,
  limited: readonly Exchange[] | Outcome,
  furtherWaits: readonly number[],
): Promise<Outcome> {
  if (isOutcome(limited)) return limited
  const retryAfterS = longestWait(limited)
  if (retryAfterS !== undefined && retryAfterS > MAX_WAIT_S) {
    return expect.markNotTestable({ code: 'key-rate-limited', params: { key: 'limited', retryAfterS } })
  }
  const firstWait = Math.max(retryAfterS ?? 1, 1)
  const show = (outcome: Outcome, last: Exchange): Outcome => {
    const burst = limited.slice(0, 1).flatMap((first) => Array.from({ length: limitedBurst }, () => first))
    return outcome.verdict === 'warn' ? { ...outcome, sequence: [...burst, last], pauseS: firstWait } : outcome
  }
  let waitedS = 0
  let last = limited[0]
  for (const pause of [firstWait, ...furtherWaits]) {
    if (waitedS + pause > MAX_WAIT_S + 1) break
    await wait(pause * 1000)
    waitedS += pause
    const response = await chat({}, { key: 'limited' })
    last = response
    if (furtherWaits.length === 0 && wasLate(response, limited, waitedS)) {
      return expect.markNoEvidence('timely-retry')
    }
    if (expect.isServed(response)) return show(expectTimely(retryAfterS, waitedS, waitedS > firstWait + 1), response)
    if (!isRateLimited(response)) {
      return expect.markNotTestable({
        code: 'key-rejected',
        params: { key: 'limited', ...expect.getResponseParams(response) },
      })
    }
  }
  // Without Retry-After, the target does not state when it accepts requests again.
  return retryAfterS === undefined || last === undefined
    ? expect.markNoEvidence('retry-after')
    : show(expect.warn(RECOVERY, { code: 'not-recovered', params: { waitedS } }, CONSEQUENCE), last)
}

/** Returns whether the engine sent the retry more than one second later than planned. */
function wasLate({ startedAtMs }: Exchange, limited: readonly Exchange[], waited: number): boolean {
  const burstEndMs = Math.max(...limited.map((response) => response.startedAtMs + response.totalMs))
  return startedAtMs - burstEndMs > (waited + 1) * 1000
}

/** Returns the longest Retry-After of a burst, in seconds: targets may tell later requests to wait longer. */
function longestWait(limited: readonly Exchange[]): number | undefined {
  const seconds = limited.map(parseRetryAfterSeconds).filter((value) => value !== undefined)
  return seconds.length === 0 ? undefined : Math.max(...seconds)
}

/** Expects the target to serve the key again after the time of Retry-After. Without Retry-After, accepts any time. */
function expectTimely(retryAfterS: number | undefined, waitedS: number, isLate: boolean): Outcome {
  if (retryAfterS === undefined) return expect.pass(RECOVERY, { kind: 'recovered', waitedS })
  const seconds = Math.ceil(retryAfterS)
  return isLate
    ? expect.warn(RECOVERY, { code: 'not-recovered', params: { waitedS, retryAfterS: seconds } }, CONSEQUENCE)
    : expect.pass(RECOVERY, { kind: 'recovered', waitedS: Math.ceil(waitedS), retryAfterS: seconds })
}
