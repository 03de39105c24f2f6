import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../emulator/start-emulator.ts'
import { startProxy, type ProxyServer } from './proxy.ts'
import type { ProxyHooks, ProxiedRequest } from '../mutation/proxy-hooks.ts'

const FROZEN = { frozenAtUnixSeconds: 1_750_000_000 } as const
let emulator: Emulator

// Each test starts its own emulator, because a response depends on the number of earlier identical requests.
beforeEach(async () => {
  emulator = await startEmulator(FROZEN)
})

afterEach(() => emulator.close())

async function withProxy<T>(hooks: ProxyHooks, use: (proxy: ProxyServer) => Promise<T>): Promise<T> {
  const proxy = await startProxy(emulator.url, hooks)
  try {
    return await use(proxy)
  } finally {
    await proxy.close()
  }
}

/**
 * Sends a request and returns the status, headers and body of the response. Omits header fields that differ between
 * requests or connections.
 */
async function sendRequest(url: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${emulator.keys.funded}`, ...init.headers },
  })
  const { 'x-request-id': _id, date: _date, connection, ...headers } = Object.fromEntries(response.headers)
  for (const name of ['keep-alive', 'transfer-encoding', 'content-length']) delete headers[name]
  expect(connection).toBeDefined()
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()).toString('latin1') }
}

const chat = (fields: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Grüße' }], max_tokens: 9, ...fields }),
})

test.each([
  ['a list', '/v1/models', {}],
  ['a chat', '/v1/chat/completions', chat({})],
  ['a stream', '/v1/chat/completions', chat({ stream: true })],
  ['speech', '/v1/audio/speech', { method: 'POST', body: '{"model":"o3-mini","input":"Hello."}' }],
  ['an error response', '/v1/chat/completions', chat({ temperature: 3 })],
  ['an unknown path', '/v1/nothing?query=1', { method: 'DELETE' }],
  ['HEAD', '/v1/models', { method: 'HEAD' }],
] satisfies [string, string, RequestInit][])('forwards %s unchanged', async (_what, path, init) => {
  const direct = await startEmulator(FROZEN)
  const expected = await sendRequest(direct.url, path, init).finally(() => direct.close())
  expect(await withProxy({}, ({ url }) => sendRequest(url, path, init))).toEqual(expected)
})

test('forwards the Host header that the client sent', async () => {
  const init = { method: 'POST', body: '{"model":"o3-mini","prompt":"A stone","size":"64x64"}' }
  await withProxy({}, async ({ url }) => {
    const { body } = await sendRequest(url, '/v1/images/generations', init)
    expect(body).toContain(`"${url}/v1/images/`)
  })
})

test('applies both proxy hooks and passes the original request to both', async () => {
  const seen: ProxiedRequest[] = []
  const hooks: ProxyHooks = {
    onRequest: (request) => ({ ...request, target: '/v1/models' }),
    onResponse(response, request) {
      seen.push(request)
      return { ...response, status: 418, body: Buffer.from(`${response.body.length > 100}`) }
    },
  }
  const { status, body } = await withProxy(hooks, ({ url }) => sendRequest(url, '/v1/elsewhere?a=b'))
  expect({ status, body }).toEqual({ status: 418, body: 'true' })
  expect(seen.map(({ method, target }) => ({ method, target }))).toEqual([
    { method: 'GET', target: '/v1/elsewhere?a=b' },
  ])
})

test('sends the response of a proxy hook without contacting the emulator', async () => {
  const response = { status: 402, headers: { 'x-own': 'yes' }, body: Buffer.from('no') }
  const hooks: ProxyHooks = {
    onRequest: () => response,
    onResponse: () => ({ ...response, body: Buffer.from('asked') }),
  }
  const { status, headers, body } = await withProxy(hooks, ({ url }) => sendRequest(url, '/v1/models'))
  expect({ status, own: headers['x-own'], body }).toEqual({ status: 402, own: 'yes', body: 'no' })
})

test('forwards method, path, query, header fields and body of a request', async () => {
  // The second proxy forwards requests to the first, which records them.
  const seen: ProxiedRequest[] = []
  const upstream = await startProxy(emulator.url, {
    onRequest(request) {
      seen.push(request)
      return { status: 200, headers: {}, body: Buffer.alloc(0) }
    },
  })
  const proxy = await startProxy(upstream.url, {})
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'x-own': 'yes' }
  await sendRequest(proxy.url, '/v1/audio?a=b&c', { method: 'PUT', headers, body: Buffer.from([0, 0xff, 13, 10]) })
  await proxy.close()
  await upstream.close()
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ method: 'PUT', target: '/v1/audio?a=b&c', headers })
  expect([...(seen[0]?.body ?? [])]).toEqual([0, 0xff, 13, 10])
})
