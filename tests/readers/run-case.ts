import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { findMp3FrameDeviation, findMp3StartDeviation } from '../../conformance/sections/4.5-speech/mp3.ts'
import { readImage } from '../../conformance/sections/4.3-images/image-facts.ts'
import { describeExchange } from '../../conformance/evidence/describe-exchange.ts'
import { SecretMask } from '../../conformance/evidence/secrets.ts'
import { parseJsonBody } from '../../conformance/http/decode-body.ts'
import type { Exchange } from '../../conformance/http/exchange.ts'
import { createKeepAliveConnection } from '../../conformance/http/keep-alive-connection.ts'
import { parseRetryAfterMs } from '../../conformance/http/retry-after.ts'
import { sendRaw, sendRequest } from '../../conformance/http/send-request.ts'
import { SseReader } from '../../conformance/http/sse-reader.ts'
import { findStreamError } from '../../conformance/http/stream-error.ts'
import { parseRateLimitHeaders } from '../../conformance/traffic/rate-limit-headers.ts'
import { createHttpOptions } from '../../conformance/testing/http-options.ts'
import { serveTcp } from '../../common/testing/local-server.ts'
import { createEmulator, type InProcessEmulator } from '../../emulator/create-emulator.ts'
import { parseRecording } from '../../emulator/scripting/fixtures/recording.ts'
import { InvalidOptionError, startEmulator, type ClientOptions, type Emulator } from '../../emulator/start-emulator.ts'
import { isEmulator } from '../../load/target/emulator-client.ts'
import { createClient } from '../../load/target/target-client.ts'
import { CHAT, type ReaderCase } from './generate-case.ts'

/** Deadline of each reader, in milliseconds. */
const TIMEOUT_MS = 100
/** Time after which a reader counts as one that never ends, in milliseconds. It is long enough for a busy machine. */
const MAX_WAIT_MS = 30_000
/** Time for which the server keeps the connection of a tunnel open, whose own deadline is long, in milliseconds. */
const TUNNEL_HOLD_MS = 50
const MAX_BODY_BYTES = 1024 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const LIMITS = { maxBodyBytes: MAX_BODY_BYTES, maxHeaderBytes: MAX_HEADER_BYTES }
const MODELS = { method: 'GET', path: '/v1/models', headers: { 'x-a': 'a' } }
const POST = { method: 'POST', path: '/v1/chat/completions', headers: { 'content-type': 'application/json' } }
const STREAM = { ...POST, body: Buffer.from(JSON.stringify(CHAT)) }
const MASK = new SecretMask([])
/** Errors that only an error in the reader itself causes. `fetch` rejects with a TypeError of its own. */
const DEFECTS = [TypeError, RangeError, ReferenceError, SyntaxError]
const INTERNAL_ERROR = 'The service failed unexpectedly.'

/** Readers of the suite, of the recorder and of `load`, with a server that sends them the bytes of a case. */
export class Readers {
  readonly #sockets = new Set<Socket>()
  readonly #folder: string
  #served: ReaderCase = { kind: 'response', pieces: [], end: 'close' }
  #url = ''
  #recorders: readonly (Emulator | InProcessEmulator)[] = []
  readonly #resources = new AsyncDisposableStack()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async start(): Promise<Readers> {
    const readers = new Readers(await mkdtemp(join(tmpdir(), 'touchstone-readers-')))
    const server = readers.#resources.use(await serveTcp((socket) => readers.#serve(socket)))
    readers.#url = server.url
    const options = { record: server.url, recordDir: readers.#folder }
    readers.#recorders = [
      readers.#resources.use(await startEmulator(options)),
      readers.#resources.use(createEmulator(options)),
    ]
    return readers
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync()
    await rm(this.#folder, { recursive: true })
  }

