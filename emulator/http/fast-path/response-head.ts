import { reasonPhrase } from '../reason-phrase.ts'

/** What a header field cannot have in its value (RFC 9110, section 5.5). */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

const BEYOND_ASCII = /[\x80-\xff]/

/** The status line and header fields of an answer. */
export interface ResponseHead {
  readonly text: string
  /** The same where the body is text: Node then sends both as UTF-8, else in one byte a character. */
  readonly textBeforeText: string
  readonly framing: 'chunked' | 'announced' | 'no body'
  /** The connection ends with this answer. */
  readonly isLast: boolean
}

/**
 * Writes the head of an answer as Node does: its own fields follow those that are given, by names in lower case.
 * @param keepAliveS how long the connection is kept afterwards; undefined: it ends with this answer
 * @throws TypeError for a value that cannot be sent
 */
export function buildResponseHead(
  status: number,
  headers: Readonly<Record<string, string>>,
  keepAliveS: number | undefined,
): ResponseHead {
  // Node is told of the end before it is given the fields.
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

/** The time as header fields have it, made anew once a second. */
function dateNow(): string {
  const nowS = Math.floor(Date.now() / 1000)
  if (nowS !== datedS) {
    datedS = nowS
    dated = new Date(nowS * 1000).toUTCString()
  }
  return dated
}
