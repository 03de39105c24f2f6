import { createParameterError, isApiError, type ApiError } from '../../core/api-errors.ts'
import type { PreparedOperation } from '../../operations/operation.ts'
import { EXTENSIONS, STORED_RESPONSES } from '../../operations/served-operations.ts'
import { MAX_STORED_RESPONSES, type ResponseStore } from './stored-responses.ts'

/** Maximum and default number of input items on a page. */
const MAX_ITEMS = 100
const DEFAULT_ITEMS = 20

interface RetrievalRequest {
  readonly method: string
  readonly path: string
  /** Path with the query. */
  readonly target: string
}

/**
 * Prepares a request for a stored response: GET or DELETE /v1/responses/ID, or GET /v1/responses/ID/input_items. The
 * request is free.
 * @returns an error for a response that is not stored (404), or for an invalid query (400)
 */
export function prepareRetrieval(
  { method, path, target }: RetrievalRequest,
  store: ResponseStore,
): PreparedOperation | ApiError {
  // With the option `trailing-slash`, the last part is an empty string.
  const [name = '', part = ''] = path.slice(`${EXTENSIONS.responses.path}/`.length).split('/')
  const id = decode(name)
  const stored = store.findResponse(id)
  if (stored === undefined) {
    const message = `There is no stored response '${id.slice(0, 100)}'. The emulator stores the last ${MAX_STORED_RESPONSES} generated responses with 'store' true, until a reset. An account can only read its own responses.`
    return { code: 'unknown-response', message }
  }
  const query = new URLSearchParams(target.slice(path.length))
  const body = part === '' ? readBody(stored.body, query) : listItems(stored.input, query)
  if (isApiError(body)) return body
  const isDeletion = method === 'DELETE'
  return {
    operation: STORED_RESPONSES,
    model: undefined,
    unitsPerToken: 0,
    fingerprint: `${STORED_RESPONSES} ${method} ${target}`,
    maxUsedTokens: 0,
    freeTokens: 0,
    generate() {
      if (isDeletion) store.remove(id)
      const sent = isDeletion ? JSON.stringify({ id, object: 'response', deleted: true }) : body
      return { contentType: 'application/json', body: sent, usedTokens: 0, lastToken: 0 }
    },
  }
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name // No stored response has such an ID.
  }
}

function readBody(body: string, query: URLSearchParams): string | ApiError {
  if (query.get('stream') !== 'true') return body
  return createParameterError('stream', "'stream' must be false, because the emulator streams only new responses.")
}

/** Creates a page of the input items: the newest items first, unless the query selects another order. */
function listItems(items: readonly object[], query: URLSearchParams): string | ApiError {
  const limit = Number(query.get('limit') ?? DEFAULT_ITEMS)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ITEMS) {
    return createParameterError('limit', `'limit' must be an integer from 1 to ${MAX_ITEMS}.`)
  }
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') return createParameterError('order', "'order' must be asc or desc.")
  const ordered = order === 'asc' ? items : items.toReversed()
  const after = query.get('after')
  const start = after === null ? 0 : ordered.findIndex((item) => getId(item) === after) + 1
  if (after !== null && start === 0) return createParameterError('after', "'after' must be the ID of an input item.")
  const data = ordered.slice(start, start + limit)
  const [first] = data
  const last = data.at(-1)
  return JSON.stringify({
    object: 'list',
    data,
    first_id: first === undefined ? null : getId(first),
    last_id: last === undefined ? null : getId(last),
    has_more: start + limit < ordered.length,
  })
}

function getId(item: object): unknown {
  return 'id' in item ? item.id : undefined
}
