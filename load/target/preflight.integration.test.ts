import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LocalServer, serveHttp } from '../../common/testing/local-server.ts'
import { inspectTarget } from './preflight.ts'

const findTargetProblem = async (...input: Parameters<typeof inspectTarget>) => (await inspectTarget(...input)).problem

const received: IncomingMessage[] = []
let server: LocalServer
let url = ''

beforeAll(async () => {
  server = await serveHttp((request, response) => {
    received.push(request)
    response.writeHead(request.headers.authorization === 'Bearer sk-svc-good' ? 200 : 401).end()
  })
  ;({ url } = server)
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => void received.splice(0))

test('sends one request to the target, with the funded key', async () => {
  expect(await findTargetProblem(url, { funded: 'sk-svc-good', limited: 'sk-svc-limited' })).toBeUndefined()
  expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-svc-good'])
})

test.each([{ limited: 'sk-svc-limited' }, { small: 'sk-svc-small' }])(
  'sends no request with an account that the run measures: %j',
  async (keys) => {
    expect(await findTargetProblem(url, keys)).toBeUndefined()
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined])
  },
)

test('reports a rejected or missing key', async () => {
  expect(await findTargetProblem(url, { funded: 'sk-svc-other' })).toEqual({
    code: 'target-rejects-key',
    params: { target: url, status: 401 },
  })
  expect(await findTargetProblem(url, {})).toEqual({ code: 'target-requires-key', params: { target: url } })
})

test('reports that a request to an unreachable target went through a proxy', async () => {
  const nothing = 'http://127.0.0.1:1'
  const proxied = await findTargetProblem('http://target.test', {}, {}, { proxy: nothing })
  expect(proxied).toMatchObject({ code: 'target-unreachable', params: { isProxied: true } })
  expect((await findTargetProblem(nothing, {}))?.params).not.toHaveProperty('isProxied')
})

test('reports a proxy that requires credentials', async () => {
  await using proxy = await serveHttp((_request, response) => response.writeHead(407).end())
  const problem = await findTargetProblem('http://target.test', { funded: 'sk-svc-good' }, {}, { proxy: proxy.url })
  expect(problem).toEqual({ code: 'proxy-requires-credentials', params: { target: 'http://target.test' } })
})

test('a list of models that is too long does not prevent a run', async () => {
  await using long = await serveHttp((_request, response) => response.end(`{"data":[{"id":"${'x'.repeat(9 << 20)}"}]}`))
  expect(await inspectTarget(long.url, { funded: 'sk-svc-good' })).toEqual({ listed: [] })
})

test('omits the ID of a model in which the target returns a secret of the run', async () => {
  await using echoing = await serveHttp(({ headers }, response) => {
    const ids = ['m-1', headers.authorization, Buffer.from(String(headers['x-api-key'])).toString('base64')]
    response.end(JSON.stringify({ data: ids.map((id) => ({ id })) }))
  })
  const headers = [{ name: 'x-api-key', value: 'gateway-Kq7Lx2Vb9T' }]
  expect(await inspectTarget(echoing.url, { funded: 'sk-svc-Fq7Lx2Vb9Tn4' }, { headers })).toEqual({ listed: ['m-1'] })
})

test('does not follow a redirect', async () => {
  const hops: unknown[] = []
  await using redirecting = await serveHttp((request, response) => {
    hops.push(request.url)
    response.writeHead(307, { location: `${url}/v1/models` }).end()
  })
  await findTargetProblem(redirecting.url, { funded: 'sk-svc-good' })
  expect(hops).toEqual(['/v1/models'])
  expect(received).toEqual([])
})
