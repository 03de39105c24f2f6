/**
 * Baseline servers for throughput. Each sends the same bytes for every request and does nothing else. Arguments: the
 * server, and its JSON response.
 *
 * - `raw`: node:http, one write for the whole body
 * - `raw-events`: node:http, one write for each part of the body
 * - `fastify`: a route that parses its JSON body
 */
import fastify from 'fastify'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A recorded response. */
export interface RecordedResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly parts: readonly string[]
}

const [kind = 'raw', json = '{}'] = process.argv.slice(2)
const { headers, parts } = JSON.parse(json) as RecordedResponse // written by the benchmark that starts this process
const body = parts.join('')

async function listenFastify(): Promise<string> {
  const server = fastify()
  server.post('/v1/chat/completions', (_request, reply) => reply.headers(headers).send(body))
  process.once('SIGTERM', () => void server.close())
  return server.listen({ host: '127.0.0.1', port: 0 })
}

function listenRaw(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, headers)
      if (kind === 'raw-events') for (const part of parts) response.write(part)
      response.end(kind === 'raw-events' ? undefined : body)
    })
  })
  process.once('SIGTERM', () => {
    server.close()
    server.closeAllConnections()
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo // a string only for a server that listens on a pipe
      resolve(`http://127.0.0.1:${port}`)
    })
  })
}

process.stdout.write(`ready at ${await (kind === 'fastify' ? listenFastify() : listenRaw())}\n`)
