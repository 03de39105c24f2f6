/** A request as it was sent. */
export interface FastRequest {
  readonly method: 'GET' | 'POST'
  readonly target: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Longer header sections are Node's to judge: it takes fewer than 1000 fields, and in so many bytes there cannot be more. */
const MOST_HEAD_BYTES = 4 * 1024

/** Lines of a name, and a value of visible characters and blanks (RFC 9112, section 5; RFC 9110, section 5.5), then an empty one. */
const FIELDS = /(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]*\r\n)*\r\n/y

/**
 * Fields after which a message is framed otherwise, or a connection spoken otherwise, or an interim answer awaited; and the one
 * of which Node makes a list.
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

/** A first line that plain requests may have. */
export interface RequestLine extends Pick<FastRequest, 'method' | 'target'> {
  readonly text: string
}

/** The first lines of plain requests to these paths. */
export function requestLines(targets: Iterable<string>): readonly RequestLine[] {
  const methods = ['POST', 'GET'] as const
  return [...targets].flatMap((target) =>
    methods.map((method) => ({ method, target, text: `${method} ${target} HTTP/1.1\r\n` })),
  )
}

/**
 * Reads bytes that are exactly one request in its plain form, with one of these first lines.
 * @returns undefined for everything else, be it right or wrong
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
  // Of the line and not of the head: what is kept of a request for long is not to keep all of it.
  return { method: line.method, target: line.target, headers, body }
}

/** @returns undefined where a name stands twice, or a field is not for plain requests */
function readFields(text: string, from: number, to: number): Record<string, string> | undefined {
  const headers: Record<string, string> = {}
  for (let at = from; at < to;) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\r', colon)
    const name = text.slice(at, colon).toLowerCase()
    if (name in headers) return undefined // or a name that every object has, such as `constructor`
    headers[name] = text.slice(colon + 1, end).trim()
    at = end + 2
  }
  const { connection = 'keep-alive' } = headers
  return connection.toLowerCase() === 'keep-alive' && !NOT_PLAIN.some((name) => name in headers) ? headers : undefined
}

/** How long the body says it is; NaN where that is not plain. */
function announcedBytes({ 'content-length': length }: Readonly<Record<string, string>>, method: string | undefined) {
  if (length === undefined) return method === 'GET' ? 0 : Number.NaN
  return /^\d{1,9}$/.test(length) ? Number(length) : Number.NaN
}
