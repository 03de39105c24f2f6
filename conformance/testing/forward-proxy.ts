import { createServer, type RequestListener, request as requestHttp } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { type LocalServer, startServer } from '../../common/testing/local-server.ts'

/** A proxy on loopback that sends every request to the same server, regardless of the requested host. */
export interface ForwardProxy extends LocalServer {
  /** Requests up to now, such as `CONNECT api.test:443` or `GET http://api.test/v1/models`. */
  readonly requests: readonly string[]
  /** Returns the `Proxy-Authorization` of the last request. */
  readonly authorization: () => string | undefined
}

/**
 * Starts a proxy.
 * @param origin base URL of the server that receives all requests
 * @param status status of the response to each `CONNECT`; only 200 opens a tunnel
 * @param certificate makes it an https proxy
 */
export async function startForwardProxy(
  origin: string,
  status = 200,
  certificate?: SecureContextOptions,
): Promise<ForwardProxy> {
  const { hostname, port } = new URL(origin)
  const requests: string[] = []
  let authorization: string | undefined
  const forward: RequestListener = (incoming, response) => {
    requests.push(`${incoming.method} ${incoming.url}`)
    authorization = incoming.headers['proxy-authorization']
    const { pathname, search } = new URL(incoming.url ?? '', origin)
    const options = { host: hostname, port, method: incoming.method, headers: incoming.headers }
    const outgoing = requestHttp({ ...options, path: pathname + search }, (respond) => {
      response.writeHead(respond.statusCode ?? 502, respond.headers)
      respond.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }
  const server = certificate === undefined ? createServer(forward) : createSecureServer(certificate, forward)
  server.on('connect', (incoming, socket, head) => {
    requests.push(`CONNECT ${incoming.url}`)
    authorization = incoming.headers['proxy-authorization']
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} Forbidden\r\n\r\n`)
      return
    }
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      socket.pipe(target).pipe(socket)
    })
    target.on('error', () => socket.destroy())
    target.on('close', () => socket.destroy())
    socket.on('error', () => target.destroy())
    socket.on('close', () => target.destroy())
  })
  const started = await startServer(server)
  const url =
    certificate === undefined ? started.url : started.url.replace('http:', 'https:').replace('127.0.0.1', 'localhost')
  return { ...started, url, requests, authorization: () => authorization }
}
