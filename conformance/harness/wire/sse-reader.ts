import type { StreamEvent } from '../exchange.ts'

const LF = 0x0a
const CR = 0x0d
const BOM = [0xef, 0xbb, 0xbf]

/**
 * Reads a server-sent-event stream byte by byte (WHATWG HTML, section 9.2.6), so that where the target cuts its writes
 * changes nothing but the arrival times.
 */
export class SseReader {
  readonly events: StreamEvent[] = []
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #line: number[] = []
  #previous = -1
  #bytesSeen = 0
  #data: string[] = []
  #event = ''
  #id = ''

  /** Takes the next bytes, which arrived `atMs` milliseconds after the start of the request. */
  push(bytes: Uint8Array, atMs: number): void {
    for (const byte of bytes) {
      this.#take(byte, atMs)
    }
  }

  /** Says, at the end of the stream, whether an event was still open: it lacked its blank line and is dropped. */
  get hasUnfinishedFrame(): boolean {
    return this.#data.length > 0 || this.#isDataLine()
  }

  #take(byte: number, atMs: number): void {
    this.#bytesSeen += 1
    const followsCr = this.#previous === CR
    this.#previous = byte
    if (byte === LF && followsCr) {
      return
    }
    if (byte === LF || byte === CR) {
      this.#endLine(atMs)
      return
    }
    this.#line.push(byte)
    if (this.#bytesSeen === BOM.length && BOM.every((expected, index) => this.#line[index] === expected)) {
      this.#line = []
    }
  }

  #endLine(atMs: number): void {
    const line = this.#decoder.decode(Uint8Array.from(this.#line))
    this.#line = []
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
  }

  #isDataLine(): boolean {
    return this.#decoder.decode(Uint8Array.from(this.#line)).startsWith('data')
  }
}
