import { type Check, type CheckContext, defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { hasBrokenDown } from '../../http/breakdown.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { isOutcome, type Outcome } from '../../findings/outcome.ts'
import { calculateMaxBurstCost } from '../shared/operation.ts'
import {
  isRateLimited,
  NO_LIMITED_RESPONSE,
  provokeLimit,
  findKeyRejection,
  sendBurst,
  sendUniqueChat,
  sendOrReuseBurst,
  showInBurst,
} from './rate-limit-burst.ts'
import { parseRetryAfterSeconds } from '../shared/response-access.ts'

const MAX_WAIT_S = 30

/** Pause before each retry, in seconds. The first pause is Retry-After, or one second without it. */
const PAUSE_S = 5

/** Maximum number of chats that the check sends to find out why the target sent 402s during a burst. */
const MAX_TRIES = 2 + MAX_WAIT_S / PAUSE_S

/** Outcome for a limited key without credits. It gets a 402 at any request rate. */
const NO_CREDITS = expect.markNotTestable({ code: 'key-rejected', params: { key: 'limited', actualStatus: 402 } })

const UNKNOWN_KEY = expect.markNotTestable({ code: 'key-rejected', params: { key: 'limited', actualStatus: 401 } })

export const limitExceededCheck = defineCheck({
  id: '7/rate-limit-exceeded',
  requirement: '7/429',
  title: 'returns 429 for a burst beyond the limit of a key',
  operation: 'chat',
  needs: ['chatModel', 'limited'],
  ...calculateMaxBurstCost(2, 2 + MAX_TRIES),
  alone: true,
  async run(context) {
    const first = await sendOrReuseBurst(context)
    const outcome =
      (await interpretBurst(context, first, [])) ?? (await interpretBurst(context, await sendBurst(context), first))
    return outcome === undefined ? NO_CREDITS : showInBurst(context, outcome)
  },
})

/**
 * Evaluates a burst. The specification states no limit, so a burst without a 429 is a failure only if it exceeds a
 * limit that the owner declares.
 * @param earlier responses to the previous burst, if there was one
 * @returns undefined if a second burst is required
 */
async function interpretBurst(
  context: CheckContext,
  responses: readonly Exchange[],
  earlier: readonly Exchange[],
): Promise<Outcome | undefined> {
  const requests = responses.length
  const expected: Expectation = { limitedRequests: requests }
  const rejected = responses.filter(({ status }) => status === 401).length
  const isUnknown = responses[0]?.status === 401 || (rejected > 0 && !responses.some(expect.isServed))
  // After many attempts with an unknown key, a service may send another status, so a single 401 is enough.
  if (isUnknown) return UNKNOWN_KEY
  const limited = responses.filter(isRateLimited).length
  // If the target sends 429s, other checks report its 2xx responses without a result.
  const isOther = (response: Exchange): boolean =>
    !expect.isServed(response) &&
    ![401, 402, 429].includes(response.status) &&
    !(limited > 0 && expect.isSuccessful(response))
  const other = responses.find(isOther)
  if (other !== undefined) return expectServedOrLimited(other, requests, isExceeded(context))
  if (rejected > 0 && responses.some(expect.isServed)) {
    const params = { requests, rejected, actualStatus: 401 }
    return expect.fail(expected, { code: 'limit-not-enforced', params })
  }
  if (limited > 0) {
    const outcome = expect.pass(expected, { kind: 'limited', limited, requests })
    // An earlier burst may have exhausted the limit, or the target rejects every key.
    return limited < requests ? outcome : asOutcomeOf(await context.shared.chat(), outcome)
  }
  if (responses.some(({ status }) => status === 402)) return expectNoLimitAs402(context, responses, expected)
  const keyRejection = findKeyRejection(responses)
  if (keyRejection !== undefined) return keyRejection
  if (!isExceeded(context)) return limitNotReached(context)
  // A burst at the boundary of two windows may stay within both limits. The second falls into one window.
  return earlier.length === 0 ? undefined : expectLimitWithin(context, [...earlier, ...responses], expected)
}

/** Returns the outcome if the target serves another key. Otherwise, the 429s may have another cause. */
function asOutcomeOf(control: Exchange, outcome: Outcome): Outcome {
  if (expect.isServed(control)) return outcome
  return expect.markNotTestable({ code: 'control-request-not-served', params: expect.getResponseParams(control) })
}

function isExceeded({ declared: { limitedRate }, limitedBurst }: CheckContext): boolean {
  return limitedRate !== undefined && limitedBurst > limitedRate.requests
}

function limitNotReached({ declared: { limitedRate }, limitedBurst }: CheckContext): Outcome {
  const params = { requests: limitedBurst, ...(limitedRate === undefined ? {} : { declared: limitedRate }) }
  return expect.markNotTestable({ code: 'limit-not-reached', params })
}

/** Fails if the target served two bursts within the declared window. Otherwise, the check is not testable. */
function expectLimitWithin(context: CheckContext, served: readonly Exchange[], expected: Expectation): Outcome {
  const { declared, limitedBurst } = context
  const startMs = Math.min(...served.map(({ startedAtMs }) => startedAtMs))
  const endMs = Math.max(...served.map(({ startedAtMs, totalMs }) => startedAtMs + totalMs))
  if (declared.limitedRate === undefined || endMs - startMs > declared.limitedRate.seconds * 1000) {
    return limitNotReached(context)
  }
  const params = { requests: limitedBurst, rejected: 0, declared: declared.limitedRate }
  return expect.fail(expected, { code: 'limit-not-enforced', params })
}

/** Evaluates a response to a burst that is not a 429. Other checks report breakdowns and rejections. */
function expectServedOrLimited(response: Exchange, requests: number, hasExceededLimit: boolean): Outcome {
  if (hasBrokenDown(response) || !hasExceededLimit) return expect.checkSuccess(response)
  const expected: Expectation = { status: ['2xx', 429] }
  return expect.addDifference({ parallel: requests }, expect.fail(expected, expect.describeUnexpected(response)))
}

/**
 * Evaluates a burst in which some chats got a 402 instead of a 429. If the target serves the key again after a pause,
 * the 402s came from a limit. Otherwise, the key has no credits.
 * @returns undefined if a single chat after the burst got no 402, because the limit may no longer have applied when it
 * was sent
 */
async function expectNoLimitAs402(
  { chat, keys, wait }: CheckContext,
  responses: readonly Exchange[],
  expected: Expectation,
): Promise<Outcome | undefined> {
  if (!responses.some(expect.isServed)) return findServedKey({ chat, keys })
  const single = await chat({}, { key: 'limited' })
  if (single.status !== 402) return undefined
  let waited = 0
  for (let pause = firstPause(single); waited + pause <= MAX_WAIT_S; pause = PAUSE_S) {
    await wait(pause * 1000)
    waited += pause
    const again = await chat({}, { key: 'limited' })
    if (expect.isServed(again)) {
      const rejected = responses.filter(({ status }) => status === 402).length
      return expect.fail(expected, {
        code: 'limit-not-enforced',
        params: { requests: responses.length, rejected, actualStatus: 402, servedAfterS: waited },
      })
    }
    if (again.status !== 402) break
  }
  return NO_CREDITS
}

function firstPause(response: Exchange): number {
  return Math.min(Math.max(parseRetryAfterSeconds(response) ?? 1, 1), MAX_WAIT_S)
}

/** Returns an outcome if the target never serves the limited key, for example because the keys are swapped. */
async function findServedKey({ chat, keys }: Pick<CheckContext, 'chat' | 'keys'>): Promise<Outcome> {
  if (keys.noCredits === '' || !expect.isServed(await chat({}, { key: 'no-credits' }))) return NO_CREDITS
  return expect.markNotTestable({ code: 'keys-swapped', params: { served: 'no-credits', rejected: 'limited' } })
}

const NOT_SERVED_ALONE = expect.markNoEvidence('other-key-served-alone')

export const otherKeyCheck = defineCheck({
  id: '7/other-key-unaffected',
  requirement: '7/429-other-key',
  title: 'serves another key while one exceeds its limit',
  operation: 'chat',
  needs: ['funded', 'chatModel', 'limited'],
  ...calculateMaxBurstCost(1, 7),
  alone: true,
  async run(context) {
    const plain = await context.shared.chat()
    const sendWithoutRetry = () => sendUniqueChat(context, { retryRateLimited: false })
    let burst: Promise<readonly Exchange[]> = Promise.resolve([])
    const during = await sendUniqueChat(context, {
      retryRateLimited: false,
      onSend: () => void (burst = sendBurst(context)),
    })
    const responses = await burst
    const after = await sendWithoutRetry()
    // A limit on parallel requests may apply to all keys together. During the burst, it then also affects the other
    // key, so that only the later request is evidence.
    const seen = context.parallelLimit() === undefined ? [during, after] : [after]
    if (!responses.some(isRateLimited)) return NO_LIMITED_RESPONSE
    const limited = seen.find(isRateLimited)
    if (limited === undefined) {
      return expect.checkSuccess(seen.find((response) => !expect.isServed(response)) ?? plain)
    }
    // A limit of the client's address applies to requests without a key, too. The specification allows it.
    const keyless = await sendUniqueChat(context, { key: 'none', retryRateLimited: false })
    if (isRateLimited(keyless) || context.hasCommonLimit()) {
      return expect.isServed(plain) ? expect.observeFact({ kind: 'common-limit' }) : NOT_SERVED_ALONE
    }
    if (context.rejectsAtAnyRate()) return NOT_SERVED_ALONE
    // The other key may have exceeded its own limit. A later request without a burst shows whether it has.
    await context.wait(Math.min(parseRetryAfterSeconds(limited) ?? 1, MAX_WAIT_S) * 1000)
    const single = [await sendUniqueChat(context), await sendWithoutRetry(), await sendWithoutRetry()]
    const notServed = single.find((response) => !expect.isServed(response))
    if (notServed !== undefined) return NOT_SERVED_ALONE
    const outcome = expect.fail(expect.EXPECT_SUCCESS, { code: 'limit-shared-between-keys', params: {} })
    const limitedOfBurst = responses.find(isRateLimited) ?? limited
    const sequence = [...Array.from({ length: context.limitedBurst }, () => limitedOfBurst), limited]
    return { ...outcome, sequence }
  },
})

const RETRY_AFTER: Expectation = { rule: 'retry-after' }

export const retryAfterCheck = defineCheck({
  id: '7/retry-after',
  requirement: '7/429-habits',
  title: 'sends Retry-After with a 429',
  operation: 'chat',
  needs: ['chatModel', 'limited'],
  ...calculateMaxBurstCost(1),
  alone: true,
  async run(context) {
    const provoked = await provokeLimit(context)
    if (isOutcome(provoked)) return provoked
    const [limited] = provoked
    const seconds = parseRetryAfterSeconds(limited)
    const header = limited.headers['retry-after']
    if (seconds !== undefined && header?.trim() !== '0') {
      return expect.pass(RETRY_AFTER, { kind: 'retry-after', seconds })
    }
    const outcome =
      header === undefined
        ? expect.warn(RETRY_AFTER, { code: 'missing-header', params: { header: 'Retry-After' } }, GUESSES)
        : expect.warn(
            RETRY_AFTER,
            { code: 'wrong-header', params: { header: 'Retry-After', actual: header } },
            describeSdkWait(header),
          )
    return showInBurst(context, outcome)
  },
})

const GUESSES =
  'without Retry-After, the openai SDKs retry twice within about two seconds, and each retry counts against the limit'

/** Describes how the OpenAI SDK for Node parses an invalid Retry-After: by the number at its start. */
function describeSdkWait(header: string): string {
  const seconds = Number.parseFloat(header)
  return seconds > 0
    ? `the openai SDK for Node.js waits ${seconds} s before it retries`
    : 'the openai SDK for Node.js retries twice immediately, and each retry counts against the limit'
}

export const rateLimitChecks: readonly Check[] = [limitExceededCheck, otherKeyCheck, retryAfterCheck]
