import type { FastifyInstance } from 'fastify'
import type { EmulatorInstance } from '../instance.ts'
import { addFixtures, formatFixture } from '../scripting/fixtures/fixtures-handle.ts'

/** Registers the routes under /__emulator that list, add and remove fixtures. */
export function registerFixtureRoutes(server: FastifyInstance, { scripts, proxy }: EmulatorInstance): void {
  const { fixtures } = scripts
  server.get('/fixtures', () => ({ fixtures: fixtures.list().map(formatFixture) }))
  server.post('/fixtures', (request, reply) => {
    if (proxy !== undefined) {
      return reply.code(400).send({ error: 'Fixtures have no effect while the emulator records.' })
    }
    const added = addFixtures(fixtures, request.body)
    if (typeof added === 'string') return reply.code(400).send({ error: added })
    return reply.code(201).send({ fixtures: added })
  })
  server.delete('/fixtures', (_request, reply) => {
    fixtures.clear()
    return reply.code(204).send()
  })
  server.delete<{ Params: { id: string } }>('/fixtures/:id', (request, reply) => {
    if (fixtures.remove(request.params.id)) return reply.code(204).send()
    return reply.code(404).send({ error: `There is no fixture ${request.params.id}.` })
  })
}
