import { MULTI_BYTE_CHARACTER } from '../../common/byte-string.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Time between the two parts of a split character, so that the client reads them one by one. */
const PAUSE_MS = 1

/**
 * Splits each write inside its first character outside ASCII, and sends the rest after a pause. A network can do the same
 * at any byte.
 */
export class SplittingResponseWriter implements ResponseWriter {
  readonly #writer: ResponseWriter
  readonly #onDrain: (() => void)[] = []
  /** Calls that wait for the end of the pause. */
  #waiting: (() => void)[] | undefined

  constructor(writer: ResponseWriter) {
    this.#writer = writer
    writer.onDrain(() => this.#drain())
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#writer.start(status, headers)
  }

  write(chunk: Buffer | string): boolean {
    const bytes = typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    const position = bytes.search(MULTI_BYTE_CHARACTER)
    if (position === -1) return this.#writer.write(chunk)
    this.#writer.write(bytes.slice(0, position + 1))
    this.#waiting = [() => void this.#writer.write(bytes.slice(position + 1))]
    setTimeout(() => {
      for (const call of this.#waiting?.splice(0) ?? []) call()
      this.#waiting = undefined
      this.#drain()
    }, PAUSE_MS)
    return false
  }

  end(chunk?: Buffer | string): void {
    if (chunk !== undefined) this.write(chunk)
    this.#afterPause(() => this.#writer.end())
  }

  abort(): void {
    this.#writer.abort()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    // Without a pause, because the request ends with the call.
    for (const call of this.#waiting?.splice(0) ?? []) call()
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

  #afterPause(call: () => void): void {
    if (this.#waiting === undefined) call()
    else this.#waiting.push(call)
  }

  #drain(): void {
    if (this.#waiting === undefined) for (const listener of this.#onDrain) listener()
  }
}
