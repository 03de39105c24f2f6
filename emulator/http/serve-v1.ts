import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PATH_PREFIX } from '../../contract/facts.ts'
import { answer, type World } from '../answer.ts'
import { ClientGone, readStream } from '../body/read-stream.ts'
import { receive } from '../stages/receive.ts'
import { sendReply } from './send-reply.ts'

/** Answers one request under /v1. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Puts the path of `answer.ts` on the socket, for every method and every path under /v1. The body is not read here: a
 * request without a key is refused before it.
 */
export function serveV1(server: FastifyInstance, world: World): Handler {
  const { clock, traffic, settings } = world
  const handler: Handler = async (request, reply) => {
    const startedAtMs = clock.nowMs()
    traffic.inFlight += 1
    const received = receive({
      method: request.method,
      target: request.url,
      headers: request.headers,
      baseUrl: baseUrlOf(request, settings.publicUrl),
      readBody: (limitBytes) => readStream(request.raw, limitBytes),
    })
    try {
      const exchange = { request, reply, startedAtMs, inFlight: traffic.inFlight }
      return await sendReply(exchange, await answer(received, world), world)
    } catch (error) {
      if (error instanceof ClientGone) return reply.hijack()
      throw error
    } finally {
      traffic.inFlight -= 1
    }
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
