import { type Check, type CheckContext, defineCheck } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Expectation, Outcome } from '../outcomes/outcome.ts'
import { expectErrorBody } from './7-error-body.ts'
import { costOfBursts } from './operation.ts'
import { retryAfterSeconds } from './read.ts'

const MAX_WAIT_S = 30
/** Pause in milliseconds before further retries: a rejected request may count against the limit too. */
const FURTHER_WAITS_S = [1, 5, 5, 5, 5, 5, 5]

/** Pauses between retries after the first one, which waits as Retry-After says. */
const PAUSE_S = 5

/** Upper bound of the requests that find out why a burst got 402s. */
const MAX_TRIES = 2 + MAX_WAIT_S / PAUSE_S

/** The limited key may have no credits: its 402s prove nothing about limits. */
const NO_CREDITS = expect.notTestable({ code: 'key-rejected', params: { key: 'limited', actualStatus: 402 } })

/** Requests are sent in parallel: sequential requests to a slow target never exceed a limit. */
function burst({ chat, limitedBurst }: CheckContext): Promise<readonly Exchange[]> {
  return Promise.all(Array.from({ length: limitedBurst }, () => chat({}, { key: 'limited' })))
}

function isLimited(response: Exchange): boolean {
  return response.error === undefined && response.status === 429
}

/** If the target rejects the limited key, the burst proves nothing about limits. */
function uselessKey(responses: readonly Exchange[]): Outcome | undefined {
  const rejected = responses.find(({ status }) => status === 401 || status === 402)
  // A key that was served once in the burst is valid, but may have run out of credits.
  const isValid = responses.some(expect.served)
  if (rejected === undefined || (isValid && rejected.status === 401)) return undefined
  return expect.notTestable({ code: 'key-rejected', params: { key: 'limited', ...expect.paramsOf(rejected) } })
}

export const limitExceeded = defineCheck({
  id: '7/rate-limit-exceeded',
  requirement: '7/429',
  title: 'rejects a burst beyond the limit of a key with 429',
  operation: 'chat',
  needs: ['chatModel', 'limitedKey', 'burst'],
  ...costOfBursts(2, 1 + MAX_TRIES),
  alone: true,
  async run(context) {
    return (await expectLimitedBurst(context)) ?? (await expectLimitedBurst(context)) ?? NO_CREDITS
  },
})

/** @returns undefined if this came too late to explain the responses: the next burst may show more */
async function expectLimitedBurst(context: CheckContext): Promise<Outcome | undefined> {
  const responses = await burst(context)
  const requests = responses.length
  const expected: Expectation = { limitedRequests: requests }
  const broken = responses.find((response) => !expect.served(response) && ![401, 402, 429].includes(response.status))
  if (broken !== undefined) return expectServedOrLimited(broken, requests)
  const limited = responses.filter(isLimited).length
  const rejected = responses.filter(({ status }) => status === 401).length
  if (rejected > 0 && responses.some(expect.served)) {
    const params = { requests, rejected, actualStatus: 401 }
    return expect.failed(expected, { code: 'limit-not-enforced', params })
  }
  if (limited > 0) return expect.passed(expected, { kind: 'limited', limited, requests })
  if (responses.some(({ status }) => status === 402)) return expectNoLimitAs402(context, responses, expected)
  return (
    uselessKey(responses) ?? expect.failed(expected, { code: 'limit-not-enforced', params: { requests, rejected } })
  )
}

/** Every request of the burst is valid: the target may only serve it, or reject it with 429. */
function expectServedOrLimited(response: Exchange, requests: number): Outcome {
  if (response.error !== undefined || response.status >= 500) return expect.success(response)
  return expect.about({ parallel: requests }, expect.failed({ status: ['2xx', 429] }, expect.unexpected(response)))
}

/**
 * Interprets a burst in which some chats were served and the others got a 402 instead of a 429. If a single chat
 * without parallel requests gets a 402 as well, the credits are used up. If the key is served again after a pause, it
 * had credits all the time, and the 402s stood for a limit.
 * @returns undefined if the single chat did not get a 402: it came too late to decide
 */
async function expectNoLimitAs402(
  { chat, keys, wait }: CheckContext,
  responses: readonly Exchange[],
  expected: Expectation,
): Promise<Outcome | undefined> {
  if (!responses.some(expect.served)) return whichKey({ chat, keys })
  const single = await chat({}, { key: 'limited' })
  if (single.status !== 402) return undefined
  let waited = 0
  for (let pause = firstPause(single); waited + pause <= MAX_WAIT_S; pause = PAUSE_S) {
    await wait(pause * 1000)
    waited += pause
    const again = await chat({}, { key: 'limited' })
    if (expect.served(again)) {
      const rejected = responses.filter(({ status }) => status === 402).length
      return expect.failed(expected, {
        code: 'limit-not-enforced',
        params: { requests: responses.length, rejected, actualStatus: 402, servedAfterS: waited },
      })
    }
    if (again.status !== 402) break
  }
  return NO_CREDITS
}

