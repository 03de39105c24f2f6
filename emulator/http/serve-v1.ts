import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PATH_PREFIX } from '../../contract/facts.ts'
import { answer, type World } from '../answer.ts'
import { ClientGone, readStream } from '../body/read-stream.ts'
import type { Refusal } from '../refusals.ts'
import { receive } from '../stages/receive.ts'
import { respondRefusal, type Reply } from '../stages/respond.ts'
import { writeStream } from './write-stream.ts'

/** Answers one request under /v1. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Puts the path of `answer.ts` on the socket, for every method and every path under /v1. The body is not read here: a
 * request without a key is refused before it.
 */
export function serveV1(server: FastifyInstance, world: World): Handler {
  const handler: Handler = async (request, reply) => {
    const received = receive({
      method: request.method,
      target: request.url,
      headers: request.headers,
      baseUrl: baseUrlOf(request, world.settings.publicUrl),
      readBody: (limitBytes) => readStream(request.raw, limitBytes),
    })
    try {
      return await send(reply, await answer(received, world))
    } catch (error) {
      if (error instanceof ClientGone) return reply.hijack()
      throw error
    }
  }
  server.all(PATH_PREFIX, handler)
  server.all(`${PATH_PREFIX}/*`, handler)
  return handler
}

async function send(reply: FastifyReply, answered: Reply): Promise<FastifyReply> {
  if ('body' in answered) return reply.code(answered.status).headers(answered.headers).send(answered.body)
  reply.hijack()
  const headers = { ...reply.getHeaders(), ...answered.headers }
  await writeStream(reply.raw, { ...answered, headers: headers as Record<string, string> }) // Fastify types them wider
  return reply
}

/** Sends a refusal that no stage gave. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, headers, body } = respondRefusal(refusal)
  return reply.code(status).headers(headers).send(body)
}

/** `{base_url}` as the client addressed it: image URLs must resolve where it stands, behind a port mapping too. */
function baseUrlOf(request: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  const host = request.headers.host ?? ''
  if (/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(host)) return `http://${host}`
  const { localAddress = '127.0.0.1', localPort = 80 } = request.raw.socket
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
