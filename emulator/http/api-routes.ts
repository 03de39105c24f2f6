import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OPERATIONS, PATH_PREFIX } from '../../contract/facts.ts'
import type { EmulatorInstance } from '../instance.ts'
import { ClientDisconnected, type IncomingRequest } from '../core/request-context.ts'
import { readBody } from './read-body.ts'
import { handleRequest } from '../core/handle-request.ts'
import type { ResponseWriter } from '../core/response-writer.ts'
import { NodeResponseWriter } from './node-response-writer.ts'
import { RequestQueue } from './request-queue.ts'
import { ConnectionCloser } from './connection-close.ts'
import type { FastRequest } from './fast-path/parse-request.ts'
import { isUnusable } from './protocol-errors.ts'
import { installFastPath } from './fast-path/install.ts'

/** Answers one request under /v1 that Fastify has found the way for. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => void

const ENDPOINT_PATHS: ReadonlySet<string> = new Set(Object.values(OPERATIONS).map(({ path }) => path))

/** The path of `answer.ts` on a server. */
export interface ServedV1 {
  readonly handler: Handler
  /** Closes connections that wait for a next request, and of which Node's server knows nothing. */
  closeIdle(): void
}

/**
 * Puts the path of `answer.ts` on the socket, for every method and every path under /v1. The body is not read here: a
 * request without a key is refused before it. The endpoints themselves need no way found, and Fastify is not asked for it.
 */
export function serveV1(server: FastifyInstance, instance: EmulatorInstance): ServedV1 {
  const turns = new RequestQueue()
  const begin = (transported: IncomingRequest, sink: ResponseWriter) =>
    turns.take(() => void handleRequest(transported, sink, instance))
  const farewells = new ConnectionCloser(server.server)
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (!isUnusable(request.socket) && farewells.expect(response))
      begin(transport(request, instance), new NodeResponseWriter(response, farewells.say))
  }
  const handler: Handler = (request, reply) => {
    reply.hijack()
    answer(request.raw, reply.raw)
  }
  server.all(PATH_PREFIX, handler)
  server.all(`${PATH_PREFIX}/*`, handler)

  const others = server.server.listeners('request')
  server.server.removeAllListeners('request')
  server.server.on('request', (request, response) => {
    if (ENDPOINT_PATHS.has(request.url ?? '')) answer(request, response)
    else for (const other of others) other.call(server.server, request, response)
  })
  const plain = installFastPath(server.server, ENDPOINT_PATHS, {
    arrivedMs: () => instance.clock.arrivedMs(),
    answer: (request, sink, socket, arrivedAtMs) => begin(transportPlain(request, socket, arrivedAtMs, instance), sink),
  })
  return { handler, closeIdle: plain.closeIdle }
}

/** A request that Node's server took. */
function transport(request: IncomingMessage, instance: EmulatorInstance): IncomingRequest {
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    headers: request.headers,
    baseUrl: baseUrlOf(request.socket, request.headers.host, instance),
    connection: request.socket,
    arrivedAtMs: instance.clock.arrivedMs(),
    readBody: (limitBytes: number) => readBody(request, limitBytes),
  }
}

function transportPlain(
  { method, target, headers, body }: FastRequest,
  socket: Socket,
  arrivedAtMs: number,
  instance: EmulatorInstance,
): IncomingRequest {
  const readBody = (limitBytes: number) => {
    if (body.length > limitBytes) return undefined
    return socket.destroyed ? Promise.reject(new ClientDisconnected()) : body // who left before its turn pays for nothing
  }
  return {
    method,
    target,
    headers,
    baseUrl: baseUrlOf(socket, headers['host'], instance),
    connection: socket,
    arrivedAtMs,
    readBody,
  }
}

/** `{base_url}` as the client addressed it: image URLs must resolve where it stands, behind a port mapping too. */
function baseUrlOf(socket: Socket, host = '', { settings }: EmulatorInstance): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl
  if (/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(host)) return `http://${host}`
  const { localAddress = '127.0.0.1', localPort = 80 } = socket
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
