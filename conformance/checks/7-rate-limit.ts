import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { judgeRefusedForCredits, MOST_TRIES, NO_CREDITS } from './7-limit-as-credits.ts'
import { judgeErrorBody } from './7-error-body.ts'
import { costOfBursts } from './operation.ts'
import { retryAfterSeconds, show } from './read.ts'

const LONGEST_WAIT_S = 30
/** Before further tries: a try that is refused may count against the limit too. */
const FURTHER_WAITS_S = [1, 5, 5, 5, 5, 5, 5]

/** All at once: a slow target never exceeds a limit when it is asked one by one. */
function burst({ chat, keys, limitedBurst }: CheckContext): Promise<readonly Exchange[]> {
  return Promise.all(Array.from({ length: limitedBurst }, () => chat({}, { key: keys.limited })))
}

function isLimited(answer: Exchange): boolean {
  return answer.error === undefined && answer.status === 429
}

/** What the limited key itself does wrong: then the burst says nothing about limits. */
function uselessKey(answers: readonly Exchange[]): Outcome | undefined {
  const refused = answers.find(({ status }) => status === 401 || status === 402)
  // A key that was good for one of the burst was no invalid one for the others; but its credits may have run out.
  const isGood = answers.some(expect.served)
  if (refused === undefined || (isGood && refused.status === 401)) return undefined
  return expect.notTestable(
    `the limited key ${expect.answered(refused)}: give a valid one with credits with --limited-key`,
  )
}

export const limitExceeded = defineCheck({
  id: '7/rate-limit-exceeded',
  requirement: '7/429',
  title: 'a burst beyond the limit of a key is answered with 429',
  operation: 'chat',
  needs: ['chatModel', 'limitedKey', 'burst'],
  ...costOfBursts(2, 1 + MOST_TRIES),
  alone: true,
  async run(context) {
    const outcome = (await judgeBurst(context)) ?? (await judgeBurst(context))
    return outcome ?? expect.notTestable(NO_CREDITS)
  },
})

/** @returns undefined for a burst after which it was too late to tell what it had met: the next may tell */
async function judgeBurst(context: CheckContext): Promise<Outcome | undefined> {
  const answers = await burst(context)
  const expected = `429 to at least one of ${answers.length} parallel chats`
  const broken = answers.find((answer) => !expect.served(answer) && ![401, 402, 429].includes(answer.status))
  if (broken !== undefined) return answerOtherThan429(broken, expected)
  const limited = answers.filter(isLimited).length
  const refused = answers.filter(({ status }) => status === 401).length
  if (refused > 0 && answers.some(expect.served)) {
    return expect.failed(expected, `${refused} of ${answers.length} were answered 401, and others were served`)
  }
  if (limited > 0) return expect.passed(expected, `${limited} of ${answers.length} were answered 429`)
  if (answers.some(({ status }) => status === 402)) return judgeRefusedForCredits(context, answers, expected)
  return uselessKey(answers) ?? expect.failed(expected, `none of ${answers.length} was: see --limited-burst`)
}

/** A request of the burst is valid: nothing but an answer or a 429 is left to the target. */
function answerOtherThan429(answer: Exchange, expected: string): Outcome {
  const outcome = expect.success(answer, expected)
  return outcome.verdict === 'not-testable' ? outcome : { ...outcome, actual: `one of the burst: ${outcome.actual}` }
}

export const otherKey = defineCheck({
  id: '7/other-key-unaffected',
  requirement: '7/429-other-key',
  title: 'while one key exceeds its limit another one is served',
  operation: 'chat',
  needs: ['key', 'chatModel', 'limitedKey', 'burst'],
  ...costOfBursts(1, 6),
  alone: true,
  async run(context) {
    const expected = 'the other key is served'
    const plain = await context.chat()
    const keepingLimits = () => context.chat({}, { keepsLimit: true })
    const [answers, during] = await Promise.all([burst(context), keepingLimits()])
    const seen = [during, await keepingLimits()]
    if (!answers.some(isLimited)) return expect.notTestable('the burst brought no 429: see --limited-burst')
    const refused = seen.find(isLimited)
    if (refused === undefined) {
      return expect.success(seen.find((answer) => !expect.served(answer)) ?? plain, expected)
    }
    // The other key may be at a limit of its own: after a pause as many requests tell, without a burst.
    await context.wait(Math.min(retryAfterSeconds(refused) ?? 1, LONGEST_WAIT_S) * 1000)
    const alone = [await context.chat(), await keepingLimits(), await keepingLimits()]
    const notServed = alone.find((answer) => !expect.served(answer))
    if (notServed !== undefined) {
      return expect.notTestable(
        `without a burst the funded key was not served either: the target ${expect.answered(notServed)}`,
      )
    }
    return expect.failed(expected, 'the other key was answered 429 during the burst, and was served without it')
  },
})

/** The 429s of a burst, at least one, for what clients expect of them; an outcome when there was none. */
async function provokeAll(context: CheckContext): Promise<readonly [Exchange, ...Exchange[]] | Outcome> {
  const answers = await burst(context)
  const [first, ...others] = answers.filter(isLimited)
  if (first !== undefined) return [first, ...others]
  return uselessKey(answers) ?? expect.notTestable('the burst brought no 429 to look at')
}

async function provoke(context: CheckContext): Promise<Exchange | Outcome> {
  const limited = await provokeAll(context)
  return isOutcome(limited) ? limited : limited[0]
}

