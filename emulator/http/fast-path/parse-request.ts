export interface FastRequest {
  readonly method: 'GET' | 'POST'
  readonly target: string
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Maximum size of the request line and header section of a plain request, in bytes. Such a request cannot reach Node's
 * limit of 1000 fields, because the field names must differ.
 */
const MAX_HEAD_BYTES = 4 * 1024

/**
 * Matches header lines and the empty line after them (RFC 9112, section 5; RFC 9110, section 5.5). Accepts values of
 * visible ASCII characters, spaces and tabs.
 */
const HEADER_LINES = /(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]*\r\n)*\r\n/y

/**
 * Header fields that a plain request must not have. They affect the framing, the protocol or the connection, or require
 * an interim response. Node parses `set-cookie` as a list.
 */
const UNSUPPORTED_HEADERS = [
  'transfer-encoding',
  'upgrade',
  'expect',
  'trailer',
  'te',
  'keep-alive',
  'proxy-connection',
  'set-cookie',
]

export interface RequestLine extends Pick<FastRequest, 'method' | 'target'> {
  readonly text: string
}

export function buildRequestLines(targets: Iterable<string>): readonly RequestLine[] {
  const methods = ['POST', 'GET'] as const
  return [...targets].flatMap((target) =>
    methods.map((method) => ({ method, target, text: `${method} ${target} HTTP/1.1\r\n` })),
  )
}

/**
 * Parses bytes that consist of exactly one plain request.
 * @param lines accepted request lines
 * @returns undefined for any other bytes, valid HTTP or not
 */
export function parseFastRequest(bytes: Buffer, lines: readonly RequestLine[]): FastRequest | undefined {
  const text = bytes.toString('latin1', 0, MAX_HEAD_BYTES)
  const line = lines.find((one) => text.startsWith(one.text))
  if (line === undefined) return undefined
  HEADER_LINES.lastIndex = line.text.length
  if (!HEADER_LINES.test(text)) return undefined
  const headBytes = HEADER_LINES.lastIndex
  const headers = parseHeaders(text, line.text.length, headBytes - 2)
  if (headers === undefined) return undefined
  const body = bytes.subarray(headBytes)
  if (parseContentLength(headers, line.method) !== body.length) return undefined
  // Uses the strings of `line`, because a substring of `text` would keep the whole head in memory.
  return { method: line.method, target: line.target, headers, body }
}

/**
 * Parses the header fields of a plain request.
 * @returns undefined if a name is repeated, if a field is in UNSUPPORTED_HEADERS, or if `connection` is not
 * `keep-alive`
 */
function parseHeaders(text: string, from: number, to: number): Record<string, string> | undefined {
  const headers: Record<string, string> = {}
  for (let at = from; at < to;) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\r', colon)
    const name = text.slice(at, colon).toLowerCase()
    if (name in headers) return undefined // `in` also finds inherited property names such as `constructor`. Node handles requests with such a field.
    headers[name] = text.slice(colon + 1, end).trim()
    at = end + 2
  }
  const { connection = 'keep-alive' } = headers
  return connection.toLowerCase() === 'keep-alive' && !UNSUPPORTED_HEADERS.some((name) => name in headers)
    ? headers
    : undefined
}

/**
 * Parses the value of a Content-Length header, in bytes. Without the header, returns 0 for a GET and NaN for other
 * methods. Returns NaN if the value is not a decimal number of at most nine digits.
 */
function parseContentLength(
  { 'content-length': length }: Readonly<Record<string, string>>,
  method: string | undefined,
) {
  if (length === undefined) return method === 'GET' ? 0 : Number.NaN
  return /^\d{1,9}$/.test(length) ? Number(length) : Number.NaN
}
