import { createServer as createTlsServer } from 'node:tls'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type LocalServer, serveHttp, serveTcp } from '../common/testing/local-server.ts'
import { runConformance } from './run-conformance.ts'

/*
 * These tests run the suite against malicious and seriously broken targets. Each run must end without intervention and
 * write a readable document. The verdict must be neither that the target conforms nor that the suite has an error.
 */

const KEYS = {
  funded: 'sk-svc-funded-0123456789',
  noCredits: 'sk-svc-nothing-0123456789',
  limited: 'sk-svc-limited-0123456789',
}
const MAX_DOCUMENT_CHARACTERS = 4_000_000

async function runSuite(url: string, only: readonly string[] = [], timeoutMs = 300) {
  const { document, exitCode } = await runConformance({ url, keys: KEYS, only, timeoutMs })
  expect([1, 3]).toContain(exitCode)
  expect(document.summary.error).toBe(0)
  expect(document.checks.filter(({ actual }) => /\n\s+at |node:internal/.test(actual))).toEqual([])
  expect(JSON.stringify(document).length).toBeLessThan(MAX_DOCUMENT_CHARACTERS)
  return document
}

/** Starts a server that calls `act` on each connection after it has received data. */
function serveOnData(act: (socket: Socket) => void): Promise<LocalServer> {
  return serveTcp((socket) => socket.once('data', () => act(socket)))
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

function writeSlowly(socket: Socket, pieces: (index: number) => string, pauseMs: number): void {
  let index = 0
  const timer = setInterval(() => socket.write(pieces(index++)), pauseMs)
  socket.on('close', () => clearInterval(timer))
}

describe.concurrent('no check passes if the response never ends or is too large', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['no response', () => undefined],
    [
      'a response of one byte per second',
      (socket) => writeSlowly(socket, (index) => `${HEAD}content-length: 2\r\n\r\n{}`[index] ?? '', 1000),
    ],
    [
      'a body sent byte by byte',
      (socket) => socket.write(`${HEAD}content-length: 999\r\n\r\n`, () => writeSlowly(socket, () => ' ', 50)),
    ],
    ['a header that never ends', (socket) => writeSlowly(socket, () => `x-${'y'.repeat(100)}: z\r\n`, 1)],
    [
      '10,000 header fields',
      (socket) => socket.end(`${HEAD}${'x-filler: 12345\r\n'.repeat(10_000)}content-length: 2\r\n\r\n{}`),
    ],
  ])('no check passes with %s', async (_name, act) => {
    await using server = await serveOnData(act)
    expect((await runSuite(server.url, ['4.1', '4.2'])).summary.pass).toBe(0)
  })
})

