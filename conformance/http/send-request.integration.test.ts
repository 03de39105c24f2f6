import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { RequestSpec } from './exchange.ts'
import { serveHttp, serveTcp, findUnusedAddress } from '../../common/testing/local-server.ts'
import { createHttpOptions } from '../testing/http-options.ts'
import { advanceTimersAfterRead, replaceTimers } from '../testing/replaced-timers.ts'
import { sendRequest } from './send-request.ts'

const GET: RequestSpec = { method: 'GET', path: '/v1/models', headers: { accept: '*/*' } }
const POST_STREAM: RequestSpec = {
  method: 'POST',
  path: '/v1/chat/completions',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"stream":true}'),
}

afterEach(() => void vi.useRealTimers())

describe('sendRequest', () => {
  test('returns status, headers, body and JSON', async () => {
    await using server = await serveHttp((request, response) => {
      response.writeHead(201, { 'x-seen': `${request.method} ${request.url}`, 'x-two': ['a', 'b'] })
      response.end('{"n": 1}')
    })
    const exchange = await sendRequest(GET, createHttpOptions(server.url))
    expect(exchange.status).toBe(201)
    expect(exchange.headers).toMatchObject({ 'x-seen': 'GET /v1/models', 'x-two': 'a, b' })
    expect(exchange.json).toEqual({ n: 1 })
    expect(exchange.error).toBeUndefined()
    expect(exchange.request.url).toBe(`${server.url}/v1/models`)
  })

  test('accepts a response that arrived in time while this process was blocked', async () => {
    replaceTimers()
    await using server = await serveHttp((_request, response) => {
      // The timers run before the client reads the response.
      response.end('here', () => setImmediate(() => vi.advanceTimersByTime(150)))
    })
    const exchange = await sendRequest(GET, createHttpOptions(server.url, { timeoutMs: 150 }))
    expect(exchange.error).toBeUndefined()
    expect(exchange.text).toBe('here')
  })

  test('accepts a response after the deadline if the machine was suspended', async () => {
    await using server = await serveHttp((_request, response) => {
      const start = performance.now()
      while (performance.now() - start < 1200);
      setTimeout(() => response.end('here'), 100)
    })
    const exchange = await sendRequest(GET, createHttpOptions(server.url, { timeoutMs: 1000 }))
    expect(exchange.text).toBe('here')
  })

  test('does not follow a redirect', async () => {
    await using server = await serveHttp((_request, response) => response.writeHead(302, { location: '/other' }).end())
    const exchange = await sendRequest(GET, createHttpOptions(server.url))
    expect(exchange.status).toBe(302)
  })

  test('opens a new connection for each request', async () => {
    const ports = new Set<number | undefined>()
    await using server = await serveHttp((request, response) => {
      ports.add(request.socket.remotePort)
      response.end()
    })
    await sendRequest(GET, createHttpOptions(server.url))
    await sendRequest(GET, createHttpOptions(server.url))
    expect(ports.size).toBe(2)
  })

  test('decompresses a body', async () => {
    const packed = gzipSync('{"n": 1}')
    await using server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    )
    const exchange = await sendRequest(GET, createHttpOptions(server.url))
    expect(exchange.json).toEqual({ n: 1 })
    expect(exchange.body.toString()).toBe('{"n": 1}')
  })

  test('does not decompress a body that would exceed the size limit', async () => {
    await using server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(100_000))),
    )
    const exchange = await sendRequest(GET, createHttpOptions(server.url, { maxBodyBytes: 5000 }))
    expect(exchange.text.length).toBeLessThan(5000)
  })

  test('parses events if the media type is text/event-stream or a stream was requested', async () => {
    await using server = await serveHttp((request, response) => {
      const mediaType = request.method === 'GET' ? 'text/event-stream; charset=utf-8' : 'text/plain'
      response.writeHead(200, { 'content-type': mediaType }).end('data: a\n\ndata: b')
    })
    for (const spec of [GET, POST_STREAM]) {
      const exchange = await sendRequest(spec, createHttpOptions(server.url))
      expect(exchange.events.map((event) => event.data)).toEqual(['a'])
      expect(exchange.unfinishedFrame).toBe(true)
    }
  })

  test('returns a 101 as a response without a body', async () => {
    await using server = await serveTcp((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      ),
    )
    const exchange = await sendRequest(GET, createHttpOptions(server.url))
    expect(exchange.status).toBe(101)
  })
})

