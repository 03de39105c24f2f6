/** A parsed request. */
export interface FastRequest {
  readonly method: 'GET' | 'POST'
  readonly target: string
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Maximum header section of a plain request, in bytes. It cannot contain the 1000 fields at which Node's own limit
 * starts.
 */
const MOST_HEAD_BYTES = 4 * 1024

/**
 * Matches header lines of a name and a value of visible characters and blanks, then an empty line (RFC 9112, section 5;
 * RFC 9110, section 5.5).
 */
const FIELDS = /(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]*\r\n)*\r\n/y

/**
 * Header fields that plain requests must not have. They change the framing or the protocol, or expect an interim
 * response; Node makes a list of one of them.
 */
const NOT_PLAIN = [
  'transfer-encoding',
  'upgrade',
  'expect',
  'trailer',
  'te',
  'keep-alive',
  'proxy-connection',
  'set-cookie',
]

/** A request line that the fast path accepts. */
export interface RequestLine extends Pick<FastRequest, 'method' | 'target'> {
  readonly text: string
}

/** Builds the request lines of plain requests to these paths. */
export function requestLines(targets: Iterable<string>): readonly RequestLine[] {
  const methods = ['POST', 'GET'] as const
  return [...targets].flatMap((target) =>
    methods.map((method) => ({ method, target, text: `${method} ${target} HTTP/1.1\r\n` })),
  )
}

/**
 * Parses bytes that are exactly one plain request with one of these request lines.
 * @returns undefined for all other bytes, whether valid HTTP or not
 */
export function parseFastRequest(bytes: Buffer, lines: readonly RequestLine[]): FastRequest | undefined {
  const text = bytes.toString('latin1', 0, MOST_HEAD_BYTES)
  const line = lines.find((one) => text.startsWith(one.text))
  if (line === undefined) return undefined
  FIELDS.lastIndex = line.text.length
  if (!FIELDS.test(text)) return undefined
  const headBytes = FIELDS.lastIndex
  const headers = readFields(text, line.text.length, headBytes - 2)
  if (headers === undefined) return undefined
  const body = bytes.subarray(headBytes)
  if (announcedBytes(headers, line.method) !== body.length) return undefined
  // A slice of the line, not of the head: a long-lived reference must not keep the whole head in memory.
  return { method: line.method, target: line.target, headers, body }
}

/** @returns undefined for a repeated name, or a field that plain requests must not have */
function readFields(text: string, from: number, to: number): Record<string, string> | undefined {
  const headers: Record<string, string> = {}
  for (let at = from; at < to;) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\r', colon)
    const name = text.slice(at, colon).toLowerCase()
    if (name in headers) return undefined // Also true for a name that every object inherits, such as `constructor`.
    headers[name] = text.slice(colon + 1, end).trim()
    at = end + 2
  }
  const { connection = 'keep-alive' } = headers
  return connection.toLowerCase() === 'keep-alive' && !NOT_PLAIN.some((name) => name in headers) ? headers : undefined
}

/** Parses the content-length, in bytes; NaN if its form is not plain. */
function announcedBytes({ 'content-length': length }: Readonly<Record<string, string>>, method: string | undefined) {
  if (length === undefined) return method === 'GET' ? 0 : Number.NaN
  return /^\d{1,9}$/.test(length) ? Number(length) : Number.NaN
}