describe.concurrent('no check passes if the response is truncated', () => {
  const WHOLE = `${HEAD}content-length: 25\r\n\r\n{"object":"list","data":1}`
  test.each([0, 15, WHOLE.length - 3])('no check passes if the connection is reset after %i bytes', async (bytes) => {
    await using server = await serveOnData((socket) =>
      socket.write(WHOLE.slice(0, bytes), () => setTimeout(() => socket.resetAndDestroy(), 2)),
    )
    expect((await runSuite(server.url, ['4.1', '4.5'])).summary.pass).toBe(0)
  })

  test.each([
    ['a chunk without a size', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a chunk that is longer than its size', '1\r\n{}\r\n0\r\n\r\n'],
    ['a missing last chunk', '2\r\n{}\r\n'],
  ])('no check passes if the response is truncated by %s', async (_name, chunks) => {
    await using server = await serveOnData((socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n${chunks}`))
    expect((await runSuite(server.url, ['4.1', '4.5'])).summary.pass).toBe(0)
  })
})

function writeRepeatedly(
  response: ServerResponse,
  piece: string,
  maxBytes: number,
  count: (bytes: number) => void,
): void {
  let left = maxBytes
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

describe('stops reading a response above its size limit', () => {
  test.each([
    ['a body of 200 MB', 'application/json', 'a'.repeat(MIB)],
    ['an endless event', 'text/event-stream', 'data: '.padEnd(MIB, 'a')],
  ])('stops reading %s', async (_name, mediaType, piece) => {
    let maxSent = 0
    await using server = await serveHttp((_request, response) => {
      let sent = 0
      response.writeHead(200, { 'content-type': mediaType })
      writeRepeatedly(response, piece, 200 * MIB, (bytes) => {
        sent += bytes
        maxSent = Math.max(maxSent, sent)
      })
    })
    // The deadline is long enough to read the whole response, so only the size limit can end it.
    const { summary } = await runSuite(server.url, ['4.2/stream-events'], 60_000)
    expect(summary.pass).toBe(0)
    // `maxSent` is the number of bytes that the server wrote. Its upper bound covers the bytes that the suite reads and
    // the buffers of two sockets.
    expect(maxSent).toBeGreaterThan(0)
    expect(maxSent).toBeLessThan(32 * MIB)
  })
})

function serving(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<LocalServer> {
  return serveHttp((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body),
  )
}

describe('is non-conformant with a malicious body', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  test.each([
    ['invalid UTF-8', Buffer.from('7b22fffec080223a22eda080227d', 'hex'), {}],
    [
      'deeply nested arrays in each member',
      `{"id":${deep},"object":${deep},"data":[${deep}],"text":${deep},"error":{"message":${deep}}}`,
      {},
    ],
    [
      'names of Object.prototype members',
      '{"__proto__":{"data":[]},"constructor":1,"toString":2,"data":{"length":1e9}}',
      {},
    ],
  ])('a target that sends %s is non-conformant', async (_name, body, headers) => {
    await using server = await serving(body, headers)
    expect((await runSuite(server.url, ['2.1', '2.3', '2.5', '4.5'])).verdict).toBe('non-conformant')
  })
})

test('names a body that is not compressed as its Content-Encoding says', async () => {
  await using server = await serving('{"object":"list"}', { 'content-encoding': 'gzip' })
  const { verdict, target } = await runSuite(server.url, ['2.1', '2.3'])
  expect(verdict).toBe('incomplete')
  expect(target.problem).toContain('sent a body that does not match its Content-Encoding')
})

test('judges no response that is too large when it is decompressed', async () => {
  await using server = await serving(gzipSync(Buffer.alloc(50 * MIB)), { 'content-encoding': 'gzip' })
  const { verdict, summary } = await runSuite(server.url, ['2.1'])
  expect({ verdict, pass: summary.pass, fail: summary.fail }).toEqual({ verdict: 'incomplete', pass: 0, fail: 0 })
})

test('sends no key to another host after a redirect', async () => {
  const arrived: string[] = []
  await using elsewhere = await serveHttp((request, response) => {
    arrived.push(String(request.headers.authorization))
    response.end('{}')
  })
  await using server = await serveHttp((request, response) =>
    response.writeHead(307, { location: `${elsewhere.url}${request.url}` }).end(),
  )
  const { verdict, summary } = await runSuite(server.url)
  expect({ verdict, pass: summary.pass, arrived }).toEqual({ verdict: 'incomplete', pass: 0, arrived: [] })
})

test('sends no request to the host of an image on another host', async () => {
  const arrived: string[] = []
  await using elsewhere = await serveHttp((request, response) => {
    arrived.push(request.url ?? '')
    response.end()
  })
  await using server = await serving(
    JSON.stringify({ created: 1, data: [{ url: `${elsewhere.url}/v1/images/a.png` }] }),
  )
  expect((await runSuite(server.url, ['2.4', '4.3'])).verdict).toBe('non-conformant')
  expect(arrived).toEqual([])
})

describe('is not testable and names the problem without a TLS connection', () => {
  test('a TLS run against a plain HTTP server is not testable and names the problem', async () => {
    await using server = await serving('{}')
    const document = await runSuite(server.url.replace('http:', 'https:'))
    expect(document.target.problem).toMatch(/the server does not use TLS\.\nUse http:/)
    expect(document.summary.notTestable).toBe(document.checks.length)
  })

  test('a TLS run against a server without a certificate is not testable and names the problem', async () => {
    const tls = createTlsServer({})
    tls.on('tlsClientError', () => undefined)
    await using server = await serveTcp((socket) => tls.emit('connection', socket))
    const document = await runSuite(server.url.replace('http:', 'https:'))
    expect(document.target.problem).toMatch(/no trusted TLS connection/)
  })
})

test('requests no further stream after one that hangs, and still tests other chats', async () => {
  let streams = 0
  await using server = await serveHttp((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      if (body.includes('"stream":true')) streams += 1
      else response.setHeader('content-type', 'application/json').end('{"object":"chat.completion"}')
    })
  })
  const ids = ['4.2/stream-events', '4.2/stream-media-type', '4.2/max-tokens-bound-stream', '4.2/temperature-lowest']
  const { document } = await runConformance({
    url: server.url,
    keys: { funded: KEYS.funded },
    only: ids,
    timeoutMs: 300,
    concurrency: 1,
  })
  const codeOf = (id: string) => document.checks.find((check) => check.id === id)?.code
  expect(codeOf('4.2/stream-media-type')).toBe('request-broke-down')
  expect(codeOf('4.2/stream-events')).toBe('request-broke-down')
  expect(codeOf('4.2/max-tokens-bound-stream')).toBe('operation-timed-out')
  expect(codeOf('4.2/temperature-lowest')).not.toBe('operation-timed-out')
  // The server receives one stream and its repeat, and no more.
  expect(streams).toBe(2)
})

test('fails each check of an error to which the target never responds, and still runs the others', async () => {
  let malformed = 0
  await using server = await serveHttp((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      if (/^\{(?:"model":|model: 1\})$/.test(body)) malformed += 1
      else if (body !== '') response.end('{"object":"chat.completion","choices":[{"message":{"content":"Hello."}}]}')
      else response.writeHead(request.method === 'GET' ? 200 : 400).end('{"object":"list","data":[]}')
    })
  })
  const { document } = await runConformance({
    url: server.url,
    keys: { funded: KEYS.funded },
    only: ['7/malformed-json-chat', '7/empty-body-chat', '4.2/temperature-lowest'],
    timeoutMs: 1000,
    concurrency: 1,
  })
  const find = (id: string) => document.checks.find((check) => check.id === id)
  expect(find('7/malformed-json-chat')).toMatchObject({ verdict: 'fail', code: 'no-response' })
  expect(find('7/malformed-json-chat')?.actual).toMatch(
    /^the body .*: sent no response within 1 s, although the control request was served in \d+ ms$/,
  )
  expect(find('7/empty-body-chat')?.verdict).toBe('pass')
  expect(find('4.2/temperature-lowest')?.verdict).toBe('pass')
  // Each of the two bodies is sent once and repeated.
  expect(malformed).toBe(4)
})

describe.concurrent('maxSeconds limits the duration of a run', () => {
  test('after maxSeconds, remaining checks are not testable', async () => {
    let requests = 0
    // The server responds quickly only to the two preflight requests. All later responses take longer than the time
    // limit of the run.
    await using server = await serveHttp((_request, response) => {
      requests += 1
      if (requests <= 2) response.end('{}')
    })
    const { document, exitCode } = await runConformance({
      url: server.url,
      keys: KEYS,
      only: ['4/http'],
      timeoutMs: 600_000,
      maxSeconds: 0.5,
    })
    expect(exitCode).toBe(3)
    const results = new Set(document.checks.map(({ verdict, actual }) => `${verdict}: ${actual}`))
    expect([...results]).toEqual(['not-testable: The run reached its time limit. Increase maxSeconds.'])
  })
})
