import { TooManyInterimError } from '../../common/limit-interim-responses.ts'
import type { OptionName } from '../options/invalid-option-error.ts'

/** The reason why a request received no usable response. */
export interface RequestFailure {
  readonly cause: 'timeout' | 'untrusted-certificate' | 'tls' | 'network' | 'http' | 'response'
  /** A short phrase, such as `connection refused`. */
  readonly message: string
}

const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ERR_PROXY_TUNNEL: 'the proxy rejected the connection',
}

const UNTRUSTED: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

const TLS_CODE = /^(EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_)/

/** Start of the codes of Node's HTTP parser, such as `HPE_HEADER_OVERFLOW`. */
const PARSER_CODE = 'HPE_'

/** Converts the error of a request into a failure with a cause and a phrase. */
export function classifyRequestError(error: unknown, timeoutMs: number): RequestFailure {
  if (!(error instanceof Error)) return { cause: 'response', message: String(error) }
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return { cause: 'timeout', message: `no response within ${timeoutMs / 1000} s` }
  }
  const code = 'code' in error ? String(error.code) : ''
  // The code is EPROTO if Node was writing.
  if (/no.application.protocol/i.test(`${code} ${error.message}`))
    return { cause: 'response', message: 'it does not accept HTTP/1.1, which touchstone uses before the load' }
  if (UNTRUSTED.includes(code)) return { cause: 'untrusted-certificate', message: 'its certificate is not trusted' }
  if (TLS_CODE.test(code)) return { cause: 'tls', message: `no TLS connection (${code})` }
  if (code.startsWith(PARSER_CODE)) {
    return { cause: 'http', message: code.slice(PARSER_CODE.length).toLowerCase().replaceAll('_', ' ') }
  }
  // Node also reports ECONNRESET if a connection simply ends without a response.
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return { cause: 'http', message: 'the connection closed without a response' }
  if (error instanceof TooManyInterimError) return { cause: 'http', message: error.message }
  return code === ''
    ? { cause: 'response', message: error.message }
    : { cause: 'network', message: MESSAGES[code] ?? code }
}

/** Describes a failure in a short phrase. For a TLS error, the phrase says how to correct the cause. */
export function describeRequestFailure(
  { cause, message }: RequestFailure,
  name: (option: OptionName) => string,
): string {
  switch (cause) {
    case 'untrusted-certificate':
      return `${message} (set ${name('ca')} to a file with the certificate of its issuer, or ${name('insecure')} to accept any)`
    case 'tls':
      return `${message} (check the scheme, http or https)`
    case 'http':
      return `the server did not respond in HTTP (${message})`
    default:
      return message
  }
}
