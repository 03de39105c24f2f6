import type { FastifyInstance } from 'fastify'
import { fingerprintSecret, HIDDEN } from '../../common/secrets/fingerprint.ts'
import { isSecretName } from '../../common/secrets/secret-values.ts'
import { MAX_FAULT_RULES, type FaultInjector, type FaultState } from '../scripting/faults/fault-injector.ts'

/** Registers the routes under /__emulator that list, add, enable, disable and remove fault rules. */
export function registerFaultRoutes(server: FastifyInstance, faults: FaultInjector): void {
  server.get('/faults', () => ({ faults: faults.list().map(formatFault) }))
  server.post('/faults', (request, reply) => {
    const rules = faults.parse(request.body)
    if (typeof rules === 'string') return reply.code(400).send({ error: rules })
    const added = faults.add(rules)
    if (added === undefined) return reply.code(400).send({ error: `There can be at most ${MAX_FAULT_RULES} faults.` })
    return reply.code(201).send({ faults: added.map(formatFault) })
  })
  server.delete('/faults', (_request, reply) => {
    faults.clear()
    return reply.code(204).send()
  })
  server.patch<{ Params: { id: string } }>('/faults/:id', (request, reply) => {
    const state = faults.find(request.params.id)
    if (state === undefined) return reply.code(404).send({ error: `There is no fault ${request.params.id}.` })
    const enabled = parseEnabled(request.body)
    if (enabled === undefined) return reply.code(400).send({ error: 'Send {"enabled": true} or {"enabled": false}.' })
    state.enabled = enabled
    return formatFault(state)
  })
  server.delete<{ Params: { id: string } }>('/faults/:id', (request, reply) => {
    if (faults.remove(request.params.id)) return reply.code(204).send()
    return reply.code(404).send({ error: `There is no fault ${request.params.id}.` })
  })
}

/** Formats a fault rule and its counters for the control API. Shows the fingerprint of an API key, and hides the value of a secret header. */
function formatFault({ id, enabled, matched, used, rule }: FaultState) {
  const { key, header } = rule
  const [, name = ''] = /^([^:]+):/.exec(header ?? '') ?? []
  const shown = {
    ...rule,
    ...(key === undefined ? {} : { key: fingerprintSecret(key) }),
    ...(isSecretName(name) ? { header: `${name}: ${HIDDEN}` } : {}),
  }
  return { id, enabled, matched, used, rule: shown }
}

function parseEnabled(body: unknown): boolean | undefined {
  if (typeof body !== 'object' || body === null || !('enabled' in body)) return undefined
  return typeof body.enabled === 'boolean' ? body.enabled : undefined
}
