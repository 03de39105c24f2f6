import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { CONNECT_TIMEOUT_MS } from './deadline.ts'
import { ProxyError } from './network-error.ts'
import { TLS_PROTOCOL } from './tls-protocol.ts'

/**
 * Opens a connection to a host through a proxy, with `CONNECT`. Requests to http targets also use such a tunnel, so
 * that the target receives the same bytes as without a proxy, and no response comes from the proxy.
 * @throws ProxyError if the proxy does not connect
 */
export function openTunnel(proxy: string, host: string, port: number): Promise<Duplex> {
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

/** Returns an agent that opens its connections through a proxy. */
export function createTunnelAgent(url: string, proxy: string, options: AgentOptions): HttpAgent {
  return url.startsWith('https:') ? new SecureTunnelAgent(proxy, options) : new TunnelAgent(proxy, options)
}

/**
 * Callback that receives the connection, with the signature that Node defines. After an error, callers ignore `socket`.
 */
type OnConnection = (error: Error | null, socket: Duplex) => void

class TunnelAgent extends HttpAgent {
  readonly #proxy: string

  constructor(proxy: string, options: AgentOptions) {
    super(options)
    this.#proxy = proxy
  }

  override createConnection({ host, port }: ClientRequestArgs, onConnection?: OnConnection): undefined {
    openTunnel(this.#proxy, host ?? '', Number(port)).then(
      (socket) => onConnection?.(null, socket),
      (error: Error) => onConnection?.(error, new Duplex().destroy()),
    )
  }
}

class SecureTunnelAgent extends HttpsAgent {
  readonly #proxy: string

  constructor(proxy: string, options: AgentOptions) {
    super(options)
    this.#proxy = proxy
  }

  override createConnection(options: RequestOptions, onConnection?: OnConnection): undefined {
    const { host, port, servername, ca, rejectUnauthorized } = options
    const tls = { host: host ?? '', servername, ca, rejectUnauthorized, ...TLS_PROTOCOL }
    openTunnel(this.#proxy, host ?? '', Number(port)).then(
      (socket) => onConnection?.(null, connectTls({ ...tls, socket })),
      (error: Error) => onConnection?.(error, new Duplex().destroy()),
    )
  }
}
