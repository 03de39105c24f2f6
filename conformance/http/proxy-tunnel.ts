import { Agent as HttpAgent, type AgentOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { CONNECT_TIMEOUT_MS } from './deadline.ts'
import { ProxyError } from './network-error.ts'

/** Tells a server with TLS that the suite uses HTTP/1.1, so that a server of HTTP/2 alone rejects the connection. */
export const TLS_PROTOCOL = { ALPNProtocols: ['http/1.1'] }

/** Opens a connection through a proxy with `CONNECT`, also for http, so that the target receives the same bytes. */
function openTunnel(proxy: string, host: string, port: number): Promise<Duplex> {
  const { protocol, username, password, hostname } = new URL(proxy)
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? requestHttps : requestHttp)(proxy, {
      method: 'CONNECT',
      path: authority,
      agent: false,
      // Otherwise, Node would expect that the certificate of the proxy names the target, as the header `host` does.
      servername: isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '',
      headers: { host: authority, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` }) },
    })
    const timer = setTimeout(() => {
      request.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`))
    }, CONNECT_TIMEOUT_MS)
    request.on('close', () => clearTimeout(timer))
    request.on('connect', ({ statusCode = 0 }, socket, head) => {
      clearTimeout(timer)
      if (statusCode >= 200 && statusCode <= 299) {
        socket.unshift(head)
        resolve(socket)
      } else {
        socket.destroy()
        reject(new ProxyError(describeRejection(statusCode)))
      }
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(new ProxyError(`no connection through the proxy: ${error.code ?? error.message}`))
    })
    request.end()
  })
}

function describeRejection(status: number): string {
  const sentence = `the proxy rejected the connection to the target with status ${status}`
  return status === 407
    ? `${sentence}; write its user name and password into the variable (http://name:password@host)`
    : sentence
}

/** Callback that receives the connection. After an error, callers ignore `socket`. */
type OnConnection = (error: Error | null, socket: Duplex) => void

/** Returns an agent that opens its connections through a proxy. */
export function createTunnelAgent(url: string, proxy: string, options: AgentOptions): HttpAgent {
  const isSecure = url.startsWith('https:')
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options)
  agent.createConnection = (target: RequestOptions, onConnection?: OnConnection) => {
    const { port, servername, ca, rejectUnauthorized } = target
    const host = target.host ?? ''
    const tls = { host, servername, ca, rejectUnauthorized, ...TLS_PROTOCOL }
    openTunnel(proxy, host, Number(port)).then(
      (socket) => onConnection?.(null, isSecure ? connectTls({ ...tls, socket }) : socket),
      (error: Error) => onConnection?.(error, new Duplex().destroy()),
    )
    return undefined
  }
  return agent
}
