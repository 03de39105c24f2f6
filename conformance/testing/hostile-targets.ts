import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { MODELS, OPERATIONS } from '../../contract/facts.ts'
import { buildMp3 } from '../requests/audio.ts'
import { type LocalServer, serveHttp } from '../../common/testing/local-server.ts'

/** Keys of hostile targets. Each target accepts these keys, so that the suite runs its checks. */
export const HOSTILE_TARGET_KEYS = {
  funded: 'sk-svc-hostile-funded-0123456789',
  noCredits: 'sk-svc-hostile-nothing-0123456789',
  limited: 'sk-svc-hostile-limited-0123456789',
}

/** A valid response, which a hostile target changes. */
interface ValidResponse {
  readonly mediaType: string
  readonly body: Buffer
}

type Pieces = Iterable<string | Buffer>

/**
 * A response of a hostile target. `pieces` may be endless: the server writes a piece when the client has read the
 * earlier ones.
 */
interface HostileResponse {
  /** Default: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly mediaType?: string
  readonly pieces: Pieces
  /** Pause before each piece, in milliseconds. Default: none. */
  readonly pauseMs?: number
  /** Number of interim responses (103) before the response. */
  readonly interim?: number
}

type Hostility = (valid: ValidResponse) => HostileResponse

const MIB = 1024 * 1024
/** Size of large bodies: less than the suite reads of one response. */
const LARGE_BYTES = 7 * MIB
const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000004a0000003408020000', 'hex')
const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
const CHUNK = { id: 'a', object: 'chat.completion.chunk', created: 1, model: MODELS[0].id }

function* repeat(piece: string | Buffer, times = Number.POSITIVE_INFINITY): Pieces {
  for (let done = 0; done < times; done += 1) yield piece
}

function* concat(...parts: readonly Pieces[]): Pieces {
  for (const part of parts) yield* part
}

/** Fills an object with members, so that the result is valid JSON of the operation. Leaves other bodies unchanged. */
function withMembers({ body, mediaType }: ValidResponse, members: Pieces): Pieces {
  if (mediaType !== 'application/json') return concat([body], members)
  return concat([body.subarray(0, -1), ',"filler":'], members, ['}'])
}

function isStream({ mediaType }: ValidResponse): boolean {
  return mediaType === 'text/event-stream'
}

const padding = (text: string, bytes = LARGE_BYTES): Pieces =>
  concat(['"'], repeat(text.repeat(Math.ceil(65_536 / text.length)), Math.floor(bytes / 65_536)), ['"'])

const compressed =
  (encoding: string, compress: (bytes: Buffer) => Buffer): Hostility =>
  (valid) => ({ headers: { 'content-encoding': encoding }, pieces: [compress(bombOf(valid))] })

/** Spaces of 64 MiB, as gzip. A body may consist of several parts like this one. */
const compressedSpaces = (): Buffer => gzipSync(Buffer.alloc(64 * MIB, 0x20))

/** Returns a body of 64 MiB that starts like a valid response. */
function bombOf({ body }: ValidResponse): Buffer {
  return Buffer.concat([body, Buffer.alloc(64 * MIB, 0x20)])
}

/** Appends bytes to each stream. */
const inStreams =
  (pieces: () => Pieces): Hostility =>
  (valid) => ({ pieces: isStream(valid) ? concat([valid.body], pieces()) : [valid.body] })

/** Replaces each text of a JSON response by a long one. Streams contain events with long texts. */
const textsOf =
  (bytes: number): Hostility =>
  ({ body }) => ({
    pieces: [body.toString('latin1').replaceAll(/"(?:Hello\.|Hello|\.|https?:[^"]*)"/g, `"${'a '.repeat(bytes / 2)}"`)],
  })

const EVENT = `data: ${JSON.stringify({ ...CHUNK, choices: [] })}\n\n`
const model = (id: string): string => JSON.stringify({ id, object: 'model', created: 1, owned_by: 'a' })