  /** Runs a case with each reader. Returns a description of the first error, or undefined. */
  async run(tested: ReaderCase): Promise<string | undefined> {
    const escaped: unknown[] = []
    const onEscaped = (error: unknown): void => void escaped.push(error)
    process.on('uncaughtException', onEscaped).on('unhandledRejection', onEscaped)
    try {
      this.#served = tested
      const result = await { response: () => this.#readResponse(tested), form: readForm, recording: readRecording }[
        tested.kind
      ](tested)
      for (const socket of this.#sockets) socket.destroy()
      await setImmediate()
      return result ?? (escaped.length === 0 ? undefined : `nothing handles ${describeError(escaped[0])}`)
    } catch (error) {
      return describeError(error)
    } finally {
      process.off('uncaughtException', onEscaped).off('unhandledRejection', onEscaped)
    }
  }

  /** Writes the response for each request on a connection. */
  #serve(socket: Socket): void {
    const { pieces, end } = this.#served
    this.#sockets.add(socket)
    socket.setNoDelay().on('close', () => this.#sockets.delete(socket))
    socket.on('data', async (request: Buffer) => {
      for (const piece of pieces) {
        socket.write(piece, 'latin1')
        await setImmediate()
      }
      if (end === 'reset') socket.write('', () => socket.resetAndDestroy())
      else if (end === 'close') socket.end()
      else if (request.toString('latin1', 0, 7) === 'CONNECT') {
        await setTimeout(TUNNEL_HOLD_MS)
        socket.destroy()
      }
    })
  }

  async #readResponse({ pieces }: ReaderCase): Promise<string | undefined> {
    readInProcess(pieces.map((piece) => Buffer.from(piece, 'latin1')))
    const options = createHttpOptions(this.#url, { ...LIMITS, timeoutMs: TIMEOUT_MS })
    const tunnel = { ...options, baseUrl: 'http://127.0.0.1:1', proxy: this.#url }
    const connection = createKeepAliveConnection()
    using client = await createClient(this.#url, undefined, {}, { timeoutMs: TIMEOUT_MS })
    const raw = Buffer.from('GET / HTTP/1.1\r\n\r\n')
    const results = await Promise.all([
      watch('sendRaw', () => sendRaw(raw, MODELS, options).then(inspect)),
      watch('a HEAD request', () => sendRequest({ ...MODELS, method: 'HEAD' }, options).then(inspect)),
      watch('sendRequest', () => sendRequest(MODELS, options).then(inspect)),
      watch('sendRequest of a stream', () =>
        sendRequest(STREAM, { ...options, abortWhen: (events) => events.length >= 2 }).then(inspect),
      ),
      watch('sendRequest on one connection', async () => {
        for (const request of [MODELS, STREAM]) inspect(await sendRequest(request, { ...options, connection }))
      }),
      watch('sendRequest through a tunnel', () => sendRequest(MODELS, tunnel).then(inspect)),
      watch('sendRaw through a tunnel', () => sendRaw(raw, MODELS, tunnel).then(inspect)),
      watch('the client of load', () => client('models')),
      watch('the probe of load', () => isEmulator(this.#url, AbortSignal.timeout(TIMEOUT_MS))),
      ...this.#recorders.map((recorder) => watch('the recorder', () => readRecorder(recorder))),
    ])
    results.push(
      await watch('a request of the recorder', async () => {
        while (this.#recorders.some((recorder) => recorder.activeRequests() > 0)) await setTimeout(1)
      }),
    )
    connection.close()
    return results.find((result) => result !== undefined) ?? (await this.#checkRecordings())
  }

  /** Checks that the emulator can replay its recordings. Removes them. */
  async #checkRecordings(): Promise<string | undefined> {
    for (const name of await readdir(this.#folder)) {
      if (!name.endsWith('.json')) continue
      const path = join(this.#folder, name)
      const recording = parseRecording(JSON.parse(await readFile(path, 'utf8')))
      await rm(path)
      if (typeof recording === 'string') return `the recorder wrote an invalid ${recording}`
    }
    return undefined
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Runs a reader. Returns its defect, or undefined if it ends with a result or an error of the network. */
async function watch(name: string, read: () => Promise<unknown>): Promise<string | undefined> {
  const controller = new AbortController()
  const late = setTimeout(MAX_WAIT_MS, `${name} does not end`, { signal: controller.signal }).catch(() => undefined)
  const ended = read().then(
    () => undefined,
    (error: unknown) => (isDefect(error) ? `${name}: ${describeError(error)}` : undefined),
  )
  const result = await Promise.race([ended, late])
  controller.abort()
  return result
}

function isDefect(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  const isOfFetch = ['fetch failed', 'terminated'].includes(error.message)
  if (isOfFetch) return error.cause instanceof Error && isDefect(error.cause)
  return DEFECTS.some((Defect) => error instanceof Defect)
}

/** Reads what checks read of an exchange. Throws if it is invalid. */
function inspect(exchange: Exchange): void {
  const { error, body, json, text, events, headers } = exchange
  const problems = [
    error?.message.startsWith('the connection failed') === true && `an unknown error: ${error.message}`,
    body.byteLength > MAX_BODY_BYTES && 'the body is too large',
    Object.entries(headers).join('').length > 2 * MAX_HEADER_BYTES && 'the header section is too large',
    json === undefined ? text.length > body.byteLength && 'the text is too long' : false,
    error === undefined && exchange.status === 0 && 'no status and no error',
  ].filter(Boolean)
  const times = [parseRetryAfterMs(headers), ...parseRateLimitHeaders(headers, 0).flatMap(Object.values)]
  if (times.some((time) => typeof time === 'number' && !(Number.isFinite(time) && time >= 0)))
    problems.push(`times ${times.join()}`)
  findStreamError({ events })
  JSON.stringify(describeExchange(exchange, MASK))
  readBody(body)
  if (problems.length > 0) throw new TypeError(problems.join('; '))
}

function readBody(body: Uint8Array): void {
  findMp3StartDeviation(body)
  findMp3FrameDeviation(body)
  readImage(body)
  parseJsonBody(Buffer.from(body))
}

/** Compares the events of a stream in pieces with those of the same bytes at once. */
function readInProcess(pieces: readonly Buffer[]): void {
  const whole = Buffer.concat(pieces)
  const [one, other] = [pieces, [whole]].map((list) => {
    const reader = new SseReader()
    for (const piece of list) reader.push(piece, 0)
    return reader.isFull ? [] : [...reader.events, reader.hasUnfinishedFrame]
  })
  if (!isDeepStrictEqual(one, other)) throw new Error('the result depends on the pieces')
  readBody(whole.subarray(whole.indexOf('\r\n\r\n') + 4))
}

/** Sends a request to a recorder. Not with `fetch`, which can throw outside of its promise (undici, 6 content encodings). */
async function readRecorder(recorder: Emulator | InProcessEmulator): Promise<void> {
  if (!('url' in recorder)) return sendChat(recorder.clientOptions())
  using client = await createClient(recorder.url, recorder.keys.funded, {}, { timeoutMs: 2 * TIMEOUT_MS })
  const { text } = await client('chat/completions', CHAT)
  if (text.includes(INTERNAL_ERROR)) throw new RangeError('the emulator has an internal error')
}

async function sendChat({ baseURL, apiKey, fetch = globalThis.fetch }: ClientOptions): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(2 * TIMEOUT_MS)
  const response = await fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body: STREAM.body, signal })
  if ((await response.text()).includes(INTERNAL_ERROR)) throw new RangeError('the emulator has an internal error')
}

async function readForm({ pieces }: ReaderCase): Promise<string | undefined> {
  const text = pieces.join('')
  const start = text.indexOf('\r\n\r\n')
  // Only valid header values reach the reader.
  const type = text.slice(0, Math.max(0, start)).replaceAll(/[^\t\x20-\x7e]/g, '')
  await using emulator = createEmulator()
  const { baseURL, apiKey, fetch = globalThis.fetch } = emulator.clientOptions()
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': type }
  const body = Buffer.from(text.slice(start + 4), 'latin1')
  const send = async (): Promise<void> => {
    const response = await fetch(`${baseURL}/audio/transcriptions`, { method: 'POST', headers, body })
    if (response.status >= 500) throw new RangeError(`a form gets ${response.status}: ${await response.text()}`)
  }
  return await watch('the reader of forms', send)
}

async function readRecording({ pieces }: ReaderCase): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-readers-'))
  await writeFile(join(folder, '1.json'), pieces.join(''), 'latin1')
  const replay = async (): Promise<void> => {
    try {
      await using emulator = createEmulator({ replay: folder })
      await sendChat(emulator.clientOptions())
    } catch (error) {
      if (!(error instanceof InvalidOptionError)) throw error
    }
  }
  const result = await watch('the replay', replay)
  await rm(folder, { recursive: true })
  return result
}
