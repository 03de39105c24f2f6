import { connect } from 'node:tls'

/**
 * Returns whether a server with TLS accepts HTTP/2 but not HTTP/1.1. Negotiates the protocol (ALPN) without sending a
 * request.
 */
export async function acceptsOnlyHttp2(target: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
  const url = new URL(target)
  if (url.protocol !== 'https:') return false
  const limits = { timeoutMs, signal }
  if ((await negotiate(url, ['h2'], limits)) !== 'h2') return false
  return (await negotiate(url, ['http/1.1'], limits)) === 'rejected'
}

/**
 * Returns the protocol that the server chooses, `rejected` if it rejects the connection, or undefined if it does not
 * respond in time or chooses none. A server that chooses none may still accept HTTP/1.1.
 */
function negotiate(
  { hostname, port }: URL,
  protocols: string[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return new Promise((resolve) => {
    // Does not verify the certificate, because the connection carries no data.
    const socket = connect({
      host,
      port: Number(port === '' ? 443 : port),
      ALPNProtocols: protocols,
      rejectUnauthorized: false,
    })
    const abort = () => end(undefined)
    const end = (protocol: string | undefined): void => {
      signal?.removeEventListener('abort', abort)
      socket.destroy()
      resolve(protocol)
    }
    socket.setTimeout(timeoutMs, () => end(undefined))
    socket.on('error', () => end('rejected'))
    socket.on('secureConnect', () => end(socket.alpnProtocol || undefined))
    signal?.addEventListener('abort', abort)
    if (signal?.aborted === true) abort()
  })
}
