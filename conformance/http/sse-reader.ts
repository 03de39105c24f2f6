import type { StreamEvent } from './exchange.ts'
import { MAX_EVENT_BYTES, MAX_EVENTS } from './memory-limits.ts'
import { ReceivedBody } from './received-body.ts'

const LF = 0x0a
const CR = 0x0d
const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const DATA = Buffer.from('data')

/** Parses server-sent events (WHATWG HTML, section 9.2.6). Chunk boundaries affect only arrival times. */
export class SseReader {
  readonly events: StreamEvent[] = []
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Bytes of the current line, which has not ended yet. */
  #line = new ReceivedBody(MAX_EVENT_BYTES + 1)
  /** Size of the current event without its current line, in bytes. */
  #eventBytes = 0
  #isFirstLine = true
  #endedByCr = false
  #data: string[] = []
  #event = ''
  #id = ''

  /** Parses bytes that arrived `atMs` milliseconds after the start of the request. */
  push(bytes: Uint8Array, atMs: number): void {
    if (bytes.length === 0) return
    let start = this.#endedByCr && bytes[0] === LF ? 1 : 0
    let [lf, cr] = [-1, -1]
    while (!this.isFull) {
      if (lf < start) lf = findByte(bytes, LF, start)
      if (cr < start) cr = findByte(bytes, CR, start)
      const end = Math.min(lf, cr)
      if (end === bytes.length) break
      this.#endLine(bytes.subarray(start, end), atMs)
      start = lf === cr + 1 ? lf + 1 : end + 1
    }
    this.#endedByCr = bytes.at(-1) === CR
    if (start < bytes.length && !this.isFull) {
      this.#line.append(bytes.subarray(start, start + MAX_EVENT_BYTES + 1 - this.#line.bytes), 0)
    }
  }

  /** Whether the stream exceeds the maximum number of events, or the size of one. The reader then ignores further bytes. */
  get isFull(): boolean {
    return this.events.length >= MAX_EVENTS || this.#eventBytes + this.#line.bytes > MAX_EVENT_BYTES
  }

  /** Whether the stream ended within an event, before its blank line. Parsers drop such an event. */
  get hasUnfinishedFrame(): boolean {
    return this.#data.length > 0 || this.#takeLine(new Uint8Array()).subarray(0, DATA.length).equals(DATA)
  }

  /** Returns the current line, whose last bytes are `end`. Removes a byte order mark from the first line. */
  #takeLine(end: Uint8Array): Buffer {
    const line = Buffer.concat([this.#line.take().bytes, end])
    const hasMark = this.#isFirstLine && line.subarray(0, BOM.length).equals(BOM)
    return hasMark ? line.subarray(BOM.length) : line
  }

  #endLine(end: Uint8Array, atMs: number): void {
    const bytes = this.#takeLine(end)
    const line = this.#decoder.decode(bytes)
    if (this.#line.bytes > 0) this.#line = new ReceivedBody(MAX_EVENT_BYTES + 1)
    this.#eventBytes += bytes.byteLength + 1
    this.#isFirstLine = false
    if (line === '') {
      this.#dispatch(atMs)
      return
    }
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    this.#setField(name, value)
  }

  #setField(name: string, value: string): void {
    if (name === 'data') {
      this.#data.push(value)
    } else if (name === 'event') {
      this.#event = value
    } else if (name === 'id' && !value.includes('\0')) {
      this.#id = value
    }
  }

  #dispatch(atMs: number): void {
    if (this.#data.length > 0) {
      this.events.push({
        atMs,
        data: this.#data.join('\n'),
        ...(this.#event === '' ? {} : { event: this.#event }),
        ...(this.#id === '' ? {} : { id: this.#id }),
      })
    }
    this.#data = []
    this.#event = ''
    this.#eventBytes = 0
  }
}

/** Returns the offset of the next such byte, or the length of the bytes if there is none. */
function findByte(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from)
  return at === -1 ? bytes.length : at
}
