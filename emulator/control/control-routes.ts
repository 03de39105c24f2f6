import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance } from 'fastify'
import { isNestedDeeper } from '../../common/json-depth.ts'
import type { EmulatorInstance } from '../instance.ts'
import { isExtension } from '../operations/served-operations.ts'
import { resetInstance } from '../instance.ts'
import { registerFaultRoutes } from './fault-routes.ts'
import { registerFixtureRoutes } from './fixture-routes.ts'
import { MAX_JSON_DEPTH, parseJson } from '../../common/parse-json.ts'
import { SPECIFIED_MODELS } from '../state/model-catalog.ts'
import { extractPath } from '../core/request-context.ts'
import { rejectForeignOrigins, createTokenValidator, requireControlToken } from './access-control.ts'
import { registerAccountRoutes } from './account-routes.ts'
import { registerClockRoutes } from './clock-routes.ts'
import { registerConsoleRoute } from './console-routes.ts'
import {
  registerClientAuditRoutes,
  registerMetricsRoute,
  registerRequestLogRoutes,
  registerTimingRoutes,
} from './observability-routes.ts'
import { registerLedgerRoutes } from './ledger-routes.ts'

const MAX_BODY_BYTES = 1024 * 1024

/**
 * Registers the control API, which is not part of the specification. Error bodies are `{"error": "<sentence>"}`.
 * @param boundHost the address that the server listens on
 */
export function registerControlRoutes(server: FastifyInstance, instance: EmulatorInstance, boundHost: string): void {
  const { publicUrl, controlToken } = instance.settings
  const hasToken = createTokenValidator(controlToken)
  rejectForeignOrigins(server, { boundHost, publicUrl })
  requireControlToken(server, hasToken)
  // Writes deferred log entries first, so that the response includes every finished request.
  server.addHook('onRequest', async () => instance.scheduler.flushDeferred())
  readBodiesAsJson(server)
  const names = collectRouteNames(server)
  server.setNotFoundHandler(({ method, url }, reply) => {
    const known = [...names].toSorted().join(', ')
    const error = `The control API has no route ${method} ${extractPath(url).slice(0, 100)}. It has routes for: ${known}.`
    return reply.code(404).send({ error })
  })
  server.setErrorHandler((error: FastifyError, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
  )

  server.get('/health', ({ headers }) => (hasToken(headers) ? formatHealth(instance) : { status: 'locked' }))
  server.get('/connection', ({ socket }) => formatConnection(socket))
  registerAccountRoutes(server, instance.accounts)
  registerConsoleRoute(server)
  registerRequestLogRoutes(server, instance.observer.requestLog)
  registerLedgerRoutes(server, instance.accounts)
  registerMetricsRoute(server, instance)
  registerClientAuditRoutes(server, instance)
  registerClockRoutes(server, instance)
  server.get('/openapi.json', async () =>
    (await import('./openapi/build-document.ts')).buildOpenApiDocument(instance.settings),
  )
  registerTimingRoutes(server, instance.observer.timingLog)
  registerFaultRoutes(server, instance.faults)
  registerFixtureRoutes(server, instance)
  server.post('/reset', (_request, reply) => {
    resetInstance(instance)
    return reply.code(204).send()
  })
}

/** Returns a set to which each later route adds its name, the first part of its path after the prefix. */
function collectRouteNames(server: FastifyInstance): ReadonlySet<string> {
  const names = new Set<string>()
  server.addHook('onRoute', ({ routePath }) => {
    const [, name = ''] = routePath.split('/')
    if (name !== '') names.add(name)
  })
  return names
}

/** Reads every body as JSON, whatever its Content-Type: `curl -d` sends application/x-www-form-urlencoded. */
function readBodiesAsJson(server: FastifyInstance): void {
  const parseBody = server.getDefaultJsonParser('error', 'ignore')
  server.removeAllContentTypeParsers()
  server.addContentTypeParser<string>('*', { parseAs: 'string', bodyLimit: MAX_BODY_BYTES }, (request, body, done) => {
    // Some clients send a Content-Type with an empty body.
    if (body === '') return done(null, undefined)
    if (isNestedDeeper(body, MAX_JSON_DEPTH)) return done(createBodyError(body))
    return parseBody(request, body, (error, value) =>
      error === null ? done(null, value) : done(createBodyError(body)),
    )
  })
}

function createBodyError(body: string): Error {
  const problem = findSyntaxError(body) ?? 'a member has the name "__proto__", which is not allowed'
  return Object.assign(new Error(`The body is invalid: ${problem}.`), { statusCode: 400 })
}

/** Finds the syntax error of an invalid JSON text, in the words of the parser. */
function findSyntaxError(text: string): string | undefined {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Formats the response of the health check. `slots` is absent if the emulator serves any number of requests at once.
 * `customModels` and `extensions` are absent if it serves only the models and operations of the specification.
 */
function formatHealth({ load, settings, endpoints, slots }: EmulatorInstance) {
  const customModels = [...settings.models.keys()].filter((id) => !SPECIFIED_MODELS.has(id))
  const extensions = [...endpoints.values()].map(({ operation }) => operation).filter(isExtension)
  return {
    status: 'ok',
    inFlight: load.inFlight,
    ...(slots === undefined ? {} : { slots: { size: slots.size, busy: slots.busy, waiting: slots.waiting } }),
    ...(customModels.length === 0 ? {} : { customModels }),
    ...(extensions.length === 0 ? {} : { extensions }),
  }
}

/**
 * Formats the addresses of both ends of the connection on which the request arrived. A client compares `remotePort`
 * with its own port, to find out whether another server forwarded the request.
 */
function formatConnection({ remoteAddress, remotePort, localAddress, localPort }: Socket) {
  return { remoteAddress, remotePort, localAddress, localPort }
}
