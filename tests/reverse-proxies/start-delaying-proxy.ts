import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { ReverseProxy } from './start-program.ts'

/**
 * Starts a TCP proxy that forwards all data after `delayMs` milliseconds in both directions, to simulate a distant
 * network.
 */
export async function startDelayingProxy(upstreamUrl: string, delayMs: number): Promise<ReverseProxy> {
  const { hostname, port } = new URL(upstreamUrl)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), delayMs))
      from.on('end', () => setTimeout(() => to.end(), delayMs))
      // Destroys the other side of the connection after an error on one side.
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // The cast is safe: `address()` returns a string only for a server on a pipe.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
