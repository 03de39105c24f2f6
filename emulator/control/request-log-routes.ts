import type { FastifyInstance } from 'fastify'
import { OPERATIONS } from '../../contract/facts.ts'
import type { RequestLog, RequestLogQuery } from '../observability/request-log/request-log.ts'
import { parseCount, parseQuery } from './parse-query.ts'

/** Entries of a page, unless `limit` says otherwise, and at most. */
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

/** GET and DELETE /__emulator/journal. */
export function registerRequestLogRoutes(server: FastifyInstance, journal: RequestLog): void {
  server.get('/journal', (request, reply) => {
    const query = parseLogQuery(request.query)
    if (typeof query === 'string') return reply.code(400).send({ error: query })
    return reply.send(journal.read(query))
  })
  server.delete('/journal', (_request, reply) => {
    journal.clear()
    return reply.code(204).send()
  })
}

/**
 * Reads `?account=&operation=&status=&after=&limit=&tail=`. `status=none` asks for requests that got no answer; `tail` for
 * the last entries instead of the first.
 */
function parseLogQuery(query: unknown): RequestLogQuery | string {
  const values = parseQuery(query, ['account', 'operation', 'status', 'after', 'limit', 'tail'])
  if (typeof values === 'string') return values
  const { account, operation, status, tail } = values
  if (operation !== undefined && !Object.hasOwn(OPERATIONS, operation)) {
    return `There is no operation '${operation}'; there are ${Object.keys(OPERATIONS).join(', ')}.`
  }
  const code = status === undefined || status === 'none' ? null : parseCount(status, 100, 599)
  if (code === undefined) return "The parameter 'status' must be a status such as 429, or none."
  if (tail !== undefined && values.limit !== undefined) return "Give 'limit' or 'tail', not both."
  const after = parseCount(values.after ?? '0', 0, Number.MAX_SAFE_INTEGER)
  if (after === undefined) return "The parameter 'after' must be the 'seq' of an entry."
  const limit = parseCount(tail ?? values.limit ?? String(DEFAULT_LIMIT), 1, MAX_LIMIT)
  if (limit === undefined) return `The parameters 'limit' and 'tail' must be integers from 1 to ${MAX_LIMIT}.`
  return {
    ...(account === undefined ? {} : { account }),
    ...(operation === undefined ? {} : { operation }),
    ...(status === undefined ? {} : { status: code }),
    after,
    limit,
    fromEnd: tail !== undefined,
  }
}
