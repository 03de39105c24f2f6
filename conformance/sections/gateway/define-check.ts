import type { Operation } from '../../../contract/facts.ts'
import { type Check, type CheckContext, listPrerequisites, SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { Expectation } from '../../findings/expectations.ts'
import * as expect from '../../findings/expect.ts'
import type { JsonExcerpt } from '../../findings/fact-params.ts'
import type { Deviation, Obstacle } from '../../findings/families.ts'
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
  /** Maximum number of requests. */
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
    if (control.upstream.length > 0) return undefined
    if (!expect.isServed(control.client)) return markUnserved(control)
    const params = { upstream: ends.run.control.url, model: context.models.chat }
    return expect.markNotTestable({ code: 'upstream-not-reached', params })
  })
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

/**
 * Judges requests in order: the first deviation is the outcome. Without a request that the gateway served, the check is
 * not testable.
 */
export function judge(
  ends: BothEnds,
  all: readonly Seen[],
  expected: Expectation,
  find: (seen: Seen) => Deviation | undefined,
): Outcome {
  for (const seen of all) {
    const deviation = isServedThrough(seen) ? find(seen) : findDroppedResponse(seen)
    if (deviation === undefined) continue
    ends.show(seen)
    return { ...expect.fail(expected, deviation), exchange: seen.client }
  }
  const unserved = all.find((seen) => !isServedThrough(seen))
  return unserved === undefined ? expect.pass(expected) : markUnserved(unserved)
}

/** Returns a deviation if the upstream completed its response, and the client did not get it. */
function findDroppedResponse({ trial, client, upstream }: Seen): Deviation | undefined {
  const last = upstream.at(-1)
  const isOfAccount = client.status === 401 || client.status === 402 || client.status === 429
  if (last?.status !== 200 || last.clientLeft || last.fault !== null || isOfAccount) return undefined
  // On a busy machine, the upstream itself may need most of the time.
  if (client.error?.kind === 'timeout' && last.totalMs > client.totalMs / 2) return undefined
  const params = { ...expect.getResultParams(client), isStream: isStream(client), ...getForm(trial) }
  return { code: 'gateway-dropped-response', params }
}

/** Returns the options of the upstream's response as a parameter of a finding, if there are any. */
export function getForm({ respond }: Trial): { readonly form?: JsonExcerpt } {
  const { options = {} } = respond
  return Object.keys(Object(options)).length === 0 ? {} : { form: createExcerpt(options) }
}

/** Turns a failure into a warning, for conventions. */
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
