import type { FastifyError, FastifyInstance } from 'fastify'
import type { EmulatorInstance } from '../core/pipeline.ts'
import { resetInstance } from '../instance.ts'
import { registerFaultRoutes } from './fault-routes.ts'
import { pathOf } from '../core/receive.ts'
import type { Account } from '../state/accounts.ts'
import { creditsFromUnits } from '../state/credits.ts'
import { summarize, type ResponseTiming } from '../observability/timing-record.ts'
import { guardAccess } from './guard-access.ts'
import { createTokenCheck, guardToken } from './control-token.ts'
import { parseAccountOptions } from './read-account-terms.ts'
import { registerBalanceRoute } from './balance-routes.ts'
import { registerClockRoutes } from './clock-routes.ts'
import { registerConsoleRoute } from './console-routes.ts'
import { registerClientAuditRoutes } from './client-audit-routes.ts'
import { registerRequestLogRoutes } from './request-log-routes.ts'
import { registerLedgerRoutes } from './ledger-routes.ts'
import { registerMetricsRoute } from './metrics-routes.ts'

/** Largest body of a control request in bytes. */
const BODY_LIMIT_BYTES = 1024 * 1024

/** The control interface, outside the document. Errors are `{"error": "<sentence>"}`. `boundHost`: where it listens. */
export function registerControlApi(server: FastifyInstance, instance: EmulatorInstance, boundHost: string): void {
  const { publicUrl, controlToken } = instance.settings
  const lock = createTokenCheck(controlToken)
  guardAccess(server, { boundHost, publicUrl })
  guardToken(server, lock)
  server.addHook('onRequest', async () => instance.scheduler.flushDeferred()) // whoever asks is told all that has ended
  const parseJson = server.getDefaultJsonParser('error', 'ignore')
  server.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    // Clients that state this type whatever they send need not send anything.
    (request, body, done) => (body === '' ? done(null, undefined) : parseJson(request, body, done)),
  )
  server.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `There is no ${request.method} ${pathOf(request.url).slice(0, 100)}.` }),
  )
  server.setErrorHandler((error: FastifyError, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
  )

  server.get('/health', ({ headers }) =>
    lock(headers) ? { status: 'ok', inFlight: instance.load.inFlight } : { status: 'locked' },
  )
  server.get('/accounts', () => ({ accounts: instance.accounts.all().map(describe) }))
  server.post('/accounts', (request, reply) => {
    const terms = parseAccountOptions(request.body)
    if (typeof terms === 'string') return reply.code(400).send({ error: terms })
    const account = instance.accounts.create(terms)
    if (account === undefined)
      return reply.code(400).send({ error: 'There are too many accounts. Reset the emulator.' })
    const { id, key } = account
    return reply.code(201).send({ id, key, credits: creditsFromUnits(terms.startUnits) })
  })
  registerConsoleRoute(server)
  registerRequestLogRoutes(server, instance.records.journal)
  registerBalanceRoute(server, instance.accounts)
  registerLedgerRoutes(server, instance.accounts)
  registerMetricsRoute(server, instance)
  registerClientAuditRoutes(server, instance)
  registerClockRoutes(server, instance)
  server.get('/openapi.json', async () =>
    (await import('./openapi/build-document.ts')).buildDocument(instance.settings),
  )
  server.get('/timing', () => summarize(instance.timings.list()))
  server.get('/timing/answers', () => ({ answers: instance.timings.list().map(formatTiming) }))
  registerFaultRoutes(server, instance.faults)
  server.post('/reset', (_request, reply) => {
    resetInstance(instance)
    return reply.code(204).send()
  })
}

/** The times of one answer as plain arrays. */
function formatTiming({ plannedMs, writtenMs, ...answer }: ResponseTiming) {
  return { ...answer, plannedMs: Array.from(plannedMs), writtenMs: Array.from(writtenMs) }
}

/** An account as the control interface shows it: credits as decimal strings, of the key only its end. */
function describe({ id, key, ledger }: Account) {
  const balance = ledger.balance()
  return {
    id,
    keySuffix: key.slice(-4),
    credits: creditsFromUnits(balance.availableUnits),
    held: creditsFromUnits(balance.heldUnits),
    charged: creditsFromUnits(balance.chargedUnits),
  }
}