function firstPause(response: Exchange): number {
  return Math.min(Math.max(retryAfterSeconds(response) ?? 1, 1), MAX_WAIT_S)
}

/** If the limited key is never served while the no-credits key is, the tester swapped the two. */
async function whichKey({ chat, keys }: Pick<CheckContext, 'chat' | 'keys'>): Promise<Outcome> {
  if (keys.noCredits === '' || !expect.served(await chat({}, { key: 'no-credits' }))) return NO_CREDITS
  return expect.notTestable({ code: 'keys-swapped', params: { served: 'no-credits', rejected: 'limited' } })
}

export const otherKey = defineCheck({
  id: '7/other-key-unaffected',
  requirement: '7/429-other-key',
  title: 'serves another key while one exceeds its limit',
  operation: 'chat',
  needs: ['key', 'chatModel', 'limitedKey', 'burst'],
  ...costOfBursts(1, 6),
  alone: true,
  async run(context) {
    const plain = await context.chat()
    const keepingLimits = () => context.chat({}, { retryRateLimited: false })
    const [responses, during] = await Promise.all([burst(context), keepingLimits()])
    const seen = [during, await keepingLimits()]
    if (!responses.some(isLimited)) return NO_LIMITED_RESPONSE
    const limited = seen.find(isLimited)
    if (limited === undefined) {
      return expect.success(seen.find((response) => !expect.served(response)) ?? plain)
    }
    // The other key may have exceeded its own limit: repeats as many requests after a pause, without a burst, to find
    // out.
    await context.wait(Math.min(retryAfterSeconds(limited) ?? 1, MAX_WAIT_S) * 1000)
    const single = [await context.chat(), await keepingLimits(), await keepingLimits()]
    const notServed = single.find((response) => !expect.served(response))
    if (notServed !== undefined) {
      return expect.notTestable({ code: 'no-evidence', params: { missing: 'other-key-served-alone' } })
    }
    return expect.failed(expect.SERVED, { code: 'limit-shared-between-keys', params: {} })
  },
})

const NO_LIMITED_RESPONSE = expect.notTestable({ code: 'no-evidence', params: { missing: 'limited-response' } })

/** Returns the 429s of a burst, at least one, or an outcome if there was none. */
async function provokeAll(context: CheckContext): Promise<readonly [Exchange, ...Exchange[]] | Outcome> {
  const responses = await burst(context)
  const [first, ...others] = responses.filter(isLimited)
  if (first !== undefined) return [first, ...others]
  return uselessKey(responses) ?? NO_LIMITED_RESPONSE
}

async function provoke(context: CheckContext): Promise<Exchange | Outcome> {
  const limited = await provokeAll(context)
  return isOutcome(limited) ? limited : limited[0]
}

function isOutcome(value: object): value is Outcome {
  return 'verdict' in value
}

const RETRY_AFTER: Expectation = { rule: 'retry-after' }

export const retryAfter = defineCheck({
  id: '7/retry-after',
  requirement: '7/429-habits',
  title: 'sends Retry-After with a 429',
  operation: 'chat',
  needs: ['chatModel', 'limitedKey', 'burst'],
  ...costOfBursts(1),
  alone: true,
  async run(context) {
    const limited = await provoke(context)
    if (isOutcome(limited)) return limited
    const seconds = retryAfterSeconds(limited)
    const header = limited.headers['retry-after']
    if (seconds !== undefined && header?.trim() !== '0' && seconds <= 60) {
      return expect.passed(RETRY_AFTER, { kind: 'retry-after', seconds })
    }
    return expect.warned(
      RETRY_AFTER,
      header === undefined
        ? { code: 'missing-header', params: { header: 'Retry-After' } }
        : { code: 'wrong-header', params: { header: 'Retry-After', actual: header } },
      'the openai SDKs then guess: two retries within about two seconds, each of which counts against the limit',
    )
  },
})

export const recovery = defineCheck({
  id: '7/recovery',
  requirement: '7/429-habits',
  title: 'serves the key again within a second of the time that a 429 names',
  operation: 'chat',
  needs: ['chatModel', 'limitedKey', 'burst'],
  // A burst and one retry in parallel with other checks, then up to two bursts and all retries alone.
  ...costOfBursts(3, 3 + 2 * FURTHER_WAITS_S.length),
  first: true,
  async run(context) {
    const first = await testRecovery(context, false)
    if (first.outcome.verdict !== 'pass' || first.waitS > MAX_WAIT_S / 2) return first.outcome
    // A token saved before the burst may have served the retry. No token is left now, so the time counts in full.
    const second = await testRecovery(context, first.isAlone)
    return second.outcome.verdict === 'warn' ? second.outcome : first.outcome
  },
})

