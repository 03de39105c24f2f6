import { describe, expect, test } from 'vitest'
import type { RequestSpec } from './exchange.ts'
import { serveHttp, serveTcp } from '../../common/testing/local-server.ts'
import { createHttpOptions } from '../testing/http-options.ts'
import { sendRaw } from './send-request.ts'

const SPEC: RequestSpec = { method: 'GET', path: '/v1/models', headers: {} }
const BYTES = Buffer.from('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n')

async function readResponse(bytes: string) {
  await using server = await serveTcp((socket) => socket.once('data', () => socket.end(bytes)))
  return await sendRaw(BYTES, SPEC, createHttpOptions(server.url))
}

test('sends raw bytes unchanged', async () => {
  let received = ''
  await using server = await serveTcp((socket) =>
    socket.once('data', (data) => {
      received = data.toString('latin1')
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}')
    }),
  )
  const exchange = await sendRaw(
    Buffer.from('GET  / HTTP/9.9\r\n\u00ff\0\r\n\r\n', 'latin1'),
    SPEC,
    createHttpOptions(server.url),
  )
  expect(received).toBe('GET  / HTTP/9.9\r\n\u00ff\0\r\n\r\n')
  expect(exchange).toMatchObject({ status: 400, json: {} })
})

test('recognizes the end of a response on an open connection by Content-Length or the last chunk', async () => {
  await using server = await serveHttp((request, response) => {
    if (request.url === '/chunked') {
      response.write('{"a":')
      response.end('1}')
    } else {
      response.writeHead(200, { 'content-length': '2' }).end('{}')
    }
  })
  const options = createHttpOptions(server.url)
  expect((await sendRaw(BYTES, SPEC, options)).json).toEqual({})
  const chunked = Buffer.from('GET /chunked HTTP/1.1\r\nhost: x\r\n\r\n')
  expect((await sendRaw(chunked, SPEC, options)).json).toEqual({ a: 1 })
})

describe('parses HTTP/1 response framing', () => {
  test.each([
    ['a body that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\nall', 200, 'all', undefined],
    [
      'an interim response before the final one',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nall',
      200,
      'all',
      undefined,
    ],
    ['a response without a body', 'HTTP/1.1 204 No Content\r\n\r\n', 204, '', undefined],
    ['a truncated body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 200, 'half', 'closed-early'],
    [
      'a negative chunk size',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-6\r\nabcdef\r\n0\r\n\r\n',
      200,
      '',
      'malformed',
    ],
    [
      'a chunk size above 2^53',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nabc',
      200,
      'abc',
      'closed-early',
    ],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -6\r\n\r\nabc', 0, '', 'malformed'],
    [
      '6,000 interim responses',
      `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(6000)}HTTP/1.1 200 OK\r\n\r\nall`,
      0,
      '',
      'too-large',
    ],
    [
      'a truncated chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n5\r\nc',
      200,
      'abc',
      'closed-early',
    ],
    ['bytes that are not HTTP', 'SSH-2.0-x\r\n', 0, '', 'malformed'],
    ['a truncated header section', 'HTTP/1.1 200 OK\r\ncontent-le', 0, '', 'closed-early'],
    ['a status line without a status', 'HTTP/1.1 OK\r\n\r\n', 0, '', 'malformed'],
    ['an empty response', '', 0, '', 'closed-early'],
  ])('parses %s', async (_name, bytes, status, text, kind) => {
    const exchange = await readResponse(bytes)
    expect({ status: exchange.status, text: exchange.text, kind: exchange.error?.kind }).toEqual({ status, text, kind })
  })
})

test('times out if the target sends nothing', async () => {
  await using server = await serveTcp(() => undefined)
  const exchange = await sendRaw(BYTES, SPEC, createHttpOptions(server.url, { timeoutMs: 50 }))
  expect(exchange.error?.kind).toBe('timeout')
})
