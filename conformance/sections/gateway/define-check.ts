import type { Operation } from '../../../contract/facts.ts'
import { type Check, type CheckContext, listPrerequisites, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { Expectation, ExpectationRule } from '../../findings/expectations.ts'
import * as expect from '../../findings/expect.ts'
import type { JsonExcerpt } from '../../findings/fact-params.ts'
import type { Deviation, FindingParams, Obstacle } from '../../findings/families.ts'
import type { ForwardedPart } from '../../findings/gateway.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { type BothEnds, RunStoppedError, type Seen, type Trial } from '../../upstream/both-ends.ts'
import { isStream } from './read-response.ts'
import { UpstreamError } from '../../upstream/upstream-control.ts'

interface GatewayCheck {
  readonly id: string
  readonly requirement: string
  readonly title: string
  /** Default: `chat`. */
  readonly operation?: Exclude<Operation, 'models'>
  readonly requests: number
  /** Whether other requests could affect the result, or the check makes the upstream fail. */
  readonly alone?: true
  run(ends: BothEnds, context: CheckContext): Promise<Outcome>
}

/** Chats that show whether a gateway reaches the upstream, and works again after a failure. */
const MAX_CONTROL_REQUESTS = 80

/** Completes the definition of a check of a gateway: it is not testable unless the gateway reaches the upstream. */
export function defineGatewayCheck({ run, requests, ...check }: GatewayCheck): Check {
  const { operation = 'chat' } = check
  const sent = requests + MAX_CONTROL_REQUESTS
  return {
    ...check,
    operation,
    needs: [...new Set([...listPrerequisites('chat'), ...listPrerequisites(operation)])],
    cost: { requests: sent, chatTokens: sent * SMALL_CHAT_TOKENS },
    async run(context) {
      const ends = context.bothEnds
      if (ends === undefined) throw new Error('A check of a gateway runs only in the suite for gateways.')
      try {
        return (await findMissingUpstream(ends, context)) ?? (await run(ends, context))
      } catch (error) {
        if (error instanceof UnservedError) return markUnserved(error.seen)
        if (!(error instanceof UpstreamError) && !(error instanceof RunStoppedError)) throw error
        // An aborted run also aborts its requests to the upstream.
        const obstacle = ends.findObstacle() ?? describeUnusable(ends, error)
        return { verdict: 'not-testable', ...obstacle }
      }
    },
  }
}

function describeUnusable({ run: { control } }: BothEnds, error: UpstreamError | RunStoppedError): Obstacle {
  const needsToken = error instanceof UpstreamError && error.missing === 'token'
  const params = { upstream: control.url, problem: error.message, ...(needsToken ? { needsToken } : {}) }
  return { code: 'upstream-unusable', params }
}

/** Shows once in a run that the gateway forwards a chat to the upstream. Returns an outcome if it does not. */
function findMissingUpstream(ends: BothEnds, context: CheckContext): Promise<Outcome | undefined> {
  return ends.share('upstream', async () => {
    await ends.run.control.open()
    const control = await ends.send({ respond: { text: 'Hello!' } })
    if (!isServedThrough(control)) ends.run.found.add('no-service')
    if (control.upstream.length > 0) return undefined
    if (!expect.isServed(control.client)) return markUnserved(control)
    const params = { upstream: ends.run.control.url, model: context.models.chat }
    return expect.markNotTestable({ code: 'upstream-not-reached', params })
  })
}

/** The gateway has not served a plain chat from the start, so that no later chat shows whether it still serves. */
class UnservedError extends Error {
  readonly seen: Seen

  constructor(seen: Seen) {
    super('The gateway serves no plain chat')
    this.seen = seen
  }
}

/** Makes the check not testable if the gateway did not serve a plain chat at the start either. */
export function assertServedBefore({ run }: BothEnds, seen: Seen): void {
  if (run.found.has('no-service')) throw new UnservedError(seen)
}

/** Creates the outcome of a check whose request the gateway rejected or did not forward. */
export function markUnserved({ client, upstream }: Seen): Outcome {
  const code = upstream.length === 0 ? 'request-not-forwarded' : 'request-not-served'
  return { ...expect.markNotTestable({ code, params: expect.getResponseParams(client) }), exchange: client }
}

/** Returns whether the upstream served a request of the gateway, and the client got a complete response. */
export function isServedThrough({ client, upstream }: Seen): boolean {
  return upstream.some(({ status }) => status === 200) && expect.isServed(client)
}

interface ForwardingCheck extends Omit<GatewayCheck, 'requests' | 'run'> {
  readonly trials: readonly Trial[]
  /** Default: the client receives what the upstream sent. */
  readonly rule?: ExpectationRule
  find(seen: Seen): Deviation | undefined
}

/** Defines a check that sends all trials at the same time, and judges each of them. */
export function defineForwardingCheck({ trials, rule = 'as-upstream-sent', find, ...check }: ForwardingCheck): Check {
  const run = async (ends: BothEnds): Promise<Outcome> => judge(ends, await ends.sendAll(trials), { rule }, find)
  return defineGatewayCheck({ ...check, requests: trials.length, run })
}

/** The first deviation is the outcome. Without a request that the gateway served, the check is not testable. */
export function judge(
  ends: BothEnds,
  all: readonly Seen[],
  expected: Expectation,
  find: (seen: Seen) => Deviation | undefined,
): Outcome {
  for (const seen of all) {
    const deviation = isServedThrough(seen) ? find(seen) : findDroppedResponse(seen)
    if (deviation === undefined) continue
    return failFor(ends, seen, expected, deviation)
  }
  const unserved = all.find((seen) => !isServedThrough(seen))
  return unserved === undefined ? expect.pass(expected) : markUnserved(unserved)
}

/** Fails with the evidence of a request and its response. */
export function failFor(ends: BothEnds, seen: Seen, expected: Expectation, deviation: Deviation): Outcome {
  ends.show(seen)
  return { ...expect.fail(expected, deviation), exchange: seen.client }
}

function findDroppedResponse(seen: Seen): Deviation | undefined {
  const { client, upstream } = seen
  const last = upstream.at(-1)
  const isOfAccount = client.status === 401 || client.status === 402 || client.status === 429
  if (last?.status !== 200 || last.clientLeft || last.fault !== null || isOfAccount) return undefined
  // On a busy machine, the upstream itself may need most of the time.
  if (client.error?.kind === 'timeout' && last.totalMs > client.totalMs / 2) return undefined
  return { code: 'gateway-dropped-response', params: { ...expect.getResultParams(client), ...describeForm(seen) } }
}

/** Describes the form of a response: whether it is a stream, and the options of the upstream, if there are any. */
export function describeForm({ trial: { respond }, client }: Seen) {
  const { options = {} } = respond
  const form = Object.keys(Object(options)).length === 0 ? {} : { form: createExcerpt(options) }
  return { isStream: isStream(client), ...form }
}

/** Creates the deviation of a part that arrived changed, or did not arrive. */
export function createChange(
  part: ForwardedPart,
  sent: unknown,
  arrived: unknown,
  details: Partial<FindingParams['gateway-changed']> = {},
): Deviation {
  const seen = arrived === undefined ? {} : { arrived: createExcerpt(arrived) }
  return { code: 'gateway-changed', params: { part, sent: createExcerpt(sent), ...seen, ...details } }
}

export function asWarning(outcome: Outcome, consequence: string): Outcome {
  return outcome.verdict === 'fail' ? { ...outcome, verdict: 'warn', consequence } : outcome
}

/** Observes a policy by requests that the gateway serves. Without one of them, the check is not testable. */
export function observeServed(all: readonly Seen[], describe: () => Readonly<Record<string, JsonExcerpt>>): Outcome {
  const unserved = all.find((seen) => !isServedThrough(seen))
  return unserved === undefined ? observePolicy(describe()) : markUnserved(unserved)
}

/** Creates the outcome of a policy: what the gateway does in each case. */
export function observePolicy(cases: Readonly<Record<string, JsonExcerpt>>): Outcome {
  return expect.observeFact({ kind: 'policy', cases })
}
