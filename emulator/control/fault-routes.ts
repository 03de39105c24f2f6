import type { FastifyInstance } from 'fastify'
import { toJsonObject } from '../../common/json-object.ts'
import { fingerprintSecret, HIDDEN } from '../../common/secrets/fingerprint.ts'
import { isSecretName } from '../../common/secrets/secret-values.ts'
import { MAX_FAULT_RULES, type FaultInjector, type FaultState } from '../scripting/faults/fault-injector.ts'
import { ControlError, requireValid } from './parse-request.ts'

/** Registers the routes under /__emulator that list, add, enable, disable and remove fault rules. */
export function registerFaultRoutes(server: FastifyInstance, faults: FaultInjector): void {
  server.get('/faults', () => ({ faults: faults.list().map(formatFault) }))
  server.post('/faults', (request, reply) => {
    const added = faults.add(requireValid(faults.parse(request.body)))
    if (added === undefined) throw new ControlError(400, `There can be at most ${MAX_FAULT_RULES} faults.`)
    return reply.code(201).send({ faults: added.map(formatFault) })
  })
  server.delete('/faults', (_request, reply) => {
    faults.clear()
    return reply.code(204).send()
  })
  server.patch<{ Params: { id: string } }>('/faults/:id', ({ params: { id }, body }) => {
    const state = faults.find(id)
    if (state === undefined) throw new ControlError(404, `There is no fault ${id}.`)
    const { enabled } = toJsonObject(body)
    if (typeof enabled !== 'boolean') throw new ControlError(400, 'Send {"enabled": true} or {"enabled": false}.')
    state.enabled = enabled
    return formatFault(state)
  })
  server.delete<{ Params: { id: string } }>('/faults/:id', ({ params: { id } }, reply) => {
    if (!faults.remove(id)) throw new ControlError(404, `There is no fault ${id}.`)
    return reply.code(204).send()
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
