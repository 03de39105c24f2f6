import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'

/** A server on this machine for one test; it ends with its scope, connections included. */
export interface LocalServer extends AsyncDisposable {
  /** Base address without trailing slash. */
  readonly url: string
}

/** Serves HTTP. */
export function serveHttp(listener: RequestListener): Promise<LocalServer> {
  return start(createHttpServer(listener))
}

/** Hands each connection over as it is, for answers that are not HTTP. */
export function serveTcp(onConnection: (socket: Socket) => void): Promise<LocalServer> {
  return start(
    createTcpServer((socket) => {
      // A client that gives up is what these tests are about.
      socket.on('error', () => undefined)
      onConnection(socket)
    }),
  )
}

/** An address of this machine where nothing listens. */
export async function unusedAddress(): Promise<string> {
  await using server = await serveTcp(() => undefined)
  return server.url
}

async function start(server: Server): Promise<LocalServer> {
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
