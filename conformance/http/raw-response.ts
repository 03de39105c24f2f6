import { createTooLargeError, tooManyInterimError } from './http-options.ts'
import { MAX_INTERIM_RESPONSES } from '../../common/limit-interim-responses.ts'
import { HEADER_OVERFLOW, type NetworkError } from './network-error.ts'
import { ReceivedBody } from './received-body.ts'

const LF = 0x0a
const STATUSES_WITHOUT_BODY: readonly number[] = [101, 204, 304]

const notHttp: NetworkError = { kind: 'malformed', message: 'the response is not HTTP' }
const invalidLength: NetworkError = { kind: 'malformed', message: 'the response has an invalid length' }

/** Part of the response that the parser expects next. `rest` is a body that ends with the connection. */
type State = 'status-line' | 'field' | 'chunk-size' | 'chunk-end' | 'trailer' | 'bytes' | 'rest' | 'complete'

/** Maximum size of a header section and of a body, in bytes. */
interface Limits {
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
}

/**
 * Parses one HTTP/1 response. Skips interim responses. A response to HEAD ends with its header section; the bytes after
 * it are the body.
 */
export class RawResponseParser {
  readonly body: ReceivedBody
  /** HTTP status. It is 0 until the header section ends. */
  status = 0
  /** Header fields by lower-case name. Values of repeated fields are joined by `, `. */
  headers: Readonly<Record<string, string>> = {}
  /** Reason why the parser cannot read the response. It ignores further bytes. */
  error: NetworkError | undefined
  readonly #isHead: boolean
  readonly #limits: Limits
  #state: State = 'status-line'
  #line = ''
  /** Size of the current header section, trailer section or chunk header, in bytes. */
  #sectionBytes = 0
  #nextStatus = 0
  #fields = new Map<string, string>()
  #interimResponses = 0
  /** Number of bytes until the end of the body or of the chunk. */
  #leftBytes = 0

  constructor(isHead: boolean, limits: Limits) {
    this.#isHead = isHead
    this.body = new ReceivedBody(limits.maxBodyBytes)
    this.#limits = limits
  }

  get isComplete(): boolean {
    return this.#state === 'complete'
  }

  /** Whether the response is complete if the connection ends now. */
  get isCompleteAtEnd(): boolean {
    return this.#state === 'complete' || this.#state === 'rest'
  }

  /** Parses bytes that arrived `atMs` milliseconds after the start of the request. */
  push(bytes: Buffer, atMs: number): void {
    let at = 0
    while (at < bytes.byteLength && this.error === undefined && (this.#isHead || !this.isComplete)) {
      const rest = bytes.subarray(at)
      const isInBody = this.#state === 'bytes' || this.isCompleteAtEnd
      at += isInBody ? this.#readBody(rest, atMs) : this.#readLine(rest)
    }
  }

  /** Reads bytes of the body. Returns their number. */
  #readBody(bytes: Buffer, atMs: number): number {
    const taken = this.#state === 'bytes' ? bytes.subarray(0, this.#leftBytes) : bytes
    if (this.body.bytes + taken.byteLength > this.#limits.maxBodyBytes) {
      this.error = createTooLargeError(this.#limits.maxBodyBytes)
      return 0
    }
    this.body.append(taken, atMs)
    if (this.#state === 'bytes') {
      this.#leftBytes -= taken.byteLength
      if (this.#leftBytes === 0) this.#state = isChunked(this.headers) ? 'chunk-end' : 'complete'
    }
    return taken.byteLength
  }

  /** Reads the next line, or the part of it that has arrived. Returns the number of bytes. */
  #readLine(bytes: Buffer): number {
    const end = bytes.indexOf(LF)
    const taken = end === -1 ? bytes : bytes.subarray(0, end + 1)
    this.#line += taken.toString('latin1')
    this.#sectionBytes += taken.byteLength
    if (this.#state === 'status-line' && !'HTTP/'.startsWith(this.#line.slice(0, 5))) {
      this.error = notHttp
    } else if (this.#sectionBytes > this.#limits.maxHeaderBytes) {
      this.error = HEADER_OVERFLOW
    } else if (end !== -1) {
      const line = this.#line
      this.#line = ''
      if (line.endsWith('\r\n')) this.#endLine(line.slice(0, -2))
      else this.error = notHttp
    }
    return taken.byteLength
  }

  #endLine(line: string): void {
    switch (this.#state) {
      case 'status-line':
        this.#nextStatus = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(line)?.[1])
        if (Number.isNaN(this.#nextStatus)) this.error = notHttp
        this.#state = 'field'
        break
      case 'field':
        if (line === '') this.#endHead()
        else this.#addField(line)
        break
      case 'chunk-size':
        this.#startChunk(/^([0-9a-f]+)[ \t]*(?:;|$)/i.exec(line)?.[1])
        break
      case 'chunk-end':
        if (line !== '') this.error = invalidLength
        this.#startSection('chunk-size')
        break
      default:
        // Ignores the fields of the trailer section.
        if (line === '') this.#state = 'complete'
    }
  }

  #startSection(state: State): void {
    this.#state = state
    this.#sectionBytes = 0
  }

  #addField(line: string): void {
    const colon = line.indexOf(':')
    if (colon < 1) return
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    const earlier = this.#fields.get(name)
    this.#fields.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  }

  #endHead(): void {
    if (this.#nextStatus < 200 && this.#nextStatus !== 101) {
      this.#fields.clear()
      this.#interimResponses += 1
      if (this.#interimResponses > MAX_INTERIM_RESPONSES) this.error = tooManyInterimError
      this.#startSection('status-line')
      return
    }
    this.status = this.#nextStatus
    this.headers = Object.fromEntries(this.#fields)
    const length = this.headers['content-length']
    if (this.#isHead || STATUSES_WITHOUT_BODY.includes(this.status)) this.#state = 'complete'
    else if (isChunked(this.headers)) this.#startSection('chunk-size')
    else if (length === undefined) this.#state = 'rest'
    else this.#startBytes(/^\d+$/.test(length) ? Number(length) : undefined, 'complete')
  }

  #startChunk(size: string | undefined): void {
    this.#startBytes(size === undefined ? undefined : Number.parseInt(size, 16), 'trailer')
  }

  /** Starts to read this number of bytes. If there are none, continues with `next`. */
  #startBytes(length: number | undefined, next: State): void {
    if (length === undefined) this.error = invalidLength
    else if (length > this.#limits.maxBodyBytes) this.error = createTooLargeError(this.#limits.maxBodyBytes)
    this.#leftBytes = length ?? 0
    this.#startSection(this.#leftBytes === 0 ? next : 'bytes')
  }
}

function isChunked(headers: Readonly<Record<string, string>>): boolean {
  return /\bchunked\b/i.test(headers['transfer-encoding'] ?? '')
}
