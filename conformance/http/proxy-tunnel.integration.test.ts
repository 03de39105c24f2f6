import { createServer as createSecureServer } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { SELF_SIGNED_CERTIFICATE } from '../../common/testing/certificate.ts'
import { startForwardProxy } from '../testing/forward-proxy.ts'
import { createHttpOptions } from '../testing/http-options.ts'
import { startServer, serveHttp, findUnusedAddress } from '../../common/testing/local-server.ts'
import type { HttpOptions } from './http-options.ts'
import { createKeepAliveConnection } from './keep-alive-connection.ts'
import { sendRaw, sendRequest } from './send-request.ts'

const SPEC = { method: 'GET', path: '/v1/models', headers: { authorization: 'Bearer sk-svc-secret' } }
const BYTES = Buffer.from('GET /v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')

function serveEcho() {
  return serveHttp((request, response) => response.end(request.url))
}

test('sends http requests and raw bytes unchanged through a tunnel of the proxy', async () => {
  await using target = await serveEcho()
  await using proxy = await startForwardProxy(target.url)
  const options = createHttpOptions('http://localhost:8080', { proxy: `http://me:s%40cret@${new URL(proxy.url).host}` })
  for (const exchange of [await sendRequest(SPEC, options), await sendRaw(BYTES, SPEC, options)]) {
    expect([exchange.status, Buffer.from(exchange.body).toString()]).toEqual([200, '/v1/models'])
  }
  expect(proxy.requests).toEqual(Array(2).fill('CONNECT localhost:8080'))
  expect(proxy.authorization()).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`)
})

test('verifies the certificate of the target, not that of the proxy', async () => {
  await using target = await startServer(
    createSecureServer(SELF_SIGNED_CERTIFICATE, (request, response) => response.end(request.url)),
  )
  await using proxy = await startForwardProxy(target.url)
  const changes = { proxy: proxy.url, ca: SELF_SIGNED_CERTIFICATE.cert }
  for (const send of [sendRequest, (spec: typeof SPEC, options: HttpOptions) => sendRaw(BYTES, spec, options)]) {
    expect(await send(SPEC, createHttpOptions('https://localhost', changes))).toMatchObject({ status: 200 })
    expect(await send(SPEC, createHttpOptions('https://api.test', changes))).toMatchObject({ error: { kind: 'tls' } })
    expect(await send(SPEC, createHttpOptions('https://localhost', { proxy: proxy.url }))).toMatchObject({
      error: { kind: 'tls' },
    })
  }
  expect(proxy.requests).toContain('CONNECT api.test:443')
})

test('compares the certificate of an https proxy with the host of the proxy', async () => {
  await using target = await serveEcho()
  await using proxy = await startForwardProxy(target.url, 200, SELF_SIGNED_CERTIFICATE)
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, SELF_SIGNED_CERTIFICATE.cert])
  try {
    const options = (url: string) => createHttpOptions('http://api.test', { proxy: url })
    expect(await sendRequest(SPEC, options(proxy.url))).toMatchObject({ status: 200 })
    expect(proxy.requests).toEqual(['CONNECT api.test:80'])
    const other = new URL(proxy.url)
    other.hostname = 'localhost.'
    expect(await sendRequest(SPEC, options(other.href))).toMatchObject({ error: { kind: 'refused' } })
  } finally {
    setDefaultCACertificates(trusted)
  }
})

test('names the credentials if the proxy requires them', async () => {
  await using target = await serveEcho()
  await using proxy = await startForwardProxy(target.url, 407)
  const { error } = await sendRequest(SPEC, createHttpOptions('http://api.test', { proxy: proxy.url }))
  expect(error?.message).toContain('with status 407; write its user name and password into the variable')
})

test('uses one connection through the proxy for consecutive requests', async () => {
  await using target = await serveEcho()
  await using proxy = await startForwardProxy(target.url)
  const connection = createKeepAliveConnection()
  const options = createHttpOptions('http://api.test', { proxy: proxy.url, connection })
  const [first, second] = [await sendRequest(SPEC, options), await sendRequest(SPEC, options)]
  connection.close()
  expect([first.reusedConnection, second.reusedConnection]).toEqual([undefined, true])
  expect(proxy.requests).toEqual(['CONNECT api.test:80'])
})

test('describes a proxy that rejects the connection, and one that is down, without its address', async () => {
  await using target = await serveEcho()
  await using proxy = await startForwardProxy(target.url, 403)
  const down = await findUnusedAddress()
  const rejected = { kind: 'refused', message: 'the proxy rejected the connection to the target with status 403' }
  const unreachable = { kind: 'refused', message: 'no connection through the proxy: ECONNREFUSED' }
  for (const [url, error] of [[proxy.url, rejected] as const, [down, unreachable] as const]) {
    const options = createHttpOptions('http://api.test', { proxy: url })
    expect(await sendRequest(SPEC, options)).toMatchObject({ status: 0, error })
    expect(await sendRaw(BYTES, SPEC, options)).toMatchObject({ status: 0, error })
  }
})
