import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { ReverseProxy } from './start-program.ts'

/** Starts a TCP proxy that passes each piece on after `delayMs`, in both directions, as a distant network would. */
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
      // A connection that breaks on one side breaks on the other.
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a string only for a listener on a pipe
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