/** Hostile targets by name. Each one needs more memory than the suite may use, if the suite keeps what it receives. */
export const HOSTILE_TARGETS: Readonly<Record<string, Hostility>> = {
  '7 MiB in each response': (valid) => ({ pieces: withMembers(valid, padding('a')) }),
  '7 MiB of text outside Latin-1 in each response': (valid) => ({ pieces: withMembers(valid, padding('語')) }),
  '64 KiB in each response': (valid) => ({ pieces: withMembers(valid, padding('語', 65_536)) }),
  'endless streams': inStreams(() => repeat(EVENT.repeat(100))),
  'endless JSON in chunks': (valid) => ({ pieces: withMembers(valid, concat(['[0'], repeat(',0'.repeat(10_000)))) }),
  'endless chunks of one byte': (valid) => ({ pieces: withMembers(valid, concat(['"'], repeat('a'))) }),
  'a million small events': inStreams(() => repeat('data:1\n\n'.repeat(1000), 1000)),
  'one event without an end': inStreams(() => repeat('data:1\n'.repeat(1000))),
  'one line without an end': inStreams(() => concat(['data: '], repeat('a'.repeat(10_000)))),
  '60 KiB of header fields': (valid) => ({
    headers: Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`x-filler-${index}`, 'a'.repeat(10)])),
    pieces: [valid.body],
  }),
  '70,000 models': (valid) => ({
    pieces: withMembers(
      valid,
      concat(
        ['0,"data":['],
        Array.from({ length: 70_000 }, (_, index) => `${model(`model-${index}`)},`),
        [model('z'), ']'],
      ),
    ),
  }),
  'two million objects': (valid) => ({
    pieces: withMembers(valid, concat(['[{}'], repeat(',{}'.repeat(10_000), 240), [']'])),
  }),
  '20,000 objects in each response': (valid) => ({
    pieces: withMembers(valid, concat(['[{}'], repeat(',{}', 20_000), [']'])),
  }),
  'arrays of a million levels': (valid) => ({
    pieces: withMembers(valid, concat(repeat('['.repeat(1000), 1000), repeat(']'.repeat(1000), 1000))),
  }),
  'one byte per 100 ms': (valid) => ({ pieces: concat([valid.body.subarray(0, -1)], repeat(' ')), pauseMs: 100 }),
  'gzip bombs': compressed('gzip', gzipSync),
  'deflate bombs': compressed('deflate', deflateSync),
  'brotli bombs': compressed('br', brotliCompressSync),
  'zstd bombs': compressed('zstd', zstdCompressSync),
  'gzip bombs of 10 GB': (valid) => ({
    headers: { 'content-encoding': 'gzip' },
    pieces: concat([gzipSync(valid.body)], repeat(compressedSpaces(), 160)),
  }),
  '10,000 interim responses': (valid) => ({ interim: 10_000, pieces: [valid.body] }),
  'one header value of 1 MB': ({ body }) => ({ headers: { 'x-filler': 'a'.repeat(MIB) }, pieces: [body] }),
  'one header value of 60 KB': ({ body }) => ({ headers: { 'x-filler': 'a'.repeat(60_000) }, pieces: [body] }),
  '20,000 events of one byte each': inStreams(() => repeat('data:1\n\n', 20_000)),
  'events of 1 MB each': inStreams(() => repeat(`data:${'a'.repeat(MIB - 10)}\n\n`, 7)),
  'errors of 5 MB': (valid) => ({ status: 400, pieces: withMembers(valid, padding('a', 5 * MIB)) }),
  'redirects with 5 MB': (valid) => ({
    status: 307,
    headers: { location: '/v1/models' },
    pieces: withMembers(valid, padding('a', 5 * MIB)),
  }),
  'texts of 7 MB': textsOf(7 * MIB),
  'texts of 200 KB': textsOf(200_000),
}

/** Starts a hostile target. */
export async function startHostileTarget(name: string): Promise<LocalServer> {
  const act = HOSTILE_TARGETS[name]
  if (act === undefined) throw new Error(`there is no hostile target ${name}`)
  return serveHttp((request, response) => {
    const received: Buffer[] = []
    request.on('data', (bytes: Buffer) => received.push(bytes))
    request.on('end', () => {
      const valid = respondValidly(request, Buffer.concat(received).toString('latin1'))
      writeResponse(response, valid, act(valid))
    })
  })
}

function respondValidly({ url = '', headers, method }: IncomingMessage, body: string): ValidResponse {
  const stream = body.includes('"stream":true')
  const json = (value: object): ValidResponse => ({
    mediaType: 'application/json',
    body: Buffer.from(JSON.stringify(value)),
  })
  if (method === 'GET' && url.startsWith('/v1/images/')) return { mediaType: 'image/png', body: PNG }
  switch (url) {
    case OPERATIONS.chat.path: {
      const model = /"model":"([^"]*)"/.exec(body)?.[1] ?? ''
      const choice = { index: 0, finish_reason: 'stop' }
      if (!stream) {
        const message = { role: 'assistant', content: 'Hello.' }
        return json({ ...CHUNK, object: 'chat.completion', model, choices: [{ ...choice, message }], usage: USAGE })
      }
      const chunks = ['Hello', '.'].map((content) => ({
        ...CHUNK,
        model,
        choices: [{ ...choice, delta: { content } }],
      }))
      const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      return { mediaType: 'text/event-stream', body: Buffer.from(events.join('')) }
    }
    case OPERATIONS.images.path:
      return json({ created: 1, data: [{ url: `http://${headers.host}/v1/images/a.png` }] })
    case OPERATIONS.transcriptions.path:
      return json({ text: 'Hello.' })
    case OPERATIONS.speech.path:
      return { mediaType: 'audio/mpeg', body: Buffer.from(buildMp3(72)) }
    default:
      return json({
        object: 'list',
        data: MODELS.map(({ id }) => ({ id, object: 'model', created: 1, owned_by: 'a' })),
      })
  }
}

/** Writes a response. Waits before each piece until the client has read the earlier ones. */
function writeResponse(response: ServerResponse, valid: ValidResponse, hostile: HostileResponse): void {
  const { status = 200, headers = {}, pieces, pauseMs, interim = 0 } = hostile
  response.socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(interim))
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.writeHead(status, { 'content-type': hostile.mediaType ?? valid.mediaType })
  // A response to HEAD accepts and discards any number of pieces.
  if (response.req.method === 'HEAD') return void response.end()
  const iterator = pieces[Symbol.iterator]()
  const writeNext = (): void => {
    while (!response.destroyed) {
      const { done, value } = iterator.next()
      if (done === true) return void response.end()
      if (!response.write(value)) return void response.once('drain', writeNext)
      if (pauseMs !== undefined) return void setTimeout(writeNext, pauseMs)
    }
  }
  writeNext()
}
