import type { FastifyInstance } from 'fastify'
import { endOfKey } from '../observability/client-identity.ts'
import { MOST_RULES, type Faults, type FaultState } from '../scripting/faults/faults.ts'
import { readRules } from '../scripting/faults/read-rules.ts'

/** The faults at the control interface: list, add, switch on and off, take away. */
export function serveFaults(server: FastifyInstance, faults: Faults): void {
  server.get('/faults', () => ({ faults: faults.list().map(describe) }))
  server.post('/faults', (request, reply) => {
    const rules = readRules(request.body)
    if (typeof rules === 'string') return reply.code(400).send({ error: rules })
    const added = faults.add(rules)
    if (added === undefined) return reply.code(400).send({ error: `There can be ${MOST_RULES} faults at most.` })
    return reply.code(201).send({ faults: added.map(describe) })
  })
  server.delete('/faults', (_request, reply) => {
    faults.clear()
    return reply.code(204).send()
  })
  server.patch<{ Params: { id: string } }>('/faults/:id', (request, reply) => {
    const state = faults.find(request.params.id)
    if (state === undefined) return reply.code(404).send({ error: `There is no fault ${request.params.id}.` })
    const enabled = readEnabled(request.body)
    if (enabled === undefined) return reply.code(400).send({ error: 'Send {"enabled": true} or {"enabled": false}.' })
    state.enabled = enabled
    return describe(state)
  })
  server.delete<{ Params: { id: string } }>('/faults/:id', (request, reply) => {
    if (faults.remove(request.params.id)) return reply.code(204).send()
    return reply.code(404).send({ error: `There is no fault ${request.params.id}.` })
  })
}

/** A rule with its use; of a key only its end. */
function describe({ id, enabled, matched, used, rule }: FaultState) {
  const shown = rule.key === undefined ? rule : { ...rule, key: `…${endOfKey(rule.key) ?? ''}` }
  return { id, enabled, matched, used, rule: shown }
}

function readEnabled(body: unknown): boolean | undefined {
  if (typeof body !== 'object' || body === null || !('enabled' in body)) return undefined
  return typeof body.enabled === 'boolean' ? body.enabled : undefined
}
