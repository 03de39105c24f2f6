import {
  bufferRequest,
  createBody,
  type GatewayResponse,
  isChat,
  isEventStream,
  type Middleware,
  readBody,
} from './gateway-message.ts'

/** Serves a completion again to requests whose body has the same key. */
export function cacheCompletions(keyOf: (body: Buffer) => string): Middleware {
  const cache = new Map<string, GatewayResponse>()
  return async (incoming, forward) => {
    if (!isChat(incoming)) return await forward(incoming)
    const { request, bytes: requestBody } = await bufferRequest(incoming)
    const key = keyOf(requestBody)
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const response = await forward(request)
    if (response.status !== 200 || isEventStream(response)) return response
    const { bytes, isCut } = await readBody(response.body)
    if (isCut) throw new Error('The upstream cut the response')
    const complete = { ...response, body: createBody(bytes) }
    cache.set(key, complete)
    return complete
  }
}
