import type { ProxiedRequest, ProxiedResponse, ProxyHooks } from '../proxy-hooks.ts'
import { isCompletionRequest } from './match.ts'

/** Repeats the completion of an earlier chat whose body is the same without the text that `ignored` matches. */
export function cacheWithout(ignored: RegExp): ProxyHooks {
  const stored = new Map<string, ProxiedResponse>()
  const keyOf = ({ body, headers }: ProxiedRequest) =>
    `${headers['authorization']} ${body.toString('utf8').replace(ignored, '')}`
  const isCached = isCompletionRequest
  return {
    onRequest: (request) => (isCached(request) ? (stored.get(keyOf(request)) ?? request) : request),
    onResponse(response, request) {
      if (isCached(request) && response.status === 200) stored.set(keyOf(request), response)
      return response
    },
  }
}
