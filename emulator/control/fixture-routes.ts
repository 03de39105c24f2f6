import type { FastifyInstance } from 'fastify'
import type { EmulatorInstance } from '../instance.ts'
import { addFixtures, formatFixture } from '../scripting/fixtures/fixtures-handle.ts'
import { ControlError, requireValid } from './parse-request.ts'

/** Registers the routes under /__emulator that list, add and remove fixtures. */
export function registerFixtureRoutes(server: FastifyInstance, { scripts, proxy }: EmulatorInstance): void {
  const { fixtures } = scripts
  server.get('/fixtures', () => ({ fixtures: fixtures.list().map(formatFixture) }))
  server.post('/fixtures', (request, reply) => {
    if (proxy !== undefined) throw new ControlError(400, 'Fixtures have no effect while the emulator records.')
    return reply.code(201).send({ fixtures: requireValid(addFixtures(fixtures, request.body)) })
  })
  server.delete('/fixtures', (_request, reply) => {
    fixtures.clear()
    return reply.code(204).send()
  })
  server.delete<{ Params: { id: string } }>('/fixtures/:id', ({ params: { id } }, reply) => {
    if (!fixtures.remove(id)) throw new ControlError(404, `There is no fixture ${id}.`)
    return reply.code(204).send()
  })
}
