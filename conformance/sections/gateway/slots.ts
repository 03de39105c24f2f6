import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { parseRetryAfterMs } from '../../http/retry-after.ts'
import { type BothEnds, MAX_LIMIT_MS, type Seen, type Trial } from '../../upstream/both-ends.ts'
import { assertServedBefore, defineGatewayCheck, failFor, isServedThrough, markUnserved } from './define-check.ts'
import { MAX_COOL_DOWN_MS, respond, waitForRecovery } from './failures.ts'

/** Maximum time until the upstream has ended an aborted request, in milliseconds. On a busy machine, it ends late. */
export const ABORT_DEADLINE_MS = 20_000

/** Time after which the client aborts a stream, in ms. By then, a gateway that does not buffer sent three events. */
export const ABORT_IN_STREAM_MS = 500

/** A stream of about two seconds, and a response after two seconds. */
export const SLOW_STREAM = { text: 'one two three four five six seven eight nine ten eleven.', fault: { itlMs: 150 } }
export const SLOW_RESPONSE = { text: 'One two three four.', fault: { delayMs: 2000 } }

/** Number of requests that occupy a slot each, if the gateway loses it. */
const REQUESTS = 16

const NEXT: Trial = { respond: { text: 'One.' }, acceptsLimit: true }

/** Sends the next request after others. A rate limit allows it later. A slot that leaked does not become free. */
async function sendNext(ends: BothEnds): Promise<Seen> {
  const first = await ends.send(NEXT)
  const hasLimit = ends.run.found.has('rate-limit') || parseRetryAfterMs(first.client.headers) !== undefined
  return first.client.status === 429 && hasLimit ? await ends.send({ respond: NEXT.respond }) : first
}

/** Returns whether a rate limit explains a 429: it lasts longer than the check waits, or the gateway does not say how long. */
function isLimited({ client }: Seen, ends: BothEnds): boolean {
  const retryAfterMs = parseRetryAfterMs(client.headers)
  if (client.status !== 429) return false
  return retryAfterMs === undefined ? ends.run.found.has('rate-limit') : retryAfterMs > MAX_LIMIT_MS
}

function judgeNext(
  next: Seen,
  ends: BothEnds,
  { after, requests }: { after: 'aborts' | 'failures'; requests: number },
) {
  if (isServedThrough(next)) return expect.pass({ rule: 'served-afterwards' })
  assertServedBefore(ends, next)
  return isLimited(next, ends) ? markUnserved(next) : reportLostSlots(next, after, requests)
}

function reportLostSlots(next: Seen, after: 'aborts' | 'failures', requests: number): Outcome {
  const params = { after, requests, ...expect.getResponseParams(next.client) }
  const outcome = expect.fail({ rule: 'served-afterwards' }, { code: 'gateway-lost-slots', params })
  return { ...outcome, exchange: next.client }
}

export const slotChecks = [
  defineGatewayCheck({
    id: 'gateway/slots',
    requirement: 'gateway/after-aborts',
    title: `serves requests beside and after ${REQUESTS} that clients abort, also during their upload`,
    alone: true,
    requests: REQUESTS + 3,
    async run(ends) {
      const whole: Trial = { respond: SLOW_RESPONSE, abortAfterArrivalMs: 0, acceptsLimit: true }
      const stream: Trial = {
        respond: SLOW_STREAM,
        acceptsLimit: true,
        fields: () => ({ stream: true }),
        abortAfterArrivalMs: ABORT_IN_STREAM_MS,
      }
      const upload: Trial = { respond: SLOW_RESPONSE, abortInBody: true, acceptsLimit: true }
      const forms = [whole, stream, upload, upload]
      const aborted = Array.from({ length: REQUESTS }, (_, index) => forms[index % forms.length] ?? whole)
      const kept: Trial = { respond: SLOW_STREAM, acceptsLimit: true, fields: () => ({ stream: true }) }
      const [other] = await ends.sendAll([kept, ...aborted])
      // A gateway that does not abort its upstream requests may serve no others until they end.
      await ends.waitUntil(() => ends.run.control.isIdle(), ABORT_DEADLINE_MS)
      const next = await sendNext(ends)
      if (isServedThrough(next) && !isServedThrough(other) && other.upstream.some(({ clientLeft }) => clientLeft)) {
        const params = { requests: REQUESTS, ...expect.getResponseParams(other.client) }
        return failFor(ends, other, { rule: 'served-afterwards' }, { code: 'gateway-aborted-other', params })
      }
      return judgeNext(next, ends, { after: 'aborts', requests: REQUESTS })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/slots-after-rejections',
    requirement: 'gateway/after-aborts',
    title: `serves requests after the upstream rejected ${REQUESTS} others with 400`,
    alone: true,
    requests: REQUESTS + 2,
    async run(ends) {
      const trials = Array.from({ length: REQUESTS }, (_, index): Trial => {
        const isStream = index % 2 === 0
        const failure = { status: 400, body: 'json', isStream } as const
        return { respond: respond(failure), fields: () => ({ stream: isStream }), acceptsLimit: true }
      })
      const all = await ends.sendAll(trials)
      const next = await sendNext(ends)
      if (isServedThrough(next) || isLimited(next, ends)) {
        return judgeNext(next, ends, { after: 'failures', requests: REQUESTS })
      }
      // A 400 is an error of the client, so that a cool-down is no reason, unless it is short.
      const { recoveredMs, last } = await waitForRecovery(ends)
      if (recoveredMs !== undefined) return expect.pass({ rule: 'served-afterwards' })
      ends.run.found.add('no-recovery')
      return judgeNext(last, ends, { after: 'failures', requests: countArrived(all) })
    },
  }),
]

function countArrived(all: readonly Seen[]): number {
  return all.filter(({ upstream }) => upstream.length > 0).length
}

const FAILURES = [
  { lostAt: 'in-body', isStream: false },
  { lostAt: 'in-event', isStream: true },
  { status: 500, body: 'json', isStream: false },
  { lostAt: 'before-head', isStream: true },
] as const

/** The check comes after all others that make the upstream fail, because a gateway may then stop for a long time. */
export const failureSlotChecks = [
  defineGatewayCheck({
    id: 'gateway/slots-after-failures',
    requirement: 'gateway/after-aborts',
    title: `serves requests after ${REQUESTS} failures of the upstream`,
    alone: true,
    requests: REQUESTS + 2,
    async run(ends) {
      const isDown = ends.run.found.has('no-recovery')
      const trials = FAILURES.flatMap((failure) =>
        Array.from({ length: isDown ? 0 : REQUESTS / FAILURES.length }, (): Trial => {
          return { respond: respond(failure), fields: () => ({ stream: failure.isStream }), acceptsLimit: true }
        }),
      )
      await ends.sendAll(trials)
      const { recoveredMs, last } = await waitForRecovery(ends)
      if (recoveredMs !== undefined) return expect.pass({ rule: 'served-afterwards' })
      ends.run.found.add('no-recovery')
      const failures = ends.run.seen.filter(
        (seen) => seen.upstream.length > 0 && !isServedThrough(seen) && !seen.wasAborted,
      )
      // A gateway that rejects requests may cool down. One that does not respond has no reason to wait.
      return last.client.error?.kind === 'timeout'
        ? reportLostSlots(last, 'failures', failures.length)
        : expect.markNotTestable({ code: 'gateway-not-recovered', params: { waitedMs: MAX_COOL_DOWN_MS } })
    },
  }),
]
