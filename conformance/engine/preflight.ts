import { omitUndefined } from '../../common/json-object.ts'
import { hasBrokenDown, isUnknownPathStatus } from '../http/breakdown.ts'
import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { buildJsonRequest, buildListRequest, type RequestDefaults } from '../requests/build-request.ts'
import { type ApiRequest, NO_KEY, type RequestOptions } from '../requests/api-request.ts'
import { CHAT_FORMS, isFormRejection, REQUEST_FORMS } from '../requests/request-forms.ts'
import { readListedIds, tryModel } from './discover-models.ts'
import type { RequestScope } from '../traffic/request-scope.ts'
import * as expect from '../findings/expect.ts'
import type { KeyForm, RunObstacle } from '../findings/run-obstacle.ts'
import type { RunRemark } from '../findings/run-remark.ts'
import { createScope, type Session } from './session.ts'
import { getAbortReason } from '../traffic/time-limit.ts'
import { findRejectedModelRemark, findWrongTargetRemark, isHtml } from './wrong-target.ts'

/** Result of the requests before the checks. */
export interface PreflightResult {
  /** Response to the request for the list of models. */
  readonly listed: Exchange
  /** Reason why no check can test the target. Undefined if the run can continue. */
  readonly obstacle?: RunObstacle | undefined
  /** Remark that the responses may come from a different service. */
  readonly hint?: RunRemark | undefined
}

/**
 * Lists the models and sends a small chat, to detect an unreachable target or an invalid key before the checks. Without
 * a funded key, it sends the chat only if the list of models breaks down. If the target offers no chat, it only lists
 * the models. If the target rejects the chat, sends it in other forms, and uses the first form that the target serves
 * from then on. If the target rejects the key, sends the key in other forms. If it knows neither path, sends a request of
 * the other operations, because it may offer only those.
 */
export async function runPreflight(session: Session): Promise<PreflightResult> {
  using scope = createScope(session, { name: 'preflight' })
  const { keys, notOffered } = session.settings.target
  const model = chooseModel(session, 'chat')
  const basis: RequestDefaults = { model, keys, tag: session.sharedRequests.tag }
  const list = buildListRequest(basis, {})
  const usualChat = buildJsonRequest('chat', basis, {}, {})
  const send = (request: ApiRequest): Promise<Exchange> => session.sharedRequests.dispatch(scope, { request })
  const hasChat = !notOffered.includes('chat')
  const [listed, firstChat] = await Promise.all([
    send(list),
    keys.funded === undefined || !hasChat ? undefined : send(usualChat),
  ])
  // The target counts as down only if both operations break down. A breakdown of one is a finding about it.
  const usual = firstChat ?? (hasChat && hasBrokenDown(listed) ? await send(usualChat) : undefined)
  let [smallChat, chat] = [usualChat, usual]
  for (const form of usual !== undefined && isFormRejection(usual) ? CHAT_FORMS : []) {
    const request = buildJsonRequest('chat', { ...basis, form }, {}, {})
    const response = await send(request)
    if (!expect.isServed(response)) continue
    session.forms.set('chat', form)
    ;[smallChat, chat] = [request, response]
    break
  }
  const keyForm = await findAcceptedKeyForm(session, listed, chat, (options) => send(buildListRequest(basis, options)))
  const isAtRightUrl =
    [listed, chat].every((seen) => seen === undefined || isUnknownPath(seen)) &&
    (await offersOtherOperation(session, scope))
  const obstacle =
    unreachable(session, chat === undefined ? [listed] : [listed, chat]) ??
    (isAtRightUrl
      ? undefined
      : findWrongTargetRemark(session.settings.target.url, listed, chat, !notOffered.includes('models'))) ??
    keyObstacle(session, listed, chat, keyForm) ??
    sendObstacle(scope, listed, chat)
  if (obstacle !== undefined) return { listed, obstacle }
  const first = [
    { operation: 'models', request: list, seen: listed },
    ...(chat === undefined ? [] : [{ operation: 'chat', request: smallChat, seen: chat } as const]),
  ] as const
  session.health.start(
    first
      .filter(({ seen }) => !hasBrokenDown(seen))
      .map(({ operation, request, seen }) => {
        // The run must not hold the response, which may be large.
        const { totalMs } = seen
        return { operation, isServed: expect.isServed(seen), send: () => session.dispatcher.probe(request, totalMs) }
      }),
  )
  const hint =
    findModelHint(model, listed, chat) ??
    (isAtRightUrl || notOffered.includes('models') ? undefined : findServiceHint(listed, chat))
  return { listed, hint }
}

/** Returns the declared model, or the first one that may serve the operation. */
function chooseModel({ settings: { target }, catalog }: Session, operation: Operation): string {
  return target.models[operation] ?? catalog.declaredFor(operation) ?? catalog.candidates(operation)[0] ?? ''
}

function isUnknownPath({ status }: Exchange): boolean {
  return isUnknownPathStatus(status)
}

