/** The yardstick for starting: a server of the same framework with one route and nothing else; no types to strip. */
import fastify from 'fastify'

const server = fastify()
server.get('/v1/models', () => ({ object: 'list', data: [] }))
process.stdout.write(`ready at ${await server.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.once('SIGTERM', () => void server.close())
