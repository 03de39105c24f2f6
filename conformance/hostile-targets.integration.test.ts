import { createServer as createTlsServer } from 'node:tls'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type LocalServer, serveHttp, serveTcp } from './testing/local-server.ts'
import { runConformance } from './run-conformance.ts'

/*
 * Targets that mean harm, or are broken beyond the document. Each run ends by itself, with a verdict: never conformant, never
 * an error of the suite, and with a document that a person can open.
 */

const KEYS = {
  funded: 'sk-svc-funded-0123456789',
  noCredits: 'sk-svc-nothing-0123456789',
  limited: 'sk-svc-limited-0123456789',
}
const MOST_DOCUMENT_CHARACTERS = 4_000_000

async function judge(url: string, only: readonly string[] = [], timeoutMs = 300) {
  const { document, exitCode } = await runConformance({ url, keys: KEYS, only, timeoutMs })
  expect([1, 3]).toContain(exitCode)
  expect(document.summary.error).toBe(0)
  expect(document.checks.filter(({ actual }) => /\n\s+at |node:internal/.test(actual))).toEqual([])
  expect(JSON.stringify(document).length).toBeLessThan(MOST_DOCUMENT_CHARACTERS)
  return document
}

/** Answers every connection with bytes, once something was asked. */
function answering(act: (socket: Socket) => void): Promise<LocalServer> {
  return serveTcp((socket) => socket.once('data', () => act(socket)))
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** Writes one piece after another, with a pause, for as long as somebody listens. */
function drip(socket: Socket, pieces: (index: number) => string, pauseMs: number): void {
  let index = 0
  const timer = setInterval(() => socket.write(pieces(index++)), pauseMs)
  socket.on('close', () => clearInterval(timer))
}

describe.concurrent('no answer, or none that ends, passes nothing', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['nothing at all', () => undefined],
    ['one byte a second', (socket) => drip(socket, (index) => `${HEAD}content-length: 2\r\n\r\n{}`[index] ?? '', 1000)],
    [
      'a body by single bytes',
      (socket) => socket.write(`${HEAD}content-length: 999\r\n\r\n`, () => drip(socket, () => ' ', 50)),
    ],
    ['a header that never ends', (socket) => drip(socket, () => `x-${'y'.repeat(100)}: z\r\n`, 1)],
    [
      '10,000 header fields',
      (socket) => socket.end(`${HEAD}${'x-filler: 12345\r\n'.repeat(10_000)}content-length: 2\r\n\r\n{}`),
    ],
  ])('%s', async (_name, act) => {
    await using server = await answering(act)
    expect((await judge(server.url, ['4.1', '4.2'])).summary.pass).toBe(0)
  })
})