/** Returns whether the target knows the path of another operation. Tries images last, because they cost most. */
async function offersOtherOperation(session: Session, scope: RequestScope): Promise<boolean> {
  const { keys, notOffered } = session.settings.target
  if (keys.funded === undefined) return false
  for (const operation of ['transcriptions', 'speech', 'images'] as const) {
    if (notOffered.includes(operation)) continue
    const model = chooseModel(session, operation)
    const [form = { fields: {} }] = REQUEST_FORMS[operation]
    const response = await tryModel(session, scope, { operation, model, form })
    const isRejected = response.status >= 400 && response.status < 500 && !isUnknownPath(response) && !isHtml(response)
    if (isRejected || expect.isServed(response)) return true
  }
  return false
}

/** Returns a remark if the target rejects the model of the chat. Discovery tries models that it lists instead. */
function findModelHint(model: string, listed: Exchange, chat: Exchange | undefined): RunRemark | undefined {
  const listedIds = readListedIds(listed.json)
  const isTested = listedIds.length === 0 || listedIds.includes(model) || model.includes(',')
  return chat === undefined || !isTested ? undefined : findRejectedModelRemark(model, chat, listedIds)
}

/** Returns a remark if the responses may come from a different service. The remark does not affect the verdict. */
function findServiceHint(listed: Exchange, chat: Exchange | undefined): RunRemark | undefined {
  const { status: modelsStatus } = listed
  const isPage = modelsStatus === 200 && isHtml(listed)
  const isElsewhere = modelsStatus === 404 && (chat === undefined || isUnknownPath(chat))
  if (!isPage && !isElsewhere) return undefined
  return {
    code: 'other-service',
    params: omitUndefined({ modelsStatus, chatStatus: chat?.status, isPage }),
  }
}

function keyObstacle(
  session: Session,
  listed: Exchange,
  chat: Exchange | undefined,
  acceptedForm: KeyForm | undefined,
): RunObstacle | undefined {
  if (isKeyRejected(session, listed, chat)) {
    const { status: actualStatus } = listed
    if (session.settings.target.keys.funded === NO_KEY) {
      return { code: 'key-missing', params: { key: 'funded', actualStatus } }
    }
    return { code: 'funded-key-rejected', params: omitUndefined({ actualStatus, acceptedForm }) }
  }
  return chat?.status === 402 ? { code: 'funded-account-empty', params: {} } : undefined
}

/** Statuses with which services reject a key. The specification requires 401, which other checks test. */
const KEY_REJECTIONS: readonly number[] = [401, 403]

function isKeyRejected({ settings: { target } }: Session, listed: Exchange, chat: Exchange | undefined): boolean {
  if (!KEY_REJECTIONS.includes(listed.status) || target.keys.funded === undefined) return false
  return target.notOffered.includes('chat') || chat?.status === listed.status
}

/** Builds the headers of a key in a form other than that of section 5. */
const KEY_FORMS: Readonly<Record<KeyForm, (key: string) => Readonly<Record<string, string>>>> = {
  'lower-case-scheme': (key) => ({ authorization: `bearer ${key}` }),
  'no-scheme': (key) => ({ authorization: key }),
  'other-header': (key) => ({ 'x-api-key': key, 'api-key': key }),
}

/** Returns the form in which the target accepts the key, if it rejects the form that section 5 requires. */
async function findAcceptedKeyForm(
  session: Session,
  listed: Exchange,
  chat: Exchange | undefined,
  list: (options: RequestOptions) => Promise<Exchange>,
): Promise<KeyForm | undefined> {
  const { funded } = session.settings.target.keys
  if (funded === undefined || funded === NO_KEY || !isKeyRejected(session, listed, chat)) return undefined
  for (const form of ['lower-case-scheme', 'no-scheme', 'other-header'] as const) {
    const response = await list({ key: 'none', headers: KEY_FORMS[form](funded) })
    if (expect.isServed(response)) return form
  }
  return undefined
}

/** Returns the obstacle of the preflight requests. Without a chat, any response to the list suffices, even a 429. */
function sendObstacle(scope: RequestScope, listed: Exchange, chat: Exchange | undefined): RunObstacle | undefined {
  return chat === undefined && listed.error === undefined ? undefined : scope.obstacle
}

/** Returns an obstacle if no response arrived. Even a single status line proves that a service is running. */
function unreachable(session: Session, exchanges: readonly Exchange[]): RunObstacle | undefined {
  const error = exchanges[0]?.error
  if (error === undefined || exchanges.some((exchange) => exchange.status !== 0)) return undefined
  if (error.kind === 'interrupted') return getAbortReason(session.signal)
  // A limit of the run prevented the request, and the scope already contains that obstacle.
  if (error.kind === 'spend-limit') return undefined
  return {
    code: 'target-unreachable',
    params: { url: session.settings.target.url, error: error.kind, message: error.message },
  }
}
