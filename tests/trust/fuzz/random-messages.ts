import fc from 'fast-check'
import { body } from './random-bodies.ts'
import {
  randomControlTarget,
  randomValidFields,
  randomMethod,
  randomInvalidFields,
  randomTarget,
} from './random-headers.ts'

export interface HttpMessage {
  readonly bytes: Buffer
  /** Whether this is a HEAD request, whose response has no body regardless of Content-Length. */
  readonly isHead: boolean
}

interface Parts {
  readonly method: string
  readonly target: string
  readonly fields: readonly string[]
  readonly body: Uint8Array
  /** Sizes of the chunks of a chunked body, or undefined if the request has a Content-Length. */
  readonly chunkSizes: readonly number[] | undefined
  readonly extension: string
  readonly trailer: string
}

const parts = (fields: fc.Arbitrary<readonly string[]>) =>
  fc.record<Parts>({
    method: randomMethod,
    target: fc.oneof({ weight: 30, arbitrary: randomTarget }, { weight: 1, arbitrary: randomControlTarget }),
    fields,
    body,
    chunkSizes: fc.oneof(fc.constant(undefined), fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 6 })),
    extension: fc.constantFrom('', ';a', ';a=b', ';a="b c"'),
    trailer: fc.constantFrom('', 'x-trailer: y\r\n'),
  })

/** Generates a message that is valid HTTP. The emulator may still reject its content. */
export const buildValidMessageArbitrary = (last: boolean): fc.Arbitrary<HttpMessage> =>
  parts(randomValidFields).map((given) => write(given, last ? ['connection: close'] : []))

export const randomInvalidMessage: fc.Arbitrary<HttpMessage> = fc.oneof(
  { weight: 3, arbitrary: parts(randomInvalidFields).map((given) => write(given, [])) },
  {
    weight: 3,
    arbitrary: fc.tuple(parts(randomValidFields), invalidFraming()).map(([given, change]) => change(given)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(parts(randomValidFields), invalidRequestLine()).map(([given, change]) => change(given)),
  },
  { weight: 3, arbitrary: fc.tuple(buildValidMessageArbitrary(false), fc.nat(), fc.nat(), noise()).map(damage) },
  { weight: 1, arbitrary: noise().map((bytes) => ({ bytes: Buffer.from(bytes), isHead: false })) },
)

function noise() {
  return fc.uint8Array({ minLength: 1, maxLength: 12 })
}

function write(given: Parts, extra: readonly string[]): HttpMessage {
  const chunks = given.chunkSizes === undefined ? undefined : chunked(given, given.chunkSizes)
  const framing = chunks === undefined ? `content-length: ${given.body.length}` : 'transfer-encoding: chunked'
  return assemble(given, [...given.fields, ...extra, framing], chunks ?? Buffer.from(given.body))
}

function assemble(given: Parts, fields: readonly string[], content: Buffer, start?: string): HttpMessage {
  const line = start ?? `${given.method} ${given.target} HTTP/1.1\r\n`
  const head = Buffer.from(`${line}host: 127.0.0.1\r\n${fields.join('\r\n')}\r\n\r\n`, 'latin1')
  return { bytes: Buffer.concat([head, content]), isHead: given.method === 'HEAD' }
}

function chunked({ body, extension, trailer }: Parts, sizes: readonly number[]): Buffer {
  const pieces: Uint8Array[] = []
  let from = 0
  for (const size of [...sizes, Infinity]) {
    const piece = body.subarray(from, from + size)
    if (piece.length === 0) break
    from += piece.length
    pieces.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${trailer}\r\n`)])
}

/** Generates functions that build a message with an invalid Content-Length or Transfer-Encoding. */
function invalidFraming(): fc.Arbitrary<(given: Parts) => HttpMessage> {
  const length = (text: (bytes: number) => string) => (given: Parts) =>
    assemble(given, [...given.fields, text(given.body.length)], Buffer.from(given.body))
  const coding = (field: string) => (given: Parts) => assemble(given, [...given.fields, field], chunked(given, [7]))
  const chunk = (line: string) => (given: Parts) =>
    assemble(given, [...given.fields, 'transfer-encoding: chunked'], Buffer.from(`${line}\r\nabc\r\n0\r\n\r\n`))
  return fc.constantFrom<(given: Parts) => HttpMessage>(
    length((bytes) => `content-length: ${bytes + 5}`),
    length((bytes) => `content-length: ${Math.max(0, bytes - 5)}`),
    length((bytes) => `content-length: +${bytes}`),
    length((bytes) => `content-length: -${bytes}`),
    length((bytes) => `content-length: 0x${bytes.toString(16)}`),
    length((bytes) => `content-length: ${bytes}, ${bytes}`),
    length((bytes) => `content-length: ${bytes}\r\ncontent-length: ${bytes + 1}`),
    length(() => 'content-length: 99999999999999999999999'),
    length(() => 'x-no-length: y'),
    length((bytes) => `content-length: ${bytes}\r\ntransfer-encoding: chunked`),
    coding('transfer-encoding: gzip, chunked'),
    coding('transfer-encoding: chunked, gzip'),
    coding('transfer-encoding: xchunked'),
    coding('transfer-encoding : chunked'),
    coding('transfer-encoding: chunked\r\ntransfer-encoding: chunked'),
    chunk('zz'),
    chunk('-3'),
    chunk('ffffffffffffffffff'),
    chunk('2'),
    chunk('4'),
    chunk(`3;${'e'.repeat(20_000)}`),
  )
}

/**
 * Generates functions that build a message with an invalid request line, or with the request line of a different HTTP
 * version.
 */
function invalidRequestLine(): fc.Arbitrary<(given: Parts) => HttpMessage> {
  const start = (line: (given: Parts) => string) => (given: Parts) =>
    assemble(given, [...given.fields, `content-length: ${given.body.length}`], Buffer.from(given.body), line(given))
  return fc.constantFrom<(given: Parts) => HttpMessage>(
    start(({ method, target }) => `${method} ${target} HTTP/1.0\r\n`),
    start(({ method, target }) => `${method} ${target} HTTP/2.0\r\n`),
    start(({ method, target }) => `${method} ${target} HTTP/1.1 \r\n`),
    start(({ method, target }) => `${method}  ${target} HTTP/1.1\r\n`),
    start(({ method, target }) => `${method} ${target}\r\n`),
    start(({ method, target }) => `${method.toLowerCase()} ${target} HTTP/1.1\r\n`),
    start(({ method, target }) => `${method} ${target} HTTP/1.1\n`),
    start(({ method, target }) => `\r\n\r\n${method} ${target} HTTP/1.1\r\n`),
    start(({ target }) => `NONSENSE ${target} HTTP/1.1\r\n`),
    start(({ method }) => `${method} /v1/ models HTTP/1.1\r\n`),
    start(() => `GET /v1/${'x'.repeat(70_000)} HTTP/1.1\r\n`),
    start(() => 'CONNECT example:443 HTTP/1.1\r\n'),
  )
}

/** Replaces up to 19 bytes of a message with the bytes of `patch`, at a position that follows from `at`. */
function damage([{ bytes, isHead }, at, length, patch]: readonly [
  HttpMessage,
  number,
  number,
  Uint8Array,
]): HttpMessage {
  const start = at % (bytes.length + 1)
  return { bytes: Buffer.concat([bytes.subarray(0, start), patch, bytes.subarray(start + (length % 20))]), isHead }
}
