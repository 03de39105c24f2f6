import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { findFreePort } from './free-port.ts'

/** A server on loopback for one test. Disposing it closes all connections. */
export interface LocalServer extends AsyncDisposable {
  /** Base URL without a trailing slash. */
  readonly url: string
}

export function serveHttp(listener: RequestListener): Promise<LocalServer> {
  return startServer(createHttpServer(listener))
}

/** Forwards a request to the same path of another server, and its response to the client. */
export function forwardRequest(upstream: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers, url = '' } = incoming
  const forwarded = request(upstream + url, { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(outgoing)
  })
  forwarded.on('error', () => outgoing.destroy())
  incoming.pipe(forwarded)
}

export async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** Starts a TCP server for responses that are not valid HTTP. Calls `onConnection` for each connection. */
export function serveTcp(onConnection: (socket: Socket) => void): Promise<LocalServer> {
  return startServer(
    createTcpServer((socket) => {
      // Ignores errors, because a client may reset its connection.
      socket.on('error', () => undefined)
      onConnection(socket)
    }),
  )
}

/** Returns a loopback URL at which no server listens. The system assigns its port to no server of another test. */
export async function findUnusedAddress(): Promise<string> {
  return `http://127.0.0.1:${await findFreePort()}`
}

export async function startServer(server: Server): Promise<LocalServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) {
        socket.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
