import { reasonPhrase } from '../reason-phrase.ts'

/** Matches characters that a header value must not contain (RFC 9110, section 5.5). */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

const BEYOND_ASCII = /[\x80-\xff]/

/** The status line and header fields of a response. */
export interface ResponseHead {
  readonly text: string
  /**
   * The same head, encoded for a text body. Node sends head and text together as UTF-8, and any other head as Latin-1.
   */
  readonly textBeforeText: string
  readonly framing: 'chunked' | 'announced' | 'no body'
  /** True if the connection ends after this response. */
  readonly isLast: boolean
}

/**
 * Builds the head of a response in Node's format: the given header fields by lower-case name, then those that Node
 * adds.
 * @param keepAliveS keep-alive timeout in seconds; undefined if the connection ends after this response
 * @throws TypeError for a value with characters that HTTP does not allow
 */
export function buildResponseHead(
  status: number,
  headers: Readonly<Record<string, string>>,
  keepAliveS: number | undefined,
): ResponseHead {
  // In Node the end of the connection is set before the header fields.
  const fields: Readonly<Record<string, string>> =
    keepAliveS === undefined ? { connection: 'close', ...headers } : headers
  let text = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`
  for (const name in fields) {
    const value = fields[name] ?? ''
    if (UNSENDABLE.test(value)) throw new TypeError(`the header field '${name}' has a character that cannot be sent`)
    text += `${name}: ${value}\r\n`
  }
  const { date, connection, 'keep-alive': keepAlive, 'transfer-encoding': coding } = fields
  if (date === undefined) text += `Date: ${dateNow()}\r\n`
  if (connection === undefined) {
    text += 'Connection: keep-alive\r\n'
    if (keepAlive === undefined) text += `Keep-Alive: timeout=${keepAliveS}\r\n`
  }
  const framing = framingOf(status, fields)
  if (framing === 'chunked' && coding === undefined) text += 'Transfer-Encoding: chunked\r\n'
  const isLast = keepAliveS === undefined || (connection !== undefined && /\bclose\b/i.test(connection))
  text += '\r\n'
  const textBeforeText = BEYOND_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text
  return { text, textBeforeText, framing, isLast }
}

function framingOf(status: number, headers: Readonly<Record<string, string>>): ResponseHead['framing'] {
  if (status === 204 || status === 304) return 'no body' // RFC 9112, section 6.3
  const { 'content-length': length, 'transfer-encoding': coding = length === undefined ? 'chunked' : '' } = headers
  return /\bchunked\b/i.test(coding) ? 'chunked' : 'announced'
}

let datedS = 0
let dated = ''

/** Current time in the format of the Date header, cached for one second. */
function dateNow(): string {
  const nowS = Math.floor(Date.now() / 1000)
  if (nowS !== datedS) {
    datedS = nowS
    dated = new Date(nowS * 1000).toUTCString()
  }
  return dated
}
