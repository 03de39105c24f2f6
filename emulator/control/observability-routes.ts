import { summarizeTimings, type TimingLogEntry, type TimingLog } from '../observability/timing-log.ts'
import type { FastifyInstance } from 'fastify'
import { omitUndefined, toJsonObject } from '../../common/json-object.ts'
import { SERVED_OPERATIONS } from '../operations/served-operations.ts'
import type { RequestLog, RequestLogQuery } from '../observability/request-log/request-log.ts'
import { parseRequestLogChange } from '../options/parse-request-log-limits.ts'
import { ControlError, parseInteger, parseQuery, requireValid } from './parse-request.ts'
import type { EmulatorInstance } from '../instance.ts'
import { identifyAccountClient } from '../observability/client-identity.ts'
import { formatUnits, parseCredits } from '../state/credits.ts'

/** Number of log entries per response if the query has no `limit`. */
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

/**
 * Registers the routes of the request log:
 * - `GET /request-log` returns entries.
 * - `DELETE /request-log` removes all entries.
 * - `PATCH /request-log` with `{"bodies": 65536, "digests": 1}` changes one or both limits, and returns all limits.
 */
export function registerRequestLogRoutes(server: FastifyInstance, log: RequestLog): void {
  server.get('/request-log', ({ query }) => log.read(requireValid(parseLogQuery(query))))
  server.delete('/request-log', (_request, reply) => {
    log.clear()
    return reply.code(204).send()
  })
  server.patch('/request-log', ({ body }) => log.setLimits(requireValid(parseRequestLogChange(body))))
}

/**
 * Parses `?account=&operation=&status=&after=&before=&limit=&tail=&bodies=`. `status` is an HTTP status, a class such
 * as `4xx`, or `none` for requests without a response. `tail` selects the last entries instead of the first. `bodies=0`
 * omits the bodies.
 * @returns the query, or a sentence that describes the error
 */
function parseLogQuery(query: unknown): RequestLogQuery | string {
  const values = parseQuery(query, ['account', 'operation', 'status', 'after', 'before', 'limit', 'tail', 'bodies'])
  const { account, operation, status, tail, bodies } = values
  if (operation !== undefined && !SERVED_OPERATIONS.includes(operation)) {
    return `Unknown operation '${operation}'. The operations are ${SERVED_OPERATIONS.join(', ')}.`
  }
  const statuses = status === undefined ? null : parseStatuses(status)
  if (statuses === undefined)
    return "The parameter 'status' must be a status such as 429, a class such as 4xx, or none."
  if (tail !== undefined && values.limit !== undefined) return "Give 'limit' or 'tail', not both."
  const after = parseInteger(values.after ?? '0', 0, Number.MAX_SAFE_INTEGER)
  if (after === undefined) return "The parameter 'after' must be the 'seq' of an entry."
  const before = values.before === undefined ? null : parseInteger(values.before, 1, Number.MAX_SAFE_INTEGER)
  if (before === undefined) return "The parameter 'before' must be the 'seq' of an entry."
  if (bodies !== undefined && bodies !== '0' && bodies !== '1') return "The parameter 'bodies' must be 0 or 1."
  const limit = parseInteger(tail ?? values.limit ?? String(DEFAULT_LIMIT), 1, MAX_LIMIT)
  if (limit === undefined) return `The parameters 'limit' and 'tail' must be integers from 1 to ${MAX_LIMIT}.`
  return omitUndefined<RequestLogQuery>({
    account,
    operation,
    status: status === undefined ? undefined : statuses,
    before: before ?? undefined,
    after,
    limit,
    fromEnd: tail !== undefined,
    omitsBodies: bodies === '0',
  })
}

/**
 * Parses the query parameter `status`: an HTTP status such as `429`, a class such as `4xx`, or `none`.
 * @returns the range of statuses, null for `none`, or undefined if the text is invalid
 */
function parseStatuses(text: string): { readonly min: number; readonly max: number } | null | undefined {
  if (text === 'none') return null
  const family = /^([1-5])xx$/.exec(text)?.[1]
  if (family !== undefined) return { min: Number(family) * 100, max: Number(family) * 100 + 99 }
  const status = parseInteger(text, 100, 599)
  return status === undefined ? undefined : { min: status, max: status }
}

/**
 * Registers `GET /client-audit`, which returns the report of the client audit. Also registers `POST /client-audit/billing`, which
 * compares the costs that a client computed with the emulator's charges.
 */
export function registerClientAuditRoutes(server: FastifyInstance, { observer, accounts }: EmulatorInstance): void {
  server.get('/client-audit', (request) => {
    const { account, keyFingerprint } = parseQuery(request.query, ['account', 'keyFingerprint'])
    return observer.clientAudit.report(
      (client) =>
        (account === undefined || client.account === account) &&
        (keyFingerprint === undefined || client.keyFingerprint === keyFingerprint),
    )
  })

  server.post('/client-audit/billing', ({ body }) => {
    const { account: id, believedUnits } = requireValid(parseBillingReport(body))
    const account = accounts.findById(id)
    if (account === undefined) throw new ControlError(404, `There is no account '${id}'.`)
    const { chargedUnits, heldUnits } = account.ledger.balance()
    observer.clientAudit.reportBilling(identifyAccountClient(account), { believedUnits, chargedUnits })
    return {
      account: id,
      agrees: believedUnits === chargedUnits,
      believed: formatUnits(believedUnits),
      charged: formatUnits(chargedUnits),
      difference: formatUnits(believedUnits - chargedUnits),
      held: formatUnits(heldUnits),
    }
  })
}

/**
 * Parses `{"account": "account-1", "credits": "0.0532"}`, the costs that a client computed.
 * @returns the account id and the costs, or a sentence that describes the error
 */
function parseBillingReport(body: unknown): { readonly account: string; readonly believedUnits: number } | string {
  const { account, credits } = toJsonObject(body)
  const believedUnits = typeof credits === 'string' ? parseCredits(credits) : undefined
  if (typeof account !== 'string' || believedUnits === undefined) {
    return 'Send {"account": "<id>", "credits": "0.0532"}: the charges so far, as the client computed them.'
  }
  return { account, believedUnits }
}

/** Registers `GET /metrics`, which returns metrics in the Prometheus text format. */
export function registerMetricsRoute(
  server: FastifyInstance,
  { observer, load, accounts, slots }: EmulatorInstance,
): void {
  server.get('/metrics', async (_request, reply) => {
    // Imported on first use, to shorten the startup.
    const { renderMetrics, METRICS_CONTENT_TYPE } = await import('../observability/metrics/render-metrics.ts')
    const text = renderMetrics(observer.metrics, {
      inFlight: load.inFlight,
      accounts: accounts.all().length,
      requestLogEntries: observer.requestLog.kept,
      slots,
    })
    return reply.type(METRICS_CONTENT_TYPE).send(text)
  })
}

/**
 * Registers `GET /timing`, which summarizes the write delays of response events, and `GET /timing/responses`, which lists
 * the write times of each response. `?id=` selects one request.
 */
export function registerTimingRoutes(server: FastifyInstance, timings: TimingLog): void {
  server.get('/timing', () => summarizeTimings(timings.list()))
  server.get('/timing/responses', ({ query }) => {
    const { id } = parseQuery(query, ['id'])
    const selected = timings.list().filter(({ requestId }) => id === undefined || requestId === id)
    return { responses: selected.map(formatTiming) }
  })
}

function formatTiming({ plannedMs, writtenMs, ...response }: TimingLogEntry) {
  return { ...response, plannedMs: Array.from(plannedMs), writtenMs: Array.from(writtenMs) }
}
