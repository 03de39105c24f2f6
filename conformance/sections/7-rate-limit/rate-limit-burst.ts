import type { CheckContext } from '../../engine/check.ts'
import type { SharedWork } from '../../traffic/shared-requests.ts'
import { FIRST_BURST_REQUESTS } from '../shared/operation.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { RequestOptions } from '../../requests/api-request.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'

/** Sends a chat with a unique message, so that a cache in front of the target cannot serve it. */
export function sendUniqueChat({ chat, nonce }: CheckContext, options: RequestOptions = {}): Promise<Exchange> {
  return chat({ messages: [{ role: 'user', content: `Say hello to ${nonce()}.` }] }, options)
}

/**
 * Sends a burst with the limited key. The requests are parallel, because sequential requests to a slow target may never
 * exceed a limit. First sends a few requests, and sends the whole burst only if the target serves all of those.
 */
export async function sendBurst(context: CheckContext): Promise<readonly Exchange[]> {
  const { limitedBurst } = context
  const sendParallel = (count: number): Promise<readonly Exchange[]> =>
    Promise.all(Array.from({ length: count }, () => sendUniqueChat(context, { key: 'limited' })))
  const few = await sendParallel(Math.min(FIRST_BURST_REQUESTS, limitedBurst))
  return few.length === limitedBurst || !few.every(expect.isServed) ? few : sendParallel(limitedBurst)
}

/** Sends a new burst. If it gets a 429, other checks can reuse its responses. */
export function sendFreshBurst(context: CheckContext): Promise<readonly Exchange[]> {
  return context.share(LIMITED_BURST, { ...limitedBurst(context), isFresh: true })
}

/** Returns the responses to the burst of another check if they include a 429. Otherwise sends a burst. */
export function sendOrReuseBurst(context: CheckContext): Promise<readonly Exchange[]> {
  return context.share(LIMITED_BURST, limitedBurst(context))
}

const LIMITED_BURST = 'limited burst'

function limitedBurst(context: CheckContext): SharedWork {
  return { send: () => sendBurst(context), isUseful: showsLimit }
}

/** Returns whether a burst exceeded a limit. After a served request, a 402 does not mean a key without credits. */
function showsLimit(responses: readonly Exchange[]): boolean {
  const has402 = responses.some(({ error, status }) => error === undefined && status === 402)
  return responses.some(isRateLimited) || (has402 && responses.some(expect.isServed))
}

export function isRateLimited(response: Exchange): boolean {
  return response.error === undefined && response.status === 429
}

/** Returns an outcome if the target rejects the limited key itself, because the burst then shows no limit. */
export function findKeyRejection(responses: readonly Exchange[]): Outcome | undefined {
  const rejected = responses.find(({ status }) => status === 401 || status === 402)
  // A key that the target accepted once is valid. A 402 may still mean that its credits ran out.
  const isValid = responses.some(expect.isServed)
  if (rejected === undefined || (isValid && rejected.status === 401)) return undefined
  return expect.markNotTestable({
    code: 'key-rejected',
    params: { key: 'limited', ...expect.getResponseParams(rejected) },
  })
}

export const NO_LIMITED_RESPONSE = expect.markNoEvidence('limited-response')

/** Returns the 429s of a burst. Returns an outcome if there are none. */
export async function provokeLimit(
  context: CheckContext,
  burst: (context: CheckContext) => Promise<readonly Exchange[]> = sendOrReuseBurst,
): Promise<readonly [Exchange, ...Exchange[]] | Outcome> {
  const responses = await burst(context)
  const [first, ...others] = responses.filter(isRateLimited)
  if (first !== undefined) return [first, ...others]
  return findKeyRejection(responses) ?? NO_LIMITED_RESPONSE
}

/** Lets the command of the report send a burst, because a single request does not show a finding about a limit. */
export function showInBurst({ limitedBurst }: Pick<CheckContext, 'limitedBurst'>, outcome: Outcome): Outcome {
  return { ...outcome, parallel: limitedBurst }
}
