import { hasBrokenDown } from '../http/breakdown.ts'
import type { Exchange } from '../http/exchange.ts'
import { buildJsonRequest, buildListRequest, type RequestDefaults } from '../requests/build-request.ts'
import type { RequestScope } from './request-scope.ts'
import * as expect from '../outcomes/expect.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { RunRemark } from '../outcomes/run-remark.ts'
import { createScope, type Session } from './session.ts'
import { getAbortReason } from './time-limit.ts'
import { findWrongTargetRemark } from './wrong-target.ts'

/** Result of the requests before the checks. */
export interface Preflight {
  /** Response to the list of models. */
  readonly listed: Exchange
  /** Reason why no check can test the target, or undefined if the run can continue. */
  readonly obstacle?: RunObstacle
  /** Remark that the responses look like those of another service. */
  readonly hint?: RunRemark
}

/**
 * Requests the models and a small chat to detect an unreachable target or an invalid key, which would prevent all
 * checks. Without a key, or if the target offers no chat, it requests only the list of models, and a chat only if the
 * list breaks down.
 */
export async function preflight(session: Session): Promise<Preflight> {
  const scope = createScope(session, { name: 'preflight' })
  const { keys, models, notOffered } = session.settings.target
  const { catalog } = session
  const model = models.chat ?? catalog.declaredFor('chat') ?? catalog.candidates('chat')[0] ?? ''
  const basis: RequestDefaults = { model, keys, tag: session.sharedRequests.tag }
  const list = buildListRequest(basis, {})
  const smallChat = buildJsonRequest('chat', basis, {}, {})
  const sendChat = (): Promise<Exchange> => session.sharedRequests.dispatch(scope, { request: smallChat })
  const hasChat = !notOffered.includes('chat')
  const [listed, firstChat] = await Promise.all([
    session.sharedRequests.dispatch(scope, { request: list }),
    keys.funded === undefined || !hasChat ? undefined : sendChat(),
  ])
  // A single operation that breaks down is a finding. The target counts as down only if a second one breaks down, too.
  const chat = firstChat ?? (hasChat && hasBrokenDown(listed) ? await sendChat() : undefined)
  const obstacle =
    unreachable(session, chat === undefined ? [listed] : [listed, chat]) ??
    keyObstacle(session, listed, chat) ??
    findWrongTargetRemark(session.settings.target.url, listed, chat) ??
    sendObstacle(scope, listed, chat)
  if (obstacle !== undefined) return { listed, obstacle }
  const health = hasBrokenDown(listed) ? { request: smallChat, seen: chat } : { request: list, seen: listed }
  const deadlineMs = Math.max(MIN_HEALTH_DEADLINE_MS, HEALTH_DEADLINE_FACTOR * (health.seen?.totalMs ?? 0))
  const wasServed = health.seen !== undefined && expect.isServed(health.seen)
  session.dispatcher.watch(() => session.dispatcher.probe(health.request, deadlineMs), wasServed)
  const hint = findServiceHint(listed, chat)
  return hint === undefined ? { listed } : { listed, hint }
}

/**
 * Minimum deadline of a health request in milliseconds, and the ratio of the deadline to the duration of the first
 * response.
 */
const MIN_HEALTH_DEADLINE_MS = 5000
const HEALTH_DEADLINE_FACTOR = 5

/** Statuses of servers that do not have a path, or do not accept a POST to it. */
const UNKNOWN_PATH_STATUSES: readonly number[] = [404, 405, 501]

/** Returns a remark if the responses may come from another service. The remark does not affect the verdict. */
function findServiceHint(listed: Exchange, chat: Exchange | undefined): RunRemark | undefined {
  const { status: modelsStatus } = listed
  const isPage = modelsStatus === 200 && /^text\/html\b/i.test(listed.headers['content-type'] ?? '')
  const isUnknownPath = modelsStatus === 404 && (chat === undefined || UNKNOWN_PATH_STATUSES.includes(chat.status))
  if (!isPage && !isUnknownPath) return undefined
  return {
    code: 'other-service',
    params: { modelsStatus, ...(chat === undefined ? {} : { chatStatus: chat.status }), isPage },
  }
}

function keyObstacle(
  { settings: { target } }: Session,
  listed: Exchange,
  chat: Exchange | undefined,
): RunObstacle | undefined {
  const hasChat = !target.notOffered.includes('chat')
  if (listed.status === 401 && (chat?.status === 401 || (!hasChat && target.keys.funded !== undefined))) {
    return { code: 'funded-key-rejected', params: {} }
  }
  return chat?.status === 402 ? { code: 'funded-account-empty', params: {} } : undefined
}

/** Returns the obstacle of the requests, if any. Without a key, a rate limit on the list does not affect the checks. */
function sendObstacle(scope: RequestScope, listed: Exchange, chat: Exchange | undefined): RunObstacle | undefined {
  return chat === undefined && listed.error === undefined ? undefined : scope.obstacle
}

/** Returns an obstacle if no request got a status. A single status proves that a service is running. */
function unreachable(session: Session, exchanges: readonly Exchange[]): RunObstacle | undefined {
  const error = exchanges[0]?.error
  if (error === undefined || exchanges.some((exchange) => exchange.status !== 0)) {
    return undefined
  }
  if (error.kind === 'interrupted') return getAbortReason(session.signal)
  // A limit of the run prevented the request. The scope contains that obstacle.
  if (error.kind === 'spend-limit') return undefined
  return {
    code: 'target-unreachable',
    params: { url: session.settings.target.url, error: error.kind, message: error.message },
  }
}
