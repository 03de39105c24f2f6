import type { Operation } from '../../contract/facts.ts'
import { getMember } from '../http/decode-body.ts'
import type { Exchange } from '../http/exchange.ts'
import { buildFormFields, buildFormRequest, buildJsonRequest, type RequestDefaults } from '../requests/build-request.ts'
import {
  CHAT_FORMS,
  isFormRejection,
  REQUEST_FORMS,
  type RequestForm,
  SEARCHED_OPERATIONS,
  type SearchedOperation,
} from '../requests/request-forms.ts'
import { findRejectedModelRemark } from './wrong-target.ts'
import type { RequestScope } from '../traffic/request-scope.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import { selectCatalog, countAdditionalModels, type ModelCatalog } from './model-catalog.ts'
import { createScope, type Session } from './session.ts'

/** Number of timeouts after which discovery for an operation stops, because each takes a whole deadline. */
const MAX_TIMEOUTS = 1

/**
 * Finds a model for each operation of `wanted`. Sends the plainest request to the model that the owner declares, or else to each model of the
 * catalog in order, and then other forms of the request, until one succeeds. For chat, uses the cheapest model that the target lists, without sending a request,
 * because every specified or declared model must serve chat. If the target lists only other models, also sends chats to
 * find one that serves chat. If none does, but the target serves a specified model that it does not list, or if the
 * owner declares a specified model for chat, uses the specified models.
 * @returns the reason if no check can test the target
 */
export async function discoverModels(
  session: Session,
  wanted: ReadonlySet<Operation>,
  listed: Exchange,
): Promise<RunObstacle | undefined> {
  const listedIds = readListedIds(listed.json)
  const unlisted = session.catalog
  session.catalog = selectCatalog(unlisted, listedIds)
  session.models.set('models', '')
  if (!session.settings.target.notOffered.includes('chat')) {
    const chat = await chatModel(session, listed, unlisted)
    if (typeof chat !== 'string') return chat
    session.models.set('chat', chat)
  }
  session.additionalModels = countAdditionalModels(session.catalog, listedIds)
  const searches = SEARCHED_OPERATIONS.filter((operation) => wanted.has(operation))
  await Promise.all(searches.map((operation) => discover(session, operation)))
  return undefined
}

async function discover(session: Session, operation: SearchedOperation): Promise<void> {
  const declared = session.settings.target.models[operation] ?? session.catalog.declaredFor(operation)
  const candidates = declared === undefined ? session.catalog.candidates(operation) : [declared]
  const found = await search(session, operation, candidates, REQUEST_FORMS[operation])
  // The checks report why a declared model does not serve the operation.
  const model = 'model' in found ? found.model : declared
  if (model !== undefined) session.models.set(operation, model)
  if (!('model' in found) && declared === undefined) {
    session.modelObstacles.set(operation, found)
    if (found.code === 'rate-limited') session.dispatcher.gates.closeBecause(operation, found)
  }
}

async function search(
  session: Session,
  operation: SearchedOperation | 'chat',
  models: readonly string[],
  forms: readonly RequestForm[],
): Promise<{ readonly model: string } | RunObstacle> {
  using scope = createScope(session, { name: `discover ${operation}` })
  const seen: string[] = []
  let candidates = models
  for (const form of forms) {
    const rejected: string[] = []
    for (const model of candidates) {
      const exchange = await tryModel(session, scope, { operation, model, form })
      if (exchange.status >= 200 && exchange.status < 300) {
        session.forms.set(operation, form)
        return { model }
      }
      if (operation === 'chat') session.modelRemark ??= findRejectedModelRemark(model, exchange, models)
      const stop = reasonToStop(exchange, scope, seen)
      if (stop !== undefined) return stop
      seen.push(exchange.status === 0 ? (exchange.error?.kind ?? 'none') : String(exchange.status))
      if (isFormRejection(exchange)) rejected.push(model)
    }
    // Sends other forms of the request only to models whose error response may concern the form.
    candidates = rejected
  }
  return { code: 'no-model-found', params: { operation, models: models.length, responses: [...new Set(seen)] } }
}

function reasonToStop(exchange: Exchange, scope: RequestScope, seen: readonly string[]): RunObstacle | undefined {
  if (scope.obstacle !== undefined) return scope.obstacle
  if (exchange.status === 402) return { code: 'credits-used-up', params: {} }
  const timeouts = seen.filter((kind) => kind === 'timeout').length + (exchange.error?.kind === 'timeout' ? 1 : 0)
  return timeouts >= MAX_TIMEOUTS ? { code: 'model-search-timed-out', params: {} } : undefined
}

interface Candidate {
  readonly operation: SearchedOperation | 'chat'
  readonly model: string
  readonly form: RequestForm
}

/** Sends the plainest request of an operation, with a model and in a form. */
export function tryModel(
  session: Session,
  scope: RequestScope,
  { operation, model, form }: Candidate,
): Promise<Exchange> {
  const basis: RequestDefaults = { model, keys: session.settings.target.keys, tag: session.sharedRequests.tag, form }
  if (operation === 'transcriptions') {
    const fields = buildFormFields(basis, {})
    return session.sharedRequests.dispatch(scope, { request: buildFormRequest(basis, fields, {}), form: fields })
  }
  return session.sharedRequests.dispatch(scope, { request: buildJsonRequest(operation, basis, {}, {}) })
}

/**
 * Returns the declared chat model, or otherwise a specified model, preferably a listed one. If the target lists only
 * other models, sends chats to find one that serves chat. If none does, tries a model of `unlisted`, and sets this
 * catalog if the target serves the model. Also sets it if it contains the declared model. Otherwise, returns the first
 * candidate, so that the chat checks report this.
 * @param unlisted the catalog before the target listed its models
 * @returns an obstacle if the account has no credits
 */
async function chatModel(session: Session, listed: Exchange, unlisted: ModelCatalog): Promise<string | RunObstacle> {
  const { catalog, settings } = session
  const declared = settings.target.models.chat ?? catalog.declaredFor('chat')
  if (declared !== undefined) {
    if (unlisted.has(declared)) session.catalog = unlisted
    return declared
  }
  const candidates = catalog.candidates('chat')
  if (catalog.origin === 'listed') {
    const own = await searchChatModel(session, candidates)
    const specified = own ?? (await searchChatModel(session, unlisted.candidates('chat').slice(0, 1)))
    if (specified !== undefined) session.modelRemark = undefined
    if (own !== undefined) return own
    if (typeof specified === 'string') session.catalog = unlisted
    return specified ?? candidates[0] ?? ''
  }
  const ids = new Set(readListedIds(listed.json))
  return candidates.find((model) => ids.has(model)) ?? candidates[0] ?? ''
}

/** Returns the first model that serves a chat, or undefined if there is none. */
async function searchChatModel(
  session: Session,
  candidates: readonly string[],
): Promise<string | RunObstacle | undefined> {
  const forms = [session.forms.get('chat') ?? { fields: {} }, ...CHAT_FORMS]
  const found = await search(session, 'chat', candidates, forms)
  if ('model' in found) return found.model
  return found.code === 'credits-used-up' ? { code: 'funded-account-empty', params: {} } : undefined
}

/** Returns the IDs in a list of models, without empty ones. Returns an empty array if the JSON is no such list. */
export function readListedIds(json: unknown): readonly string[] {
  const data = getMember(json, 'data')
  const ids = Array.isArray(data) ? data.map((item) => getMember(item, 'id')) : []
  return ids.flatMap((id) => (typeof id === 'string' && id !== '' ? [id] : []))
}
