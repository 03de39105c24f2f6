import { createHash } from 'node:crypto'
import type { Exchange } from '../../http/exchange.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { getItems, getMember } from './response-access.ts'
import { parseStream } from './stream.ts'

/** Returns the id of a completion or of the first chunk of a stream, or the URL of the first image. */
export function getResultId(exchange: Exchange): string | undefined {
  const first = exchange.events.length > 0 ? parseStream(exchange).chunks[0]?.json : exchange.json
  const id = getMember(first, 'id') ?? getMember(getItems(getMember(first, 'data'))[0], 'url')
  return typeof id === 'string' ? id : undefined
}

function isMarkedAsCached({ headers }: Exchange): boolean {
  return Number(headers['age'] ?? 0) > 0 || /\bhit\b/i.test(headers['x-cache'] ?? '')
}

const contentKeys = new WeakMap<Exchange['request'], string>()

/** Returns a string that is equal for requests with the same method, path and body, regardless of their header fields. */
export function getContentKey({ request }: Exchange): string {
  const { method, path, body = '' } = request
  const key = contentKeys.get(request) ?? `${method} ${path} ${createHash('sha256').update(body).digest('base64')}`
  contentKeys.set(request, key)
  return key
}

/**
 * Returns a function that finds an earlier response which a cache sent again: that to a request with the same content
 * and the same result ID, or with the same content if the header fields name a cache. A target that gives all results
 * the same ID has no cache.
 */
export function findCachedResponses(
  earlier: readonly LoggedExchange[],
): (repeated: LoggedExchange) => LoggedExchange | undefined {
  const byContent = Map.groupBy(earlier, ({ exchange }) => getContentKey(exchange))
  const contentsById = new Map<string, Set<string>>()
  for (const { exchange } of earlier) {
    const id = getResultId(exchange)
    if (id !== undefined) contentsById.set(id, (contentsById.get(id) ?? new Set()).add(getContentKey(exchange)))
  }
  return ({ request, exchange }) => {
    const id = getResultId(exchange)
    const isOwnId = id !== undefined && contentsById.get(id)?.size === 1
    return byContent
      .get(getContentKey(exchange))
      ?.find(
        (one) =>
          one.request !== request &&
          one.exchange.startedAtMs <= exchange.startedAtMs &&
          (isMarkedAsCached(exchange) || (isOwnId && getResultId(one.exchange) === id)),
      )
  }
}