function isOutcome(value: object): value is Outcome {
  return 'verdict' in value
}

export const retryAfter = defineCheck({
  id: '7/retry-after',
  requirement: '7/429-habits',
  title: 'a 429 says in Retry-After when to come again',
  operation: 'chat',
  needs: ['chatModel', 'limitedKey', 'burst'],
  ...costOfBursts(1),
  alone: true,
  async run(context) {
    const limited = await provoke(context)
    if (isOutcome(limited)) return limited
    const expected = 'Retry-After, seconds above 0 or a date, at most 60 s ahead'
    const seconds = retryAfterSeconds(limited)
    const isNow = limited.headers['retry-after']?.trim() === '0'
    if (seconds !== undefined && !isNow && seconds <= 60) return expect.passed(expected, `${seconds} s`)
    return expect.warned(
      expected,
      `Retry-After is ${show(limited.headers['retry-after'])}`,
      'the openai SDKs then guess: two retries within about two seconds, each of which counts against the limit',
    )
  },
})

export const recovery = defineCheck({
  id: '7/recovery',
  requirement: '7/429-habits',
  title: 'after the time that a 429 names, to within a second, the key is served again',
  operation: 'chat',
  needs: ['chatModel', 'limitedKey', 'burst'],
  // A burst and one try beside other checks, then perhaps two bursts and all tries alone.
  ...costOfBursts(3, 3 + 2 * FURTHER_WAITS_S.length),
  alone: true,
  beside: {
    after: otherKey.id,
    run: async (context) => awaitRecovery(context, await provokeAll(context), []),
  },
  async run(context) {
    const limited = await provokeAll(context)
    const outcome = await awaitRecovery(context, limited, FURTHER_WAITS_S)
    if (isOutcome(limited) || outcome.verdict !== 'pass') return outcome
    if ((longestWait(limited) ?? 1) > LONGEST_WAIT_S / 2) return outcome
    // What had gathered before the burst may have paid for the try: after that nothing is left, and the time counts in full.
    const again = await awaitRecovery(context, await provokeAll(context), FURTHER_WAITS_S)
    return again.verdict === 'warn' ? again : outcome
  },
})

const GIVE_UP = 'clients that wait as told and try again give up after two retries: the request is lost'

/** Waits as told, and a second more; then tries a few times, so that nothing hangs on one moment. 30 s in all. */
async function awaitRecovery(
  { chat, keys, wait }: CheckContext,
  limited: readonly Exchange[] | Outcome,
  furtherWaits: readonly number[],
): Promise<Outcome> {
  if (isOutcome(limited)) return limited
  const told = longestWait(limited)
  const expected = `an answer within a second of Retry-After, at most ${LONGEST_WAIT_S} s`
  const firstWait = Math.min(Math.max(told ?? 1, 1), LONGEST_WAIT_S)
  let waited = 0
  for (const pause of [firstWait, ...furtherWaits]) {
    if (waited + pause > LONGEST_WAIT_S) break
    await wait(pause * 1000)
    waited += pause
    const answer = await chat({}, { key: keys.limited })
    if (furtherWaits.length === 0 && wasLate(answer, limited, waited)) return expect.notTestable(LATE)
    if (expect.served(answer)) return judgeWait(expected, told, { waited, isLate: waited > firstWait + 1 })
    if (!isLimited(answer)) return expect.notTestable(`after the wait the target ${expect.answered(answer)}`)
  }
  return expect.warned(expected, `still 429 after ${waited} s`, GIVE_UP)
}

const LATE = 'the suite itself was late beside other checks: what was served then may have been refused in time'

/** True when more than the second of grace passed between the burst and the try, beyond the wait, in seconds. */
function wasLate({ startedAtMs }: Exchange, limited: readonly Exchange[], waited: number): boolean {
  const burstEndMs = Math.max(...limited.map((answer) => answer.startedAtMs + answer.totalMs))
  return startedAtMs - burstEndMs > (waited + 1) * 1000
}

/** In seconds. Of a burst the last in line may have to wait longest: only the longest time is held against the target. */
function longestWait(limited: readonly Exchange[]): number | undefined {
  const told = limited.map(retryAfterSeconds).filter((seconds) => seconds !== undefined)
  return told.length === 0 ? undefined : Math.max(...told)
}

/** A target that named no time has not named a wrong one. */
function judgeWait(
  expected: string,
  told: number | undefined,
  { waited, isLate }: { readonly waited: number; readonly isLate: boolean },
): Outcome {
  if (told === undefined) return expect.passed(expected, `served again after ${waited} s; no Retry-After said when`)
  const said = `Retry-After said ${Math.ceil(told)} s`
  return isLate
    ? expect.warned(expected, `${said}; served again after ${waited} s only`, GIVE_UP)
    : expect.passed(expected, `${said}; served again after ${Math.ceil(waited)} s`)
}

export const limitedErrorBody = defineCheck({
  id: '7/error-body-429',
  requirement: '7/error-body',
  title: 'the body of a 429 is the one that client SDKs read',
  operation: 'chat',
  needs: ['chatModel', 'limitedKey', 'burst'],
  ...costOfBursts(1),
  alone: true,
  async run(context) {
    const limited = await provoke(context)
    return isOutcome(limited) ? limited : judgeErrorBody(limited, 429)
  },
})

export const rateLimitChecks: readonly Check[] = [limitExceeded, otherKey, retryAfter, limitedErrorBody, recovery]
