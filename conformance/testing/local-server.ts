import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'

/** A server on loopback for one test. Disposing it closes all connections. */
export interface LocalServer extends AsyncDisposable {
  /** Base URL without a trailing slash. */
  readonly url: string
}

export function serveHttp(listener: RequestListener): Promise<LocalServer> {
  return startServer(createHttpServer(listener))
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

/** Returns a loopback URL at which no server listens. */
export async function findUnusedAddress(): Promise<string> {
  await using server = await serveTcp(() => undefined)
  return server.url
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
