import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export interface LoadTarget {
  readonly url: string
  close(): Promise<void>
}

/** Starts a server that serves the list of models. It passes every other request below `/v1/` to `respond`. */
export function startLoadTarget(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LoadTarget> {
  return listen((incoming, response) => {
    if (incoming.url === '/v1/models')
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": []}')
    else if (incoming.url?.startsWith('/v1/') === true) respond(incoming, response)
    else response.writeHead(404).end()
  })
}

/** Starts a gateway in front of an emulator. The gateway blocks the control API, as an external service would. */
export function startEmulatorGateway(upstream: string): Promise<LoadTarget> {
  return listen((incoming, response) => {
    if (incoming.url?.startsWith('/v1/') !== true) {
      response.writeHead(404).end()
      return
    }
    const { method, headers } = incoming
    const forwarded = request(upstream + incoming.url, { method, headers }, (result) => {
      response.writeHead(result.statusCode ?? 502, result.headers)
      result.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    incoming.pipe(forwarded)
  })
}

/** Finds a base URL at which no server listens. */
export async function findUnusedAddress(): Promise<string> {
  const { url, close } = await listen(() => undefined)
  await close()
  return url
}

function listen(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<LoadTarget> {
  const server = createServer(listener)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ url: addressOf(server), close: () => end(server) }))
  })
}

function addressOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

function end(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
