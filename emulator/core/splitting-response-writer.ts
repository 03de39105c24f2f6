import { MULTI_BYTE_CHARACTER } from '../../common/byte-string.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Time between the two parts of a split character, so that the client reads them one by one. */
const PAUSE_MS = 1

/**
 * Splits each write: inside its first character outside ASCII, with a pause before the rest, or into single bytes. A
 * network can do the same at any byte.
 */
export class SplittingResponseWriter implements ResponseWriter {
  readonly #writer: ResponseWriter
  readonly #bytesPerWrite: 'split' | 'one'
  readonly #onDrain: (() => void)[] = []
  /** Rest of the last write, until the end of the pause, or until the send buffer is no longer full. */
  #rest: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(writer: ResponseWriter, bytesPerWrite: 'split' | 'one') {
    this.#writer = writer
    this.#bytesPerWrite = bytesPerWrite
    writer.onDrain(() => this.#drain())
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#writer.start(status, headers)
  }

  write(chunk: Buffer | string): boolean {
    const bytes = typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    if (this.#bytesPerWrite === 'one') return this.#writeBytes(bytes)
    const position = bytes.search(MULTI_BYTE_CHARACTER)
    if (position === -1) return this.#writer.write(chunk)
    this.#writer.write(bytes.slice(0, position + 1))
    this.#rest = bytes.slice(position + 1)
    this.#timer = setTimeout(() => {
      if (this.#writeRest()) this.#drain()
    }, PAUSE_MS)
    return false
  }

  end(chunk?: Buffer | string): void {
    if (chunk !== undefined) this.write(chunk)
    this.#writeRest()
    this.#writer.end()
  }

  abort(): void {
    this.#writer.abort()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    this.#writeRest() // Without a pause, because the request ends with the call.
    this.#writer.abortAfterFlush(how)
  }

  abortInHead(status: number, headers: Readonly<Record<string, string>>, how: 'close' | 'reset'): void {
    this.#writer.abortInHead(status, headers, how)
  }

  closeAfterEnd(): void {
    this.#writer.closeAfterEnd?.()
  }

  stall(): void {
    this.#writer.stall?.()
  }

  isClosed(): boolean {
    return this.#writer.isClosed()
  }

  onDrain(listener: () => void): void {
    this.#onDrain.push(listener)
  }

  onClose(listener: () => void): void {
    this.#writer.onClose(listener)
  }

  /**
   * Writes the rest of the last write, unless the client has disconnected.
   * @returns false if the send buffer is full
   */
  #writeRest(): boolean {
    clearTimeout(this.#timer)
    const rest = this.#rest
    this.#rest = undefined
    return rest === undefined || this.#writer.isClosed() || this.#writer.write(rest)
  }

  /**
   * Writes single bytes while the send buffer has room. A megabyte of them at once would exhaust it.
   * @returns false if the send buffer is full
   */
  #writeBytes(bytes: string): boolean {
    let takesMore = true
    let position = 0
    while (takesMore && position < bytes.length) {
      takesMore = this.#writer.write(bytes.charAt(position))
      position += 1
    }
    this.#rest = position < bytes.length ? bytes.slice(position) : undefined
    return takesMore
  }

  #drain(): void {
    const rest = this.#rest
    const isReady = rest === undefined || (this.#bytesPerWrite === 'one' && this.#writeBytes(rest))
    if (isReady) for (const listener of this.#onDrain) listener()
  }
}