interface Recovery {
  readonly outcome: Outcome
  /** True if other checks had to wait for it. */
  readonly isAlone: boolean
  /** The longest Retry-After of the burst, in seconds. */
  readonly waitS: number
}

/**
 * Retries the key once in parallel with other checks, after a burst that ran alone. Only a pass counts: other checks
 * may cause any other result, so the whole attempt is then repeated alone.
 */
async function testRecovery(context: CheckContext, isAlone: boolean): Promise<Recovery> {
  const recover = async (limited: readonly Exchange[] | Outcome, waits: readonly number[]): Promise<Recovery> => ({
    outcome: await awaitRecovery(context, limited, waits),
    isAlone: waits.length > 0,
    waitS: isOutcome(limited) ? 0 : (longestWait(limited) ?? 1),
  })
  const beside = isAlone ? undefined : await recover(await context.alone(() => provokeAll(context)), [])
  return beside?.outcome.verdict === 'pass'
    ? beside
    : context.alone(async () => recover(await provokeAll(context), FURTHER_WAITS_S))
}

const RECOVERY: Expectation = { rule: 'recovery' }

const CONSEQUENCE = 'clients that wait for Retry-After give up after two retries: the request is lost'

/**
 * Waits as Retry-After says plus one second, at most 30 s, then retries a few times so that the result does not depend
 * on one moment.
 */
async function awaitRecovery(
  { chat, wait }: CheckContext,
  limited: readonly Exchange[] | Outcome,
  furtherWaits: readonly number[],
): Promise<Outcome> {
  if (isOutcome(limited)) return limited
  const retryAfterS = longestWait(limited)
  const firstWait = Math.min(Math.max(retryAfterS ?? 1, 1), MAX_WAIT_S)
  let waitedS = 0
  for (const pause of [firstWait, ...furtherWaits]) {
    if (waitedS + pause > MAX_WAIT_S) break
    await wait(pause * 1000)
    waitedS += pause
    const response = await chat({}, { key: 'limited' })
    if (furtherWaits.length === 0 && wasLate(response, limited, waitedS)) {
      return expect.notTestable({ code: 'no-evidence', params: { missing: 'timely-retry' } })
    }
    if (expect.served(response)) return expectTimely(retryAfterS, waitedS, waitedS > firstWait + 1)
    if (!isLimited(response)) {
      return expect.notTestable({ code: 'key-rejected', params: { key: 'limited', ...expect.paramsOf(response) } })
    }
  }
  return expect.warned(RECOVERY, { code: 'not-recovered', params: { waitedS } }, CONSEQUENCE)
}

/** True if more than the second of grace passed between the burst and the retry, beyond the wait, in seconds. */
function wasLate({ startedAtMs }: Exchange, limited: readonly Exchange[], waited: number): boolean {
  const burstEndMs = Math.max(...limited.map((response) => response.startedAtMs + response.totalMs))
  return startedAtMs - burstEndMs > (waited + 1) * 1000
}

/** The longest Retry-After of a burst, in seconds: the last queued request may have to wait longest. */
function longestWait(limited: readonly Exchange[]): number | undefined {
  const seconds = limited.map(retryAfterSeconds).filter((value) => value !== undefined)
  return seconds.length === 0 ? undefined : Math.max(...seconds)
}

/** A target without Retry-After has stated no wrong time. */
function expectTimely(retryAfterS: number | undefined, waitedS: number, isLate: boolean): Outcome {
  if (retryAfterS === undefined) return expect.passed(RECOVERY, { kind: 'recovered', waitedS })
  const seconds = Math.ceil(retryAfterS)
  return isLate
    ? expect.warned(RECOVERY, { code: 'not-recovered', params: { waitedS, retryAfterS: seconds } }, CONSEQUENCE)
    : expect.passed(RECOVERY, { kind: 'recovered', waitedS: Math.ceil(waitedS), retryAfterS: seconds })
}

export const limitedErrorBody = defineCheck({
  id: '7/error-body-429',
  requirement: '7/error-body',
  title: 'sends the error body of a 429 in the shape that client SDKs read',
  operation: 'chat',
  needs: ['chatModel', 'limitedKey', 'burst'],
  ...costOfBursts(1),
  alone: true,
  async run(context) {
    const limited = await provoke(context)
    return isOutcome(limited) ? limited : expectErrorBody(limited, 429)
  },
})

export const rateLimitChecks: readonly Check[] = [limitExceeded, otherKey, retryAfter, limitedErrorBody, recovery]
