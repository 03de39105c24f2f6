import type { FastifyInstance } from 'fastify'
import { OPERATIONS } from '../../contract/facts.ts'
import type { Journal, JournalQuery } from '../observability/request-log/request-log.ts'
import { readCount, readQuery } from './parse-query.ts'

/** Entries of a page, unless `limit` says otherwise, and at most. */
const USUAL_LIMIT = 100
const MOST_LIMIT = 1000

/** GET and DELETE /__emulator/journal. */
export function serveJournal(server: FastifyInstance, journal: Journal): void {
  server.get('/journal', (request, reply) => {
    const query = readJournalQuery(request.query)
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
function readJournalQuery(query: unknown): JournalQuery | string {
  const values = readQuery(query, ['account', 'operation', 'status', 'after', 'limit', 'tail'])
  if (typeof values === 'string') return values
  const { account, operation, status, tail } = values
  if (operation !== undefined && !Object.hasOwn(OPERATIONS, operation)) {
    return `There is no operation '${operation}'; there are ${Object.keys(OPERATIONS).join(', ')}.`
  }
  const code = status === undefined || status === 'none' ? null : readCount(status, 100, 599)
  if (code === undefined) return "The parameter 'status' must be a status such as 429, or none."
  if (tail !== undefined && values.limit !== undefined) return "Give 'limit' or 'tail', not both."
  const after = readCount(values.after ?? '0', 0, Number.MAX_SAFE_INTEGER)
  if (after === undefined) return "The parameter 'after' must be the 'seq' of an entry."
  const limit = readCount(tail ?? values.limit ?? String(USUAL_LIMIT), 1, MOST_LIMIT)
  if (limit === undefined) return `The parameters 'limit' and 'tail' must be integers from 1 to ${MOST_LIMIT}.`
  return {
    ...(account === undefined ? {} : { account }),
    ...(operation === undefined ? {} : { operation }),
    ...(status === undefined ? {} : { status: code }),
    after,
    limit,
    fromEnd: tail !== undefined,
  }
}
