import * as expect from '../../findings/expect.ts'
import type { JsonExcerpt } from '../../findings/fact-params.ts'
import type { UpstreamFailure } from '../../findings/gateway.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { BothEnds, Trial } from '../../upstream/both-ends.ts'
import { asWarning, defineGatewayCheck, failFor, markUnserved, observePolicy } from './define-check.ts'
import { compareText } from './compare-text.ts'
import {
  BODY_FAILURES,
  ERROR_EVENTS,
  type FailureTrial,
  findEndMark,
  hasRetryAfter,
  isHidden,
  LOSSES_OF_COMPLETIONS,
  LOSSES_OF_STREAMS,
  MAX_COOL_DOWN_MS,
  nameFailure,
  STATUS_FAILURES,
  tryFailures,
} from './failures.ts'
import { readText } from './read-response.ts'

const MS_PER_S = 1000

const GROUPS = {
  statuses: STATUS_FAILURES,
  bodies: BODY_FAILURES,
  'lost completions': LOSSES_OF_COMPLETIONS,
  'lost streams': LOSSES_OF_STREAMS,
  'error events': ERROR_EVENTS,
} as const satisfies Readonly<Record<string, readonly UpstreamFailure[]>>

type Group = keyof typeof GROUPS

/** Returns whether the upstream sent the failure. A gateway that cools down does not forward the request. */
function hasArrived({ seen: { upstream } }: FailureTrial): boolean {
  return upstream.length > 0
}

function judgeFailures(ends: BothEnds, group: Group, trials: readonly FailureTrial[]): Outcome {
  const hidden = trials.filter((trial) => hasArrived(trial) && isHidden(trial))
  const [first] = hidden
  if (first === undefined) {
    const silent = trials.find(({ seen: { client } }) => client.error?.kind === 'timeout')
    if (silent !== undefined) {
      const { failure, seen } = silent
      const waitedMs = Math.floor(seen.client.totalMs / MS_PER_S) * MS_PER_S
      ends.show(seen)
      return expect.markNotTestable({ code: 'gateway-hung', params: { failure, waitedMs } })
    }
    const isComplete = trials.length === GROUPS[group].length && trials.every(hasArrived)
    return isComplete ? expect.pass({ rule: 'visible-failure' }) : markNotForwarded(ends, trials)
  }
  const { client } = first.seen
  const end = first.failure.isStream ? findEndMark(client) : undefined
  const failures = hidden.map(({ failure }) => failure)
  const params = { failures, actualStatus: client.status, ...(end === undefined ? {} : { end }) }
  return failFor(ends, first.seen, { rule: 'visible-failure' }, { code: 'gateway-hid-failure', params })
}

function markNotForwarded(ends: BothEnds, trials: readonly FailureTrial[]): Outcome {
  const rejected = trials.find((trial) => !hasArrived(trial))
  if (rejected !== undefined && !ends.run.found.has('no-recovery')) return markUnserved(rejected.seen)
  return expect.markNotTestable({ code: 'gateway-not-recovered', params: { waitedMs: MAX_COOL_DOWN_MS } })
}

function defineFailureCheck(id: string, requirement: string, title: string, group: Group) {
  return defineGatewayCheck({
    id,
    requirement,
    title,
    alone: true,
    requests: GROUPS[group].length,
    run: async (ends) => judgeFailures(ends, group, await tryFailures(ends, group, GROUPS[group])),
  })
}

export const failureChecks = [
  defineFailureCheck(
    'gateway/error-statuses',
    'gateway/error-status',
    'shows each error status of the upstream as an error',
    'statuses',
  ),
  defineFailureCheck(
    'gateway/error-bodies',
    'gateway/error-status',
    'shows errors of the upstream with an HTML, empty or incomplete body as errors',
    'bodies',
  ),
  defineGatewayCheck({
    id: 'gateway/error-messages',
    requirement: 'gateway/error-message',
    title: 'completes error responses, with a body that client SDKs can read',
    alone: true,
    requests: STATUS_FAILURES.length,
    async run(ends) {
      const trials = await tryFailures(ends, 'statuses', STATUS_FAILURES)
      // Another check reports errors that reach the client as a success, or not at all.
      const shown = trials.filter(
        (trial) => hasArrived(trial) && !isHidden(trial) && trial.seen.client.error?.kind !== 'timeout',
      )
      if (shown.length === 0) return expect.markNoEvidence('recorded-response')
      const lost = shown.filter(({ seen: { client } }) => client.error !== undefined || client.json === undefined)
      const [first] = lost
      if (first === undefined) return expect.pass({ rule: 'error-body' })
      const params = { failures: lost.map(({ failure }) => failure), ...expect.getResponseParams(first.seen.client) }
      return asWarning(
        failFor(ends, first.seen, { rule: 'error-body' }, { code: 'gateway-lost-error', params }),
        'SDKs show no message, and send the request again if the response is cut.',
      )
    },
  }),
  defineFailureCheck(
    'gateway/lost-responses',
    'gateway/lost-response',
    'shows a complete response that the upstream does not finish as an error',
    'lost completions',
  ),
  defineFailureCheck(
    'gateway/lost-streams',
    'gateway/lost-response',
    'shows a stream that the upstream does not finish as an error',
    'lost streams',
  ),
  defineFailureCheck(
    'gateway/error-event',
    'gateway/lost-response',
    'forwards an error event in a stream as an error',
    'error events',
  ),
  defineGatewayCheck({
    id: 'gateway/cut-not-cached',
    requirement: 'gateway/cut-not-repeated',
    title: 'neither serves a cut response again from a cache, nor joins it with the response of a retry',
    alone: true,
    requests: 4,
    async run(ends) {
      const text = CUT_TEXT
      const attempts = [{ text, fault: { loseAt: 'in-body' } }, { text }, { text }, { text }]
      const fields = () => ({ stream: true, max_tokens: 100 })
      const afterCut = await judgeRepeat(ends, { respond: { attempts }, fields })
      if (afterCut.verdict === 'fail') return afterCut
      return judgeRepeat(ends, { respond: { text, fault: { itlMs: 100 } }, fields, abortAfterArrivalMs: 400 })
    },
  }),
]