describe('sendRequest reports the kind of error', () => {
  test('reports a refused connection if nothing listens', async () => {
    const exchange = await sendRequest(GET, createHttpOptions(await findUnusedAddress()))
    expect(exchange.error).toEqual({ kind: 'refused', message: 'connection refused' })
    expect(exchange.status).toBe(0)
  })

  test.each([
    ['reset', 'the connection is reset', (socket: Socket) => socket.resetAndDestroy()],
    ['closed-early', 'the connection ends without a response', (socket: Socket) => socket.end()],
    ['malformed', 'the response is not HTTP', (socket: Socket) => socket.end('\0\u0001 no http')],
    [
      'too-large',
      'the header is too large',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`),
    ],
    ['timeout', 'the target sends nothing', () => undefined],
  ] as const)('reports the kind of error for %s: %s', async (kind, _name, act) => {
    await using server = await serveTcp((socket) => socket.once('data', () => act(socket)))
    const exchange = await sendRequest(
      GET,
      createHttpOptions(server.url, { timeoutMs: kind === 'timeout' ? 50 : 20_000 }),
    )
    expect(exchange.error?.kind).toBe(kind)
    expect(exchange.status).toBe(0)
  })

  test('reports a truncated body and returns the received part', async () => {
    await using server = await serveTcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
    )
    const exchange = await sendRequest(GET, createHttpOptions(server.url))
    expect(exchange).toMatchObject({ status: 200, text: 'half', error: { kind: 'closed-early' } })
  })

  test('accepts a body that ends with the connection', async () => {
    await using server = await serveTcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall')))
    const exchange = await sendRequest(GET, createHttpOptions(server.url))
    expect(exchange).toMatchObject({ status: 200, text: 'all' })
    expect(exchange.error).toBeUndefined()
  })

  test('accepts a body that ends with the connection while the client still reads it', async () => {
    const body = 'a'.repeat(4_000_000)
    await using server = await serveTcp((socket) =>
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n\r\n${body}`)),
    )
    const exchange = await sendRequest(GET, createHttpOptions(server.url))
    expect(exchange.error).toBeUndefined()
    expect(exchange.text).toHaveLength(body.length)
  })

  test('reports that a server does not use TLS', async () => {
    await using server = await serveHttp((_request, response) => response.end())
    const exchange = await sendRequest(GET, createHttpOptions(server.url.replace('http:', 'https:')))
    expect(exchange.error?.kind).toBe('not-tls')
  })

  test('stops an endless body at the size limit', async () => {
    await using server = await serveHttp((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('a'.repeat(10_000))) {
          // The condition writes the data, until the socket buffer is full.
        }
      }
      response.on('drain', more)
      more()
    })
    const exchange = await sendRequest(GET, createHttpOptions(server.url, { maxBodyBytes: 50_000 }))
    expect(exchange.error?.kind).toBe('too-large')
    expect(exchange.body.byteLength).toBeLessThanOrEqual(50_000)
  })

  test('stops an endless stream at the deadline and returns the received events', async () => {
    replaceTimers()
    await using server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: a\n\n', () => void advanceTimersAfterRead(300))
    })
    const exchange = await sendRequest(GET, createHttpOptions(server.url, { timeoutMs: 300 }))
    expect(exchange.error?.kind).toBe('timeout')
    expect(exchange.events.map((event) => event.data)).toEqual(['a'])
  })

  test('sends only half of a body until it is aborted', async () => {
    const received = Promise.withResolvers<{ readonly body: string; readonly length: string | undefined }>()
    await using server = await serveHttp((request) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('error', () => received.resolve({ body, length: request.headers['content-length'] }))
    })
    const abort = new AbortController()
    const options = { sendsHalfBody: true, signal: abort.signal } as const
    const sent = sendRequest(POST_STREAM, createHttpOptions(server.url, options))
    setTimeout(() => abort.abort(), 100)
    expect((await sent).status).toBe(0)
    expect(await received.promise).toEqual({ body: '{"strea', length: '15' })
  })

  test('reports aborted requests, in flight or not yet sent', async () => {
    const interruption = new AbortController()
    await using server = await serveTcp((socket) => socket.once('data', () => interruption.abort()))
    const options = createHttpOptions(server.url, { signal: interruption.signal })
    expect((await sendRequest(GET, options)).error?.kind).toBe('interrupted')
    expect((await sendRequest(GET, options)).error?.kind).toBe('interrupted')
  })
})
