import type { CheckContext } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Expectation, Outcome } from '../outcomes/outcome.ts'
import { retryAfterSeconds } from './read.ts'

const MAX_WAIT_S = 30
/** Between the tries after the first one, which waits as Retry-After says. */
const PAUSE_S = 5

/** Upper bound of the requests that find out what the 402s of a burst mean. */
export const MAX_TRIES = 2 + MAX_WAIT_S / PAUSE_S

/** The limited key may have no credits: its 402s say nothing about limits. */
export const NO_CREDITS = expect.notTestable({ code: 'key-rejected', params: { key: 'limited', actualStatus: 402 } })

/**
 * Decides what a burst means in which some chats were served and the others got a 402 instead of a 429. A single chat that
 * gets a 402 as well, when nothing is held for others, says that the credits are used up, and nobody adds credits meanwhile.
 * If the key is served again after a pause, it had credits all the time, and the 402s stood for a limit.
 * @returns undefined when the single chat did not get a 402: it came too late to tell
 */
export async function expectNoLimitAs402(
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

/** A limited key that is never served, while the no-credits key is, was swapped with it. */
async function whichKey({ chat, keys }: Pick<CheckContext, 'chat' | 'keys'>): Promise<Outcome> {
  if (keys.noCredits === '' || !expect.served(await chat({}, { key: 'no-credits' }))) return NO_CREDITS
  return expect.notTestable({ code: 'keys-swapped', params: { served: 'no-credits', rejected: 'limited' } })
}
