import type { ExchangeError } from './exchange.ts'

/** A network or protocol error, as the report shows it. `message` contains neither an IP address nor a key. */
export interface NetworkError {
  readonly kind: ExchangeError
  readonly message: string
}

/** Network errors by error code of Node or OpenSSL. Other codes are classified by their prefix. */
const KINDS: Readonly<Record<string, NetworkError>> = {
  ECONNREFUSED: { kind: 'refused', message: 'connection refused' },
  EHOSTUNREACH: { kind: 'refused', message: 'no route to the host' },
  ENETUNREACH: { kind: 'refused', message: 'no route to the network' },
  EADDRNOTAVAIL: { kind: 'refused', message: 'this machine cannot reach the address' },
  EACCES: { kind: 'refused', message: 'this machine does not permit the connection' },
  ECONNRESET: { kind: 'reset', message: 'the connection was reset' },
  EPIPE: { kind: 'reset', message: 'the connection was closed while the request was sent' },
  ECONNABORTED: { kind: 'reset', message: 'the connection was aborted' },
  ETIMEDOUT: { kind: 'timeout', message: 'the connection timed out' },
  ENOTFOUND: { kind: 'dns', message: 'the host name is not known' },
  EAI_AGAIN: { kind: 'dns', message: 'the host name could not be looked up' },
  HPE_HEADER_OVERFLOW: { kind: 'too-large', message: 'the header section of the response is too large' },
  HPE_INVALID_EOF_STATE: { kind: 'closed-early', message: 'the connection closed before the response was complete' },
}

const OTHER_HTTP_VERSION: NetworkError = {
  kind: 'http-version',
  message: 'the server does not accept HTTP/1.1, which the suite uses (it may accept only HTTP/2)',
}

/** Matches the errors of OpenSSL for a response that is not TLS, for example an error response in HTTP. */
const NOT_TLS = /wrong version number|packet length too long|http request/

const TLS_CODE = /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/

/** Error of a proxy that did not connect to the target. The message contains no address. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
}

/** Converts an error of a socket, the HTTP parser or the DNS resolver to its kind and message. */
export function convertToNetworkError(error: unknown): NetworkError {
  if (error instanceof ProxyError) return { kind: 'refused', message: error.message }
  // The code may be only EPROTO.
  if (error instanceof Error && error.message.includes('alert no application protocol')) return OTHER_HTTP_VERSION
  if (isHttp2Settings(error)) return OTHER_HTTP_VERSION
  if (error instanceof Error && NOT_TLS.test(error.message))
    return { kind: 'not-tls', message: 'the server does not use TLS' }
  const code = codeOf(error)
  const known = KINDS[code]
  if (known !== undefined) {
    // Node also reports ECONNRESET if a connection simply ends without a response.
    return isSocketHangUp(error) ? { kind: 'closed-early', message: 'the connection closed without a response' } : known
  }
  if (code.startsWith('HPE_')) {
    return {
      kind: 'malformed',
      message: `the response is not HTTP (${code.slice(4).toLowerCase().replaceAll('_', ' ')})`,
    }
  }
  if (TLS_CODE.test(code)) return { kind: 'tls', message: `no trusted TLS connection (${code})` }
  return { kind: 'reset', message: code === '' ? 'the connection failed' : `the connection failed (${code})` }
}

/** Type of the frame with which a server of HTTP/2 starts a connection (RFC 9113, section 3.4). */
const SETTINGS_FRAME = 4

/** Returns whether the rejected bytes start with a SETTINGS frame of HTTP/2, with a stream identifier of 0. */
function isHttp2Settings(error: unknown): boolean {
  if (!(error instanceof Error) || !('rawPacket' in error) || !(error.rawPacket instanceof Uint8Array)) return false
  const [length = -1, , , type, , ...stream] = error.rawPacket.subarray(0, 9)
  return length === 0 && type === SETTINGS_FRAME && stream.length === 4 && stream.every((byte) => byte === 0)
}

function isSocketHangUp(error: unknown): boolean {
  return error instanceof Error && error.message === 'socket hang up'
}

/** Returns the error code. If Node tried several addresses of a host, returns the code of the first attempt. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return ''
}
