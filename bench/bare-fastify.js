/** Baseline for startup time: a Fastify server with one route, in JavaScript, so that no types are stripped. */
import fastify from 'fastify'

const server = fastify()
server.get('/v1/models', () => ({ object: 'list', data: [] }))
process.stdout.write(`ready at ${await server.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.once('SIGTERM', () => void server.close())
