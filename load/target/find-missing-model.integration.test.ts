import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readBody, serveHttp, type LocalServer } from '../../common/testing/local-server.ts'
import { applyDefaults } from '../options/load-options.ts'
import { planLoad } from '../plan/plan-load.ts'
import { findMissingModel } from './find-missing-model.ts'

/** The server never responds. */
const SILENT = -1

const received: string[] = []
let status = 404
let server: LocalServer
let url = ''

beforeAll(async () => {
  server = await serveHttp(async (request, response) => {
    const { model } = JSON.parse(String(await readBody(request)))
    received.push(`${request.url} ${model} ${request.headers.authorization}`)
    if (status === 0) response.destroy()
    else if (status !== SILENT) response.writeHead(status).end('{}')
  })
  ;({ url } = server)
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  received.splice(0)
  status = 404
})

const KEYS = { funded: 'sk-svc-good', limited: 'sk-svc-limited', small: 'sk-svc-small' }

async function find(
  listed: readonly string[],
  options: Parameters<typeof applyDefaults>[0] = {},
  keys: Parameters<typeof findMissingModel>[1]['keys'] = KEYS,
) {
  const limits = { limit: { requests: 1, windowS: 1, obey: false }, smallBalance: '1' }
  const plan = await planLoad(applyDefaults({ target: url, ...limits, ...options }))
  return findMissingModel(plan, { url, keys, listed }, { signal: new AbortController().signal })
}

test('finds a default model that the target neither lists nor serves, with one request', async () => {
  expect(await find(['a', 'b'])).toEqual({
    code: 'model-missing',
    params: { operation: 'chat', model: 'vendora-v4-flash', isDefault: true, status: 404, listed: ['a', 'b'], more: 0 },
  })
  expect(received).toEqual(['/v1/chat/completions vendora-v4-flash Bearer sk-svc-good'])
})

test('shows at most five models of the target', async () => {
  const found = await find(['a', 'b', 'c', 'd', 'e', 'f', 'g'], { models: [{ operation: null, model: 'x' }] })
  expect(found?.params).toMatchObject({ model: 'x', isDefault: false, listed: ['a', 'b', 'c', 'd', 'e'], more: 2 })
})

test('without a list of models, only a 404 ends the run', async () => {
  expect((await find([]))?.params).toMatchObject({ model: 'vendora-v4-flash', status: 404, listed: [] })
  status = 400
  expect(await find([])).toBeUndefined()
  expect(received).toHaveLength(2)
})

test.each([['speech', '/v1/audio/speech']])(
  'tests the model of the scenario %s with a request to %s',
  async (scenario, path) => {
    expect((await find(['a'], { scenario }))?.params).toMatchObject({ operation: scenario })
    expect(received).toEqual([`${path} vendora-v4-flash Bearer sk-svc-good`])
  },
)

test.each([200, 401, 0])('starts the load if the test request gets status %i', async (other) => {
  status = other
  expect(await find(['a'])).toBeUndefined()
  expect(received).toHaveLength(1)
})

test.each([401, 403])(
  'without a key, reports that a target with a public list requires a key if it returns %i',
  async (other) => {
    status = other
    expect(await find(['vendora-v4-flash'], {}, {})).toEqual({ code: 'target-requires-key', params: { target: url } })
    expect(received).toEqual(['/v1/chat/completions vendora-v4-flash undefined'])
  },
)

test.each([200, 404])('without a key, starts the load of a listed model after status %i', async (other) => {
  status = other
  expect(await find(['vendora-v4-flash'], {}, {})).toBeUndefined()
})

test('a slow test request ends before the time at which the segments start', async () => {
  status = SILENT
  expect(await find(['a'], { timeoutMs: 600_000, startAtUnixMs: Date.now() + 2000 })).toBeUndefined()
})

test.each([
  ['a listed model', ['a', 'vendora-v4-flash'], {}],
  ['transcriptions', ['a'], { scenario: 'transcriptions' }],
  ['an account whose limit the run measures', ['a'], { scenario: 'rate-limit' }],
  ['an account whose balance the run measures', ['a'], { scenario: 'credit-drain' }],
] as const)('sends no request for %s', async (_, listed, options) => {
  expect(await find(listed, options)).toBeUndefined()
  expect(received).toEqual([])
})
