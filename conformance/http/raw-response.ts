/** The part of a raw answer that is understood so far. */
export interface RawHead {
  readonly status: number
  /** Names in lower case; repeated fields joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Where the body starts, in bytes. */
  readonly bodyStart: number
}

/** Reads the head of an HTTP/1 answer; undefined until it is whole, `malformed` when it is none. Interim answers are skipped. */
export function readHead(bytes: Buffer, from = 0): RawHead | 'malformed' | undefined {
  const end = bytes.indexOf('\r\n\r\n', from, 'latin1')
  const probe = bytes.subarray(from, from + 5).toString('latin1')
  if (!'HTTP/'.startsWith(probe.slice(0, 5))) {
    return 'malformed'
  }
  if (end === -1) {
    return undefined
  }
  const [statusLine = '', ...lines] = bytes.subarray(from, end).toString('latin1').split('\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1]
  if (status === undefined) {
    return 'malformed'
  }
  if (status.startsWith('1') && status !== '101') {
    return readHead(bytes, end + 4)
  }
  return { status: Number(status), headers: readFields(lines), bodyStart: end + 4 }
}

function readFields(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (colon > 0) {
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
    }
  }
  return headers
}

/** The body by the framing of its head; `isWhole` is false while more must come. `isClosed`: the connection has ended. */
export function readBody(bytes: Buffer, head: RawHead, isClosed: boolean): { body: Buffer; isWhole: boolean } {
  const rest = bytes.subarray(head.bodyStart)
  if (head.status === 204 || head.status === 304 || head.status === 101) {
    return { body: Buffer.alloc(0), isWhole: true }
  }
  if (/\bchunked\b/i.test(head.headers['transfer-encoding'] ?? '')) {
    return readChunks(rest)
  }
  const length = Number(head.headers['content-length'] ?? Number.NaN)
  if (Number.isInteger(length)) {
    return { body: rest.subarray(0, length), isWhole: rest.byteLength >= length }
  }
  return { body: rest, isWhole: isClosed }
}

function readChunks(bytes: Buffer): { body: Buffer; isWhole: boolean } {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1')
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    const end = lineEnd + 2 + size
    if (Number.isNaN(size) || end + 2 > bytes.byteLength) {
      return { body: Buffer.concat(chunks), isWhole: false }
    }
    if (size === 0) {
      return { body: Buffer.concat(chunks), isWhole: true }
    }
    chunks.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
  }
}
