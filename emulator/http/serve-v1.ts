import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OPERATIONS, PATH_PREFIX } from '../../contract/facts.ts'
import type { World } from '../answer.ts'
import { readStream } from '../transport/read-stream.ts'
import { serve } from '../transport/serve.ts'
import { NodeSink } from '../transport/sink.ts'
import { Turns } from '../transport/turns.ts'
import { Farewells } from './farewells.ts'

/** Answers one request under /v1 that Fastify has found the way for. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => void

const ENDPOINT_PATHS: ReadonlySet<string | undefined> = new Set(Object.values(OPERATIONS).map(({ path }) => path))

/**
 * Puts the path of `answer.ts` on the socket, for every method and every path under /v1. The body is not read here: a
 * request without a key is refused before it. The endpoints themselves need no way found, and Fastify is not asked for it:
 * that saves a tenth of the server's time for a request.
 */
export function serveV1(server: FastifyInstance, world: World): Handler {
  const answer = createListener(server.server, world)
  const handler: Handler = (request, reply) => {
    reply.hijack()
    answer(request.raw, reply.raw)
  }
  server.all(PATH_PREFIX, handler)
  server.all(`${PATH_PREFIX}/*`, handler)

  const others = server.server.listeners('request')
  server.server.removeAllListeners('request')
  server.server.on('request', (request, response) => {
    if (ENDPOINT_PATHS.has(request.url)) answer(request, response)
    else for (const other of others) other.call(server.server, request, response)
  })
  return handler
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

function createListener(server: Server, world: World): Listener {
  const turns = new Turns()
  const farewells = new Farewells(server)
  return (request, response) => {
    if (!farewells.expect(response)) return
    const transported = {
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers,
      baseUrl: baseUrlOf(request, world.settings.publicUrl),
      channel: request.socket,
      arrivedAtMs: world.clock.arrivedMs(),
      readBody: (limitBytes: number) => readStream(request, limitBytes),
    }
    turns.take(() => void serve(transported, new NodeSink(response, farewells.say), world))
  }
}

/** `{base_url}` as the client addressed it: image URLs must resolve where it stands, behind a port mapping too. */
function baseUrlOf(request: IncomingMessage, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  const host = request.headers.host ?? ''
  if (/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(host)) return `http://${host}`
  const { localAddress = '127.0.0.1', localPort = 80 } = request.socket
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
