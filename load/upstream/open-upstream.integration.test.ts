import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { TEST_LOAD_OPTIONS } from '../testing/default-options.ts'
import { openUpstream } from './open-upstream.ts'

test('checks an upstream through its proxy', async ({ signal }) => {
  const requested: unknown[] = []
  const proxy = createServer((request, response) => {
    requested.push(request.url)
    response.statusCode = request.headers.authorization === 'Bearer sk-svc-good' ? 200 : 401
    response.end()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  const open = (key: string) =>
    openUpstream(
      { ...TEST_LOAD_OPTIONS, upstream: 'http://upstream.invalid/v1', upstreamKey: key },
      { upstreamProxy: `http://127.0.0.1:${port}`, signal },
    )
  const opened = [await open('sk-svc-good'), await open('sk-svc-other')]
  proxy.close()
  expect(opened).toMatchObject([
    { url: 'http://upstream.invalid', isEmulator: false, problem: undefined },
    { problem: { code: 'upstream-rejects-key', params: { status: 401 } } },
  ])
  expect(requested).toEqual(['http://upstream.invalid/v1/models', 'http://upstream.invalid/v1/models'])
})

test('sends no header of the gateway to the upstream', async ({ signal }) => {
  const received: unknown[] = []
  const server = createServer((request, response) => {
    received.push(`${request.url} ${String(request.headers['x-gateway-token'])}`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  const headers = [{ name: 'x-gateway-token', value: 'secret' }]
  const opened = await openUpstream({ ...TEST_LOAD_OPTIONS, headers, upstream: `http://127.0.0.1:${port}` }, { signal })
  server.close()
  expect(opened?.problem).toBeUndefined()
  expect(received).toContain('/v1/models undefined')
})