const CUT_TEXT = 'One two three four five six seven eight nine ten.'

/** Sends a request whose response the upstream cuts or the client aborts, and sends it again. */
async function judgeRepeat(ends: BothEnds, { abortAfterArrivalMs, ...trial }: Trial): Promise<Outcome> {
  const first = await ends.send(abortAfterArrivalMs === undefined ? trial : { ...trial, abortAfterArrivalMs })
  const joined =
    first.upstream.length > 1 && expect.isServed(first.client)
      ? compareText(CUT_TEXT, readText(first.client) ?? '')
      : undefined
  if (joined !== undefined) {
    ends.show(first)
    const params = { part: 'text', ...joined, isStream: true } as const
    return { ...expect.fail({ rule: 'as-upstream-sent' }, { code: 'gateway-changed', params }), exchange: first.client }
  }
  const second = await ends.sendAgain({ ...first, trial })
  const arrived = readText(second.client) ?? ''
  const difference = expect.isServed(second.client) ? compareText(CUT_TEXT, arrived) : undefined
  const isForwarded = (await ends.countArrivals(second)) > Math.max(1, first.upstream.length)
  if (difference === undefined || isForwarded) return expect.pass({ rule: 'as-upstream-sent' })
  const params = { sent: difference.sent, arrived: difference.arrived }
  return failFor(ends, second, { rule: 'as-upstream-sent' }, { code: 'gateway-repeated-cut', params })
}

/** Observes every trial of these groups as one table. */
function definePolicyCheck(
  id: string,
  requirement: string,
  title: string,
  groups: readonly Group[],
  describe: (trial: FailureTrial) => JsonExcerpt | undefined,
) {
  return defineGatewayCheck({
    id,
    requirement,
    title,
    alone: true,
    requests: groups.reduce((sum, group) => sum + GROUPS[group].length, 0),
    async run(ends) {
      const trials: FailureTrial[] = []
      for (const group of groups) trials.push(...(await tryFailures(ends, group, GROUPS[group])))
      const arrived = trials.filter(hasArrived)
      if (arrived.length === 0) return markNotForwarded(ends, trials)
      const cases = arrived.flatMap((trial) => {
        const value = describe(trial)
        return value === undefined ? [] : [[nameFailure(trial.failure), value] as const]
      })
      return observePolicy(Object.fromEntries(cases))
    },
  })
}

function describeStatus({ status, error }: Exchange): string | number {
  if (error === undefined) return status
  return error.kind === 'timeout' ? 'no response' : 'connection closed'
}

export const failurePolicyChecks = [
  definePolicyCheck(
    'gateway/status-map',
    'gateway/statuses',
    'the status for each status of the upstream',
    ['statuses', 'bodies', 'lost completions'],
    ({ seen: { client } }) => describeStatus(client),
  ),
  definePolicyCheck(
    'gateway/retries',
    'gateway/retries',
    'the number of upstream requests after each failure',
    ['statuses', 'lost completions', 'lost streams'],
    ({ seen }) => seen.upstream.length,
  ),
  definePolicyCheck(
    'gateway/retry-after',
    'gateway/retry-after',
    'Retry-After of the upstream',
    ['statuses'],
    ({ failure: { status }, seen: { client } }) =>
      status === 429 || status === 503 ? (hasRetryAfter(client) ? 'forwarded' : 'dropped') : undefined,
  ),
  defineGatewayCheck({
    id: 'gateway/cool-down',
    requirement: 'gateway/cool-down',
    title: 'rejected requests after a failure of the upstream',
    alone: true,
    requests: STATUS_FAILURES.length,
    async run(ends) {
      const trials = [...(await tryFailures(ends, 'statuses', STATUS_FAILURES))]
      const longestMs = Math.max(...trials.map(({ recoveredMs = MAX_COOL_DOWN_MS }) => recoveredMs))
      const isLong = trials.some(({ recoveredMs }) => recoveredMs === undefined)
      if (isLong) return observePolicy({ 'cool-down': `more than ${MAX_COOL_DOWN_MS / MS_PER_S} s` })
      return observePolicy({ 'cool-down': longestMs === 0 ? 'none' : `up to ${roundUp(longestMs / MS_PER_S)} s` })
    },
  }),
]

/** Rounds a number of seconds up to a step that most repetitions of a measurement reach too. */
function roundUp(seconds: number): number {
  return [2, 5, 10, 20].find((step) => seconds <= step) ?? Math.ceil(seconds)
}
