/**
 * Child process that opens streams and records when their bytes arrive. It reads directly from the sockets, and checks
 * only the status and the end of each response. Timestamps are therefore taken as early as possible. It responds to
 * each {@link TimingRequest} message with a {@link TimingResponse}.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TimingRequest {
  readonly url: string
  readonly streams: number
  /** Period over which the stream starts are spread, in milliseconds; 0 starts all streams at once. */
  readonly startsWithinMs: number
  readonly events: number
}

/** Milliseconds from the write of each request to the first and to the last byte of its stream. */
export interface TimingResponse {
  readonly firstMs: readonly number[]
  readonly totalMs: readonly number[]
}

const MIN_EVENT_BYTES = 100
const END = Buffer.from('0\r\n\r\n') // Last chunk of a chunked body (RFC 9112, section 7.1).
const SETTLING_MS = 100
const MAX_STREAM_MS = 120_000

class Stream {
  readonly #socket: Socket
  readonly #over = Promise.withResolvers<void>()
  #sentAtMs = 0
  #firstAtMs = 0
  #lastAtMs = 0
  bytes = 0

  /** Opens a connection. All streams share the read buffer, so that reading allocates no memory. */
  constructor(url: string, buffer: Buffer) {
    const { hostname, port } = new URL(url)
    const onread = { buffer, callback: (length: number) => this.#read(buffer, length) }
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
    const fail = (why: unknown) => this.#over.reject(new Error(`a stream broke off: ${String(why)}`))
    this.#socket.on('error', fail).on('close', () => fail('closed'))
    this.#over.promise.catch(() => undefined) // Prevents an unhandled rejection until `end()` awaits this promise.
  }

  async open(): Promise<void> {
    await once(this.#socket, 'connect')
  }

  send(request: string): void {
    this.#sentAtMs = performance.now()
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.destroy()
  }

  /**
   * Waits for the end of the stream.
   * @returns the milliseconds to the first and to the last byte
   */
  async end(): Promise<readonly [number, number]> {
    await this.#over.promise
    return [this.#firstAtMs - this.#sentAtMs, this.#lastAtMs - this.#sentAtMs]
  }

  #read(buffer: Buffer, length: number): boolean {
    const nowMs = performance.now()
    if (this.bytes === 0) {
      this.#firstAtMs = nowMs
      const status = buffer.toString('latin1', 0, 12)
      if (status !== 'HTTP/1.1 200') this.#over.reject(new Error(`the response started with ${status}`))
    }
    this.bytes += length
    this.#lastAtMs = nowMs
    if (length >= END.length && buffer.compare(END, 0, END.length, length - END.length, length) === 0) {
      this.#over.resolve()
    }
    return true
  }
}

async function see({ url, streams, startsWithinMs, events }: TimingRequest): Promise<TimingResponse> {
  const max_tokens = events
  const body = JSON.stringify({
    model: 'o3-mini',
    stream: true,
    max_tokens,
    messages: [{ role: 'user', content: 'Go.' }],
  })
  const head =
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${new URL(url).host}\r\ncontent-type: application/json\r\n` +
    `authorization: Bearer sk-svc-touchstone-funded\r\ncontent-length: ${body.length}\r\n\r\n`
  const buffer = Buffer.allocUnsafe(256 * 1024)
  const opened = Array.from({ length: streams }, () => new Stream(url, buffer))
  await Promise.all(opened.map((stream) => stream.open()))
  await sleep(SETTLING_MS)
  const giveUp = setTimeout(() => {
    throw new Error(`streams did not end within ${MAX_STREAM_MS} ms`)
  }, MAX_STREAM_MS)
  for (const [index, stream] of opened.entries()) {
    const send = () => stream.send(head + body)
    if (startsWithinMs === 0) send()
    else setTimeout(send, (index * startsWithinMs) / streams)
  }
  const times = await Promise.all(opened.map((stream) => stream.end()))
  clearTimeout(giveUp)
  // Closes connections only at the end. Otherwise, servers would accept new connections while they stream.
  for (const stream of opened) stream.close()
  const short = opened.find(({ bytes }) => bytes < events * MIN_EVENT_BYTES)
  if (short !== undefined) throw new Error(`a stream of ${events} events had ${short.bytes} bytes`)
  return { firstMs: times.map(([first]) => first), totalMs: times.map(([, total]) => total) }
}

process.on('message', (order: TimingRequest) => {
  void see(order).then((seen) => process.send?.(seen))
})
