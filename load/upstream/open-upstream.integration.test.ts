import { expect, test } from 'vitest'
import { serveHttp } from '../../common/testing/local-server.ts'
import { TEST_LOAD_OPTIONS } from '../testing/default-options.ts'
import { openUpstream } from './open-upstream.ts'

test('checks an upstream through its proxy', async ({ signal }) => {
  const requested: unknown[] = []
  await using proxy = await serveHttp((request, response) => {
    requested.push(request.url)
    response.statusCode = request.headers.authorization === 'Bearer sk-svc-good' ? 200 : 401
    response.end()
  })
  const open = (key: string) =>
    openUpstream(
      { ...TEST_LOAD_OPTIONS, upstream: 'http://upstream.invalid/v1', upstreamKey: key },
      { upstreamProxy: proxy.url, signal },
    )
  const opened = [await open('sk-svc-good'), await open('sk-svc-other')]
  expect(opened).toMatchObject([
    { url: 'http://upstream.invalid', isEmulator: false, problem: undefined },
    { problem: { code: 'upstream-rejects-key', params: { status: 401 } } },
  ])
  expect(requested).toEqual(['http://upstream.invalid/v1/models', 'http://upstream.invalid/v1/models'])
})

test('sends no header of the gateway to the upstream', async ({ signal }) => {
  const received: unknown[] = []
  await using server = await serveHttp((request, response) => {
    received.push(`${request.url} ${String(request.headers['x-gateway-token'])}`)
    response.end()
  })
  const headers = [{ name: 'x-gateway-token', value: 'secret' }]
  const opened = await openUpstream({ ...TEST_LOAD_OPTIONS, headers, upstream: server.url }, { signal })
  expect(opened?.problem).toBeUndefined()
  expect(received).toContain('/v1/models undefined')
})
