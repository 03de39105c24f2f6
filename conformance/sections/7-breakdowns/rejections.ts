import { defineSummaryCheck } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import { isDoubtful } from '../../traffic/attempt-policy.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import {
  evidenceOf,
  groupRequests,
  listSentRequests,
  MAX_FLAKES_PERCENT,
  mayBeFlakes,
  type SentRequest,
} from './sent-requests.ts'

const CONSEQUENCE = 'a client under load gets errors that it does not repeat, although its requests are valid'

/** Number of parallel requests in the command of the report. */
const SHOWN_IN_PARALLEL = 16

/** Returns whether the target rejected an attempt although it should serve it. */
function isRejected({ exchange, key, kind }: LoggedExchange): boolean {
  return isDoubtful({ request: { ...exchange.request, key } }, exchange, { kind })
}

/** Returns whether the target rejected a request in a group, but not its repeat or other requests outside the group. */
function isRejectedInParallel({ attempts, last }: SentRequest, rejectsAlone: (status: number) => boolean): boolean {
  if (!attempts.some(isRejected)) return false
  return !isRejected(last) || (last.parallel !== undefined && !rejectsAlone(last.exchange.status))
}

/** Finds requests with the funded key that the target rejects only under load. The engine repeats each alone. */
export const rejectionsCheck = defineSummaryCheck({
  id: '7/rejected-in-parallel',
  requirement: '7/statuses',
  title: 'does not reject a valid request only because others run in parallel',
  operation: 'chat',
  summarize(run) {
    // Other requests prove nothing about a valid one, although the engine repeats them too after a 401 or 402.
    const requests = listSentRequests(run).filter(({ last }) => last.key === 'funded' && last.kind === 'valid')
    if (!requests.some(({ last }) => expect.isServed(last.exchange)))
      return { outcome: expect.markNoEvidence('recorded-response') }
    const alone = requests.filter(({ last }) => last.parallel === undefined && isRejected(last))
    const rejectsAlone = (status: number): boolean => alone.some(({ last }) => last.exchange.status === status)
    const found = requests.filter((request) => isRejectedInParallel(request, rejectsAlone))
    const expected = { maxFlakesPercent: run.maxFlakesPercent ?? MAX_FLAKES_PERCENT }
    if (found.length === 0) return { outcome: expect.pass(expected, { kind: 'requests', requests: requests.length }) }
    const groups = groupRequests(found, ({ attempts, last }) => (attempts.find(isRejected) ?? last).exchange)
    const endpoints = new Set(groups.map(({ group }) => group.endpoint))
    const of = requests.filter(({ last: { exchange } }) =>
      endpoints.has(`${exchange.request.method} ${exchange.request.path}`),
    )
    const params = { rejected: found.length, requests: of.length, by: groups.map(({ group }) => group) }
    const finding = { code: 'rejected-in-parallel', params } as const
    const outcome = mayBeFlakes(found.length, requests.length, run.maxFlakesPercent)
      ? expect.warn(expected, finding, CONSEQUENCE)
      : expect.fail(expected, finding)
    const first = groups.flatMap((group) => group.requests.slice(0, 1))
    const others = found.filter((request) => !first.includes(request))
    return { outcome: { ...outcome, parallel: SHOWN_IN_PARALLEL }, evidence: evidenceOf([...first, ...others]) }
  },
})
