import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PATH_PREFIX } from '../../contract/facts.ts'
import type { World } from '../answer.ts'
import { readStream } from '../transport/read-stream.ts'
import { serve } from '../transport/serve.ts'
import { nodeSink } from '../transport/sink.ts'
import { Turns } from '../transport/turns.ts'

/** Answers one request under /v1. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Puts the path of `answer.ts` on the socket, for every method and every path under /v1. The body is not read here: a
 * request without a key is refused before it.
 */
export function serveV1(server: FastifyInstance, world: World): Handler {
  const turns = new Turns()
  const handler: Handler = async (request, reply) => {
    reply.hijack()
    const transported = {
      method: request.method,
      target: request.url,
      headers: request.headers,
      baseUrl: baseUrlOf(request, world.settings.publicUrl),
      channel: request.raw.socket,
      arrivedAtMs: world.clock.arrivedMs(),
      readBody: (limitBytes: number) => readStream(request.raw, limitBytes),
    }
    await turns.take()
    await serve(transported, nodeSink(reply.raw), world)
    return reply
  }
  server.all(PATH_PREFIX, handler)
  server.all(`${PATH_PREFIX}/*`, handler)
  return handler
}

/** `{base_url}` as the client addressed it: image URLs must resolve where it stands, behind a port mapping too. */
function baseUrlOf(request: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  const host = request.headers.host ?? ''
  if (/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(host)) return `http://${host}`
  const { localAddress = '127.0.0.1', localPort = 80 } = request.raw.socket
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
