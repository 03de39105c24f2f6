import type { Exchange, RequestSpec } from './exchange.ts'
import type { HttpOptions } from './http-options.ts'
import { sendRaw } from './send-raw.ts'

/**
 * Sends a HEAD request. Unlike an HTTP client, returns a body that the target sends although a response to HEAD has none
 * (RFC 9110, section 9.3.2).
 */
export function sendHead(spec: RequestSpec, options: HttpOptions): Promise<Exchange> {
  const { host, pathname, search } = new URL(options.baseUrl + spec.path)
  const fields = Object.entries({ host, ...spec.headers, connection: 'close' })
  const lines = [`HEAD ${pathname}${search} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  return sendRaw(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), spec, options)
}
