import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { GivenOptions } from '../load/run-load.ts'
import { readLoadTarget } from './read-load-target.ts'
import { findTargetFile } from './target-file.ts'

const URL_OF_FILE = 'http://127.0.0.1:8099'
let path = ''

beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'touchstone-target-')), 'gateway.json')
  vi.stubEnv('GATEWAY_KEY', 'sk-svc-0123456789abcd')
  vi.stubEnv('GATEWAY_KEY_LIMITED', 'sk-svc-0123456789efgh')
  vi.stubEnv('GATEWAY_TENANT', 'blue')
})
afterEach(() => void vi.unstubAllEnvs())

async function read(file: object, given: GivenOptions = {}): Promise<GivenOptions> {
  await writeFile(path, JSON.stringify(file))
  return readLoadTarget(path, { target: path, ...given })
}

const KEYS = { funded: 'GATEWAY_KEY', limited: 'GATEWAY_KEY_LIMITED', 'no-credits': 'NOT_SET', small: 'NOT_SET_EITHER' }

test('reads the address, the key of the scenario and the headers of a target file', async () => {
  const headers = { 'x-region': 'north', 'x-tenant': { env: 'GATEWAY_TENANT' } }
  expect(await read({ url: URL_OF_FILE, keys: KEYS, headers })).toEqual({
    target: URL_OF_FILE,
    key: 'sk-svc-0123456789abcd',
    headers: [
      { name: 'x-region', value: 'north' },
      { name: 'x-tenant', value: 'blue', isSecret: true },
    ],
    models: [],
  })
})

test.each([
  [{ credits: false }, false],
  [{}, undefined],
])('reads from a target file with %j whether the target has credits', async (file, expected) => {
  expect((await read({ url: URL_OF_FILE, ...file })).credits).toBe(expected)
})

test('reads the limit of the limited key for the scenario rate-limit', async () => {
  const limits = { limitedKey: { requests: 10, seconds: 60 } }
  expect(await read({ url: URL_OF_FILE, keys: KEYS, limits }, { scenario: 'rate-limit' })).toMatchObject({
    limitedKey: 'sk-svc-0123456789efgh',
    limit: { requests: 10, windowS: 60, obey: false },
  })
})

test('options of the command line have precedence over a target file', async () => {
  const file = { url: URL_OF_FILE, keys: { funded: 'NOT_SET' }, models: ['a'], headers: { 'x-region': 'north' } }
  const given = {
    key: 'sk-svc-other-key-0000',
    models: [{ operation: null, model: 'b' }],
    headers: [{ name: 'x-region', value: 'south' }],
  } as const
  const { models = [], headers = [], ...others } = await read(file, given)
  expect(others).toEqual({ target: URL_OF_FILE, key: 'sk-svc-other-key-0000' })
  expect([models, headers.at(-1)]).toEqual([given.models, given.headers[0]])
})

test.each([
  [['a', 'b'], { chat: 'a', images: 'a', transcriptions: 'a', speech: 'a' }],
  [{ images: 'c' }, { images: 'c' }],
  [
    [
      { id: 'dear', price: 2, operations: ['chat'] },
      { id: 'cheap', price: 1, operations: ['chat'] },
      { id: 'voice', operations: ['speech'] },
    ],
    { chat: 'cheap', speech: 'voice' },
  ],
])('chooses a model for each operation from %j', async (models, expected) => {
  const chosen = (await read({ url: URL_OF_FILE, models })).models ?? []
  expect(Object.fromEntries(chosen.map(({ operation, model }) => [operation, model]))).toEqual(expected)
})

test.each([
  [{}, {}, 'contains no url. Add one, or set TOUCHSTONE_TARGET to an address.'],
  [{ urls: '' }, {}, 'gateway.json'],
  [{ url: URL_OF_FILE, keys: { funded: 'NOT_SET' } }, {}, 'the environment variable NOT_SET, which is not set'],
  [{ url: URL_OF_FILE, headers: { 'x-client-request-id': 'a' } }, {}, 'headers. It must be a header other than'],
  [
    { url: URL_OF_FILE, operations: { images: false } },
    { scenario: 'smoke' },
    'declares that the target does not offer images, which the scenario smoke sends. Use a scenario of the other operations',
  ],
] as const)('rejects the target file %j with %j', async (file, given, message) => {
  await expect(read(file, given)).rejects.toThrow(message)
})

test('accepts a mix without the operations that the target does not offer', async () => {
  const file = { url: URL_OF_FILE, operations: { images: false } }
  expect(await read(file, { scenario: 'mixed', weights: { chat: 1 } })).toMatchObject({ target: URL_OF_FILE })
})

test.each([
  ['my-server.json', 'my-server.json'],
  [String.raw`c:\my-server.json`, String.raw`c:\my-server.json`],
  [`${URL_OF_FILE}/a.json`, undefined],
  [URL_OF_FILE, undefined],
  [undefined, undefined],
])('the target %j has the target file %j', (target, expected) => {
  expect(findTargetFile(target)).toBe(expected)
})

test('a file without url takes the address from the environment, and a file with url does not', async () => {
  vi.stubEnv('TOUCHSTONE_TARGET', 'http://127.0.0.1:1')
  expect((await read({})).target).toBe('http://127.0.0.1:1')
  expect((await read({ url: URL_OF_FILE })).target).toBe(URL_OF_FILE)
  for (const value of [path, './gateway.json', 'emulator', '']) {
    vi.stubEnv('TOUCHSTONE_TARGET', value)
    await expect(read({})).rejects.toThrow('set TOUCHSTONE_TARGET to an address')
  }
})

test('a key of the file has precedence over the general environment variable', async () => {
  const file = { url: URL_OF_FILE, keys: { funded: 'GATEWAY_KEY' } }
  await writeFile(path, JSON.stringify(file))
  const given = { key: 'sk-svc-of-another-service' }
  expect(await readLoadTarget(path, given, ['key'])).toMatchObject({ key: 'sk-svc-0123456789abcd' })
  expect(await readLoadTarget(path, given)).toMatchObject(given)
  vi.stubEnv('GATEWAY_KEY', '')
  expect(await readLoadTarget(path, given, ['key'])).toMatchObject(given)
})

test('uses no key of the environment and no credits for a target that the file declares to have no keys', async () => {
  const authentication = { value: 'none', why: 'a private network' }
  await writeFile(path, JSON.stringify({ url: URL_OF_FILE, differences: { authentication } }))
  const given = { key: 'sk-svc-of-another-service', limitedKey: 'sk-svc-of-another-limit' }
  expect(await readLoadTarget(path, given, ['key', 'limitedKey'])).toEqual({
    target: URL_OF_FILE,
    headers: [],
    models: [],
    credits: false,
  })
  expect(await readLoadTarget(path, given)).toMatchObject({ key: given.key })
})
