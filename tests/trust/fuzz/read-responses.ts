export interface ParsedResponses {
  /** Statuses in order, without interim responses (1xx). */
  readonly statuses: readonly number[]
  readonly isTruncated: boolean
  /** Whether a response announced that the server closes the connection. */
  readonly announcesClose: boolean
  /** The first bytes that are not part of a valid response; absent if there are none. */
  readonly unexpected?: string
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/
const FIELD = /^[!#$%&'*+.^`|~\w-]+:[\t\x20-\x7e\x80-\xff]*$/
const CLOSES = /^connection: close$/i
const SHOWN_CHARACTERS = 120

/**
 * Parses the responses on one connection strictly by RFC 9112, so that interleaved bytes of two responses are reported
 * as `unexpected`.
 * @param isHead returns whether the response at an index belongs to a HEAD request; `isLast` means that it closes the
 * connection
 */
export function parseResponses(text: string, isHead: (index: number, isLast: boolean) => boolean): ParsedResponses {
  const statuses: number[] = []
  let at = 0
  let announcesClose = false
  const unexpected = () => ({
    statuses,
    announcesClose,
    isTruncated: false,
    unexpected: text.slice(at, at + SHOWN_CHARACTERS),
  })
  while (at < text.length) {
    const headEnd = text.indexOf('\r\n\r\n', at)
    const lines = text.slice(at, headEnd === -1 ? undefined : headEnd).split('\r\n')
    if (headEnd === -1)
      return 'HTTP/1.1 '.startsWith(text.slice(at, at + 9))
        ? { statuses, announcesClose, isTruncated: true }
        : unexpected()
    const status = Number(STATUS_LINE.exec(lines[0] ?? '')?.[1])
    const fields = lines.slice(1)
    if (Number.isNaN(status) || !fields.every((line) => FIELD.test(line))) return unexpected()
    at = headEnd + 4
    if (status < 200) continue
    const isLast = fields.some((line) => CLOSES.test(line))
    announcesClose ||= isLast
    const isWithoutBody = isHead(statuses.length, isLast) || status === 204 || status === 304
    statuses.push(status)
    if (isWithoutBody) continue
    const next = findEnd(text, at, fields)
    if (next === undefined) return unexpected()
    if (next > text.length) return { statuses, announcesClose, isTruncated: true }
    at = next
  }
  return { statuses, announcesClose, isTruncated: false }
}

/**
 * Returns the position at which a body ends. Returns a position after the text if the body is incomplete, or undefined
 * if the body is invalid.
 */
function findEnd(text: string, from: number, fields: readonly string[]): number | undefined {
  const valueOf = (name: string) =>
    fields
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
  const length = valueOf('content-length')
  if (length !== undefined) return /^\d+$/.test(length) ? from + Number(length) : undefined
  if (valueOf('transfer-encoding') !== 'chunked') {
    // A response to an HTTP/1.0 client may have neither a length nor chunks. The end of the connection then ends the
    // body.
    return valueOf('connection') === 'close' ? text.length : undefined
  }
  let at = from
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd === -1) return /^[\da-f]*\r?$/.test(text.slice(at)) ? Infinity : undefined
    const size = /^[\da-f]{1,8}$/.test(text.slice(at, lineEnd))
      ? Number.parseInt(text.slice(at, lineEnd), 16)
      : undefined
    if (size === undefined) return undefined
    const end = lineEnd + 2 + size
    if (end + 2 > text.length) return Infinity
    if (text.slice(end, end + 2) !== '\r\n') return undefined
    at = end + 2
    if (size === 0) return at
  }
}
