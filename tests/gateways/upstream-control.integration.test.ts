import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { serveHttp } from '../../common/testing/local-server.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { UpstreamControl, UpstreamError } from '../../conformance/upstream/upstream-control.ts'

const { signal } = new AbortController()

/** Starts a server that is not an emulator. */
async function startServer(status = 200) {
  const server = createServer((_request, response) => response.writeHead(status).end('<html></html>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // `address()` returns a string only for a pipe.
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

test('names the request whose response is not JSON', async () => {
  const server = await startServer()
  const opening = new UpstreamControl({ url: server.url }, signal).open()
  await expect(opening).rejects.toThrow(UpstreamError)
  await expect(opening).rejects.toThrow(`GET ${server.url}/__emulator/health`)
  server.close()
})

test('says why it cannot connect', async () => {
  const server = await startServer()
  server.close()
  await expect(new UpstreamControl({ url: server.url }, signal).open()).rejects.toThrow('ECONNREFUSED')
})

test('reports a missing control token as the reason for a 401', async () => {
  const server = await startServer(401)
  const opening = new UpstreamControl({ url: server.url }, signal).open()
  await expect(opening).rejects.toMatchObject({ missing: 'token' })
  server.close()
})

test('uses an emulator with a control token', async () => {
  const token = 'a-long-token'
  await using emulator = await startEmulator({ controlToken: token })
  const control = new UpstreamControl({ url: emulator.url, token }, signal)
  await control.open()
  const id = await control.addFixture({ operation: 'chat', text: 'One.' })
  await control.close()
  await expect(control.countMatches(id)).resolves.toBe(0)
  const wrong = new UpstreamControl({ url: emulator.url, token: 'another-token' }, signal)
  await expect(wrong.open()).rejects.toMatchObject({ missing: 'token' })
})

test('sends its token to no other server after a redirect', async () => {
  const arrived: unknown[] = []
  await using elsewhere = await serveHttp(({ headers }, response) => {
    arrived.push(headers)
    response.end('{"status": "ok"}')
  })
  await using upstream = await serveHttp(({ url = '' }, response) => {
    response.writeHead(307, { location: elsewhere.url + url }).end()
  })
  const control = new UpstreamControl({ url: upstream.url, token: 'a-long-token' }, signal)
  await expect(control.open()).rejects.toThrow('returned 307')
  expect(arrived).toEqual([])
})

test('does not remove the fixtures of others if the upstream returns no ID', async () => {
  const removed: unknown[] = []
  await using upstream = await serveHttp(({ method, url }, response) => {
    if (method === 'DELETE') removed.push(url)
    response.end('{"fixtures": [{"id": "", "hits": 0}]}')
  })
  const control = new UpstreamControl({ url: upstream.url }, signal)
  await expect(control.addFixture({ text: 'One.' })).rejects.toThrow(UpstreamError)
  await control.close()
  expect(removed).toEqual([])
})

test('limits the memory for the requests that a gateway sends', async () => {
  const entry = { id: 'req', method: 'POST', path: '/', model: null, status: 200, fault: null, keyFingerprint: null }
  const rest = { tokens: 0, charged: '0', ttftMs: null, totalMs: 0, stream: false, clientLeft: false }
  const bodies = { request: ' '.repeat(65_536), response: '' }
  await using upstream = await serveHttp(({ url = '' }, response) => {
    const after = Number(/after=(\d+)/.exec(url)?.[1])
    const entries = Array.from({ length: 100 }, (_, at) => {
      return { ...entry, ...rest, bodies, fixture: 'fixture-1', seq: after + at + 1 }
    })
    response.end(JSON.stringify({ entries, next: after + 100 }))
  })
  const control = new UpstreamControl({ url: upstream.url }, signal)
  await expect(control.requestsOf('fixture-1')).rejects.toThrow('the request log is too large')
})
