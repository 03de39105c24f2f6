/**
 * Baseline servers for the throughput benchmarks. Each server only sends the same response to every request.
 * Command-line arguments: the server's name and the recorded response as JSON.
 *
 * - `raw`: node:http, writes the whole body at once
 * - `raw-events`: node:http, writes each piece of the body separately
 * - `fastify`: a Fastify route that parses the JSON body of the request
 */
import fastify from 'fastify'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Headers of a recorded response, and its body split into the pieces that a server writes. */
export interface RecordedHttpResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly parts: readonly string[]
}

const [kind = 'raw', json = '{}'] = process.argv.slice(2)
// The cast is safe: the benchmark that starts this process serializes this type.
const { headers, parts } = JSON.parse(json) as RecordedHttpResponse
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
      const { port } = server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
      resolve(`http://127.0.0.1:${port}`)
    })
  })
}

process.stdout.write(`ready at ${await (kind === 'fastify' ? listenFastify() : listenRaw())}\n`)