describe.concurrent('an answer that breaks off passes nothing', () => {
  const WHOLE = `${HEAD}content-length: 25\r\n\r\n{"object":"list","data":1}`
  test.each([0, 5, 15, 40, 60, WHOLE.length - 3])('reset after %i bytes', async (bytes) => {
    await using server = await answering((socket) =>
      socket.write(WHOLE.slice(0, bytes), () => setTimeout(() => socket.resetAndDestroy(), 2)),
    )
    expect((await judge(server.url, ['4.1', '4.5'])).summary.pass).toBe(0)
  })

  test.each([
    ['a chunk without a size', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a chunk of a size that no machine has', 'ffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
    ['a chunk that is longer than it says', '1\r\n{}\r\n0\r\n\r\n'],
    ['no last chunk', '2\r\n{}\r\n'],
  ])('%s', async (_name, chunks) => {
    await using server = await answering((socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n${chunks}`))
    expect((await judge(server.url, ['4.1', '4.5'])).summary.pass).toBe(0)
  })
})

/** Writes the same piece until so many bytes are out, or nobody listens any more. */
function pour(response: ServerResponse, piece: string, mostBytes: number, count: (bytes: number) => void): void {
  let left = mostBytes
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length
      count(piece.length)
      if (!response.write(piece)) {
        response.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

const MIB = 1024 * 1024

describe('more than any answer needs is left unread', () => {
  test.each([
    ['a body of 200 MB', 'application/json', 'a'.repeat(MIB)],
    ['events without end', 'text/event-stream', 'data: {"choices":[]}\n\n'.repeat(1000)],
    ['an event without end', 'text/event-stream', 'data: '.padEnd(MIB, 'a')],
  ])('%s', async (_name, mediaType, piece) => {
    let most = 0
    await using server = await serveHttp((_request, response) => {
      let sent = 0
      response.writeHead(200, { 'content-type': mediaType })
      pour(response, piece, 200 * MIB, (bytes) => {
        sent += bytes
        most = Math.max(most, sent)
      })
    })
    // With time enough for all of it: what ends the reading is its amount.
    const { summary } = await judge(server.url, ['4.2/stream-events'], 60_000)
    expect(summary.pass).toBe(0)
    // What the suite reads, and what lies in the buffers of two sockets.
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(32 * MIB)
  })
})

/** The same body for every request. */
function serving(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<LocalServer> {
  return serveHttp((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body),
  )
}

describe('a body that means harm is one that contradicts the document', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  test.each([
    ['bytes that are no UTF-8', Buffer.from('7b22fffec080223a22eda080227d', 'hex'), {}],
    ['arrays in arrays', deep, {}],
    [
      'arrays in each member',
      `{"id":${deep},"object":${deep},"data":[${deep}],"text":${deep},"error":{"message":${deep}}}`,
      {},
    ],
    ['a gzip bomb', gzipSync(Buffer.alloc(50 * MIB)), { 'content-encoding': 'gzip' }],
    ['gzip that is none', 'no gzip', { 'content-encoding': 'gzip' }],
    ['members of all objects', '{"__proto__":{"data":[]},"constructor":1,"toString":2,"data":{"length":1e9}}', {}],
  ])('%s', async (_name, body, headers) => {
    await using server = await serving(body, headers)
    expect((await judge(server.url, ['2.1', '2.3', '2.5', '4.5'])).verdict).toBe('non-conformant')
  })
})

test('a redirect is not followed, so that no key arrives elsewhere', async () => {
  const arrived: string[] = []
  await using elsewhere = await serveHttp((request, response) => {
    arrived.push(String(request.headers.authorization))
    response.end('{}')
  })
  await using server = await serveHttp((request, response) =>
    response.writeHead(307, { location: `${elsewhere.url}${request.url}` }).end(),
  )
  const { verdict, summary } = await judge(server.url)
  expect({ verdict, pass: summary.pass, arrived }).toEqual({ verdict: 'non-conformant', pass: 0, arrived: [] })
})

test('an image elsewhere is not fetched, so that no key arrives there', async () => {
  const arrived: string[] = []
  await using elsewhere = await serveHttp((request, response) => {
    arrived.push(request.url ?? '')
    response.end()
  })
  await using server = await serving(
    JSON.stringify({ created: 1, data: [{ url: `${elsewhere.url}/v1/images/a.png` }] }),
  )
  expect((await judge(server.url, ['2.4', '4.3'])).verdict).toBe('non-conformant')
  expect(arrived).toEqual([])
})

describe('without a TLS connection nothing is tested, and a sentence says so', () => {
  test('a server that speaks plain HTTP', async () => {
    await using server = await serving('{}')
    const document = await judge(server.url.replace('http:', 'https:'))
    expect(document.target.problem).toMatch(/no trusted TLS connection.*\n.*http or https/)
    expect(document.summary.notTestable).toBe(document.checks.length)
  })

  test('a server without a certificate', async () => {
    const tls = createTlsServer({})
    tls.on('tlsClientError', () => undefined)
    await using server = await serveTcp((socket) => tls.emit('connection', socket))
    const document = await judge(server.url.replace('http:', 'https:'))
    expect(document.target.problem).toMatch(/no trusted TLS connection/)
  })
})

describe.concurrent('the whole run is bounded in time', () => {
  test.each(['direct', 'vitest'] as const)('%s: what was not done by then is not testable', async (front) => {
    let requests = 0
    // The first two requests are the preflight; then each answer takes longer than the run may.
    await using server = await serveHttp((_request, response) => {
      requests += 1
      if (requests <= 2) response.end('{}')
    })
    const { document, exitCode } = await runConformance({
      url: server.url,
      keys: KEYS,
      only: ['4.1'],
      timeoutMs: 600_000,
      // Long enough for the other front to start.
      maxSeconds: front === 'direct' ? 0.5 : 4,
      front,
    })
    expect(exitCode).toBe(3)
    const said = new Set(document.checks.map(({ verdict, actual }) => `${verdict}: ${actual}`))
    expect([...said]).toEqual(['not-testable: The time for this run was used up: give it longer with --max-seconds.'])
  })
})
