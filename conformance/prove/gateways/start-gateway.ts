import { once } from 'node:events'
import { Agent, createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createResponseRewriter } from './rewrite-responses.ts'
import {
  createErrorResponse,
  type Forward,
  type GatewayEnvironment,
  type GatewayRequest,
  type GatewayResponse,
  isEventStream,
  type Middleware,
  selectEndToEndFields,
} from './gateway-message.ts'

export interface GatewayOptions {
  /** Port on loopback. Default: a free port. */
  readonly port?: number
  /** `bytes` (default) forwards bodies unchanged. `events` parses responses and writes them anew. */
  readonly style?: 'bytes' | 'events'
  /** API key that replaces keys of clients (`sk-svc-client…`). Default: the gateway forwards the key of the client. */
  readonly upstreamKey?: string
  /** Creates the fault of a mutant, or another policy. It applies in front of the style. */
  readonly createMiddleware?: (environment: GatewayEnvironment) => Middleware
}

export interface Gateway {
  readonly url: string
  close(): Promise<void>
}

const CLIENT_KEY = /^Bearer sk-svc-client/i

export async function startGateway(upstreamUrl: string, options: GatewayOptions = {}): Promise<Gateway> {
  const { port = 0, style = 'bytes', upstreamKey, createMiddleware } = options
  // New connections: a request on a reused connection can fail because the upstream closed it at the same time.
  const agent = new Agent({ keepAlive: false })
  const forward = addMiddleware(
    addMiddleware(
      createForward(upstreamUrl, agent, upstreamKey),
      style === 'events' ? createResponseRewriter() : undefined,
    ),
    createMiddleware?.({ upstreamUrl, upstreamKey }),
  )
  const server = createServer((incoming, response) => void handleRequest(incoming, response, forward))
  server.requestTimeout = 0
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: actualPort } = server.address() as AddressInfo // `address()` returns a string only for a pipe.
  return {
    url: `http://127.0.0.1:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        agent.destroy()
      }),
  }
}

function addMiddleware(forward: Forward, middleware: Middleware | undefined): Forward {
  return middleware === undefined ? forward : (request) => middleware(request, forward)
}

async function handleRequest(incoming: IncomingMessage, response: ServerResponse, forward: Forward): Promise<void> {
  const disconnect = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) disconnect.abort()
  })
  incoming.on('error', () => {}) // The iteration of the body throws the error too.
  const request: GatewayRequest = {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: selectEndToEndFields(incoming.headers),
    body: incoming,
    signal: disconnect.signal,
  }
  const result = await respondTo(request, forward)
  if (!response.destroyed) await sendResponse(result, response)
}

/** The control API of the emulator is not part of the API that the gateway serves. */
async function respondTo(request: GatewayRequest, forward: Forward): Promise<GatewayResponse> {
  if (request.target.startsWith('/__emulator')) return createErrorResponse(404, 'The gateway does not serve this path.')
  try {
    return await forward(request)
  } catch {
    return createErrorResponse(502, 'The upstream closed the connection without a response.')
  }
}

async function sendResponse(result: GatewayResponse, response: ServerResponse): Promise<void> {
  response.writeHead(result.status, result.headers)
  if (isEventStream(result)) response.flushHeaders()
  try {
    for await (const bytes of result.body) {
      if (response.destroyed) return
      if (!response.write(bytes)) await waitForDrain(response)
    }
    response.end()
  } catch {
    // Node.js sends a chunk at the end of the turn in which it was written.
    setImmediate(() => response.destroy())
  }
}

function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      response.off('drain', finish).off('close', finish)
      resolve()
    }
    response.on('drain', finish).on('close', finish)
  })
}

/** Returns a function that sends a request to the upstream, with the key of the upstream if there is one. */
function createForward(upstreamUrl: string, agent: Agent, upstreamKey: string | undefined): Forward {
  return ({ method, target, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const isClientKey = CLIENT_KEY.test(headers['authorization'] ?? '')
      const key = upstreamKey !== undefined && isClientKey ? { authorization: `Bearer ${upstreamKey}` } : {}
      const settings = { method, path: target, headers: { ...headers, ...key }, agent, signal }
      const outgoing = sendRequest(upstreamUrl, settings, (incoming) => {
        incoming.on('error', () => {}) // The iteration of the body throws the error too.
        resolve({ status: incoming.statusCode ?? 0, headers: selectEndToEndFields(incoming.headers), body: incoming })
      })
      outgoing.on('error', reject)
      pipeline(body, outgoing).catch(() => outgoing.destroy())
    })
}
