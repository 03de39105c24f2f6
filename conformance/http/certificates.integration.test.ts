import { createServer as createHttp2Server } from 'node:http2'
import { createServer } from 'node:tls'
import { expect, test } from 'vitest'
import type { Exchange } from './exchange.ts'
import { SELF_SIGNED_CERTIFICATE } from '../../common/testing/certificate.ts'
import { serveTcp } from '../../common/testing/local-server.ts'
import { createHttpOptions } from '../testing/http-options.ts'
import { sendRaw, sendRequest } from './send-request.ts'
import type { HttpOptions } from './http-options.ts'

const SPEC = { method: 'GET', path: '/v1/models', headers: { authorization: 'Bearer sk-svc-secret' } }

const BYTES = Buffer.from('GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n')

test.each<[string, (options: HttpOptions) => Promise<Exchange>]>([
  ['a request', (options) => sendRequest(SPEC, options)],
  ['raw bytes', (options) => sendRaw(BYTES, SPEC, options)],
])(
  '%s sends nothing to a server with an untrusted certificate unless the certificate is accepted',
  async (_name, send) => {
    const arrived: string[] = []
    const tls = createServer(SELF_SIGNED_CERTIFICATE, (socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (data) => {
        arrived.push(String(data))
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}')
      })
    })
    tls.on('tlsClientError', () => undefined)
    await using server = await serveTcp((socket) => tls.emit('connection', socket))
    const url = server.url.replace('http:', 'https:')
    const rejected = await send(createHttpOptions(url))
    expect(rejected).toMatchObject({ status: 0, error: { kind: 'tls' } })
    expect(arrived).toEqual([])
    const trusted = await send(createHttpOptions(url, { ca: SELF_SIGNED_CERTIFICATE.cert }))
    const unchecked = await send(createHttpOptions(url, { insecure: true }))
    expect([trusted.status, unchecked.status]).toEqual([200, 200])
    expect(arrived).toHaveLength(2)
  },
)

test('reports that a server does not use TLS', async () => {
  await using server = await serveTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const { error } = await sendRequest(SPEC, createHttpOptions(server.url.replace('http:', 'https:')))
  expect(error).toEqual({ kind: 'not-tls', message: 'the server does not use TLS' })
})

test('names the protocol if the server accepts only HTTP/2 without TLS', async () => {
  const http2 = createHttp2Server()
  await using server = await serveTcp((socket) => http2.emit('connection', socket))
  const { error } = await sendRequest(SPEC, createHttpOptions(server.url))
  expect(error).toMatchObject({ kind: 'http-version', message: expect.stringContaining('does not accept HTTP/1.1') })
})

test('names the protocol if the server accepts only HTTP/2', async () => {
  const tls = createServer({ ...SELF_SIGNED_CERTIFICATE, ALPNProtocols: ['h2'] }, (socket) => socket.end())
  tls.on('tlsClientError', () => undefined)
  await using server = await serveTcp((socket) => tls.emit('connection', socket))
  const options = createHttpOptions(server.url.replace('http:', 'https:'), { insecure: true })
  for (const { error } of [await sendRequest(SPEC, options), await sendRaw(BYTES, SPEC, options)]) {
    expect(error).toMatchObject({ kind: 'http-version', message: expect.stringContaining('does not accept HTTP/1.1') })
  }
})
