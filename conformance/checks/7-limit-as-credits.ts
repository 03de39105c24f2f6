import type { CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { retryAfterSeconds } from './read.ts'

const LONGEST_WAIT_S = 30
/** Between the tries after the first, which waits as told. */
const PAUSE_S = 5

/** The most requests that a look at such a burst sends. */
export const MOST_TRIES = 2 + LONGEST_WAIT_S / PAUSE_S

/** What a burst means that was refused for credits, as far as can be told. */
export const NO_CREDITS = 'the limited key answered 402: give a valid one with credits with --limited-key'

/**
 * What a burst means in which some chats were served and the others answered 402, not 429. A chat that comes alone, when
 * nothing is held for others, and is refused as well, says that credits are used up; nobody fills the account meanwhile. If
 * the key is served again after a pause it had credits all the time, and 402 stood for a limit.
 * @returns undefined when the chat that came alone was not refused: too late to tell what the burst had met
 */
export async function judgeRefusedForCredits(
  { chat, keys, wait }: CheckContext,
  answers: readonly Exchange[],
  expected: string,
): Promise<Outcome | undefined> {
  if (!answers.some(expect.served)) return expect.notTestable(await whichKey({ chat, keys }))
  const alone = await chat({}, { key: keys.limited })
  if (alone.status !== 402) return undefined
  let waited = 0
  for (let pause = firstPause(alone); waited + pause <= LONGEST_WAIT_S; pause = PAUSE_S) {
    await wait(pause * 1000)
    waited += pause
    const again = await chat({}, { key: keys.limited })
    if (expect.served(again)) {
      const refused = answers.filter(({ status }) => status === 402).length
      const seen = `${refused} of ${answers.length} were answered 402, and the key, served again after ${waited} s, has credits`
      return expect.failed(expected, seen)
    }
    if (again.status !== 402) break
  }
  return expect.notTestable(NO_CREDITS)
}

function firstPause(answer: Exchange): number {
  return Math.min(Math.max(retryAfterSeconds(answer) ?? 1, 1), LONGEST_WAIT_S)
}

/** A limited key of which nothing is served, while the other one has credits, was given in its place. */
async function whichKey({ chat, keys }: Pick<CheckContext, 'chat' | 'keys'>): Promise<string> {
  if (keys.noCredits === '' || !expect.served(await chat({}, { key: keys.noCredits }))) return NO_CREDITS
  return 'the limited key answered 402, and the no-credits key was served: the two seem swapped'
}
