import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveHttp } from '../common/testing/local-server.ts'
import { startEmulator, type Emulator } from '../emulator/start-emulator.ts'
import { findBuiltK6 } from '../load/run-load.ts'
import { runCliInSharedProcess } from './testing/run-cli.ts'

let emulator: Emulator
let directory: string

beforeAll(async () => {
  emulator = await startEmulator()
  directory = await mkdtemp(join(tmpdir(), 'touchstone-doctor-'))
})

afterAll(async () => {
  await emulator.close()
  await rm(directory, { recursive: true, force: true })
})

async function createProgram(name: string, prints: string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, `#!/bin/sh\necho '${prints}'\n`)
  await chmod(path, 0o755)
  return path
}

/** Runs `touchstone doctor` without a cached k6 and, by default, with an empty PATH. */
async function runDoctor(args: readonly string[], env: Readonly<Record<string, string>> = { PATH: '' }) {
  const own = { TOUCHSTONE_CACHE: join(directory, 'no-cache'), ...env }
  const { exitCode, stdout, stderr } = await runCliInSharedProcess(['doctor', '--json', ...args], { env: own })
  const findings: readonly { name: string; state: string; message: string; remedy?: string }[] = JSON.parse(stdout)
  return {
    exitCode,
    stdout,
    stderr,
    states: Object.fromEntries(findings.map(({ name, state }) => [name, state])),
    finding: (name: string) => findings.find((one) => one.name === name),
  }
}

test('lists the missing programs on a machine with only Node.js, and how to install them', async () => {
  const { exitCode, states, finding } = await runDoctor([])
  expect([exitCode, states]).toEqual([0, { 'Node.js': 'ok', k6: 'missing', Docker: 'missing' }])
  expect(finding('k6')?.message).toContain('Go 1.25')
})

test('reports that it does not test a key without a target', async () => {
  const { exitCode, finding } = await runDoctor(['--key', 'sk-svc-1234'])
  expect([exitCode, finding('key')]).toEqual([0, expect.objectContaining({ state: 'missing' })])
  expect(finding('key')?.remedy).toContain('--target')
})

test.each([
  ['go1.26.8', 'ok'],
  ['go1.24.9', 'missing'],
])('rates a machine with %s', async (version, state) => {
  await createProgram('go', version)
  await createProgram('docker', '28.2.2')
  const { states } = await runDoctor([], { PATH: `${directory}:/bin` })
  expect(states).toEqual({ 'Node.js': 'ok', k6: state, Docker: 'ok' })
})

test.each([
  ['k6 v2.2.0 k6/x/touchstone', 'ok', 0],
  ['k6 v2.2.0', 'error', 3],
  ['who knows', 'error', 3],
])('rates a k6 that prints "%s" as %s', async (prints, state, exitCode) => {
  const run = await runDoctor([], { PATH: '/bin', TOUCHSTONE_K6: await createProgram('k6', prints) })
  expect([run.states['k6'], run.exitCode]).toEqual([state, exitCode])
})

test('finds a previously built k6 without Go', async () => {
  const cache = join(directory, 'cache')
  const { path } = await findBuiltK6({ cacheDirectory: cache, environment: {} })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '')
  const { finding } = await runDoctor([], { PATH: '', TOUCHSTONE_CACHE: cache })
  expect(finding('k6')).toEqual({ name: 'k6', state: 'ok', message: `at ${path}` })
})

test('accepts a working target with valid keys, and shows no key', async () => {
  const { funded, noCredits, limited } = emulator.keys
  const keys = ['--key', funded, '--no-credits-key', noCredits, '--limited-key', limited]
  const { exitCode, states, stdout, finding } = await runDoctor(['--target', emulator.url, ...keys])
  expect(finding('key')?.message).toMatch(/^the key sha256:[\da-f]{8} works$/)
  expect(finding('chat')?.message).toBe('vendora-v4-flash completes a chat')
  expect([exitCode, states]).toMatchObject([
    0,
    { target: 'ok', key: 'ok', chat: 'ok', 'key without credits': 'ok', 'key with a rate limit': 'ok' },
  ])
  expect(stdout).not.toContain(funded)
})

test('shows no character of a short key', async () => {
  // Gateway that accepts the short key, which the emulator would reject, and forwards requests with a valid key.
  await using gateway = await serveHttp(async ({ method = 'GET', url = '', headers }, response) => {
    const isRight = headers.authorization === 'Bearer sk-svc-wxyz'
    const authorization = `Bearer ${isRight ? emulator.keys.funded : 'none'}`
    const respond = await fetch(emulator.url + url, { method, headers: { authorization } })
    response.writeHead(respond.status, { 'content-type': 'application/json' }).end(await respond.text())
  })
  const { states, stdout } = await runDoctor(['--target', gateway.url, '--key', 'sk-svc-wxyz'])
  expect(states).toMatchObject({ key: 'ok' })
  expect(stdout).not.toContain('wxyz')
})

test('quotes the error response of a gateway that requires a header, and sends the header', async () => {
  await using gateway = await serveHttp((incoming, response) => {
    const isServed = incoming.headers['x-tenant'] === 'blue'
    response.writeHead(isServed ? 200 : 400, { 'content-type': 'application/json' })
    response.end(isServed ? resultFor(incoming.url ?? '')[1] : '{"message":"x-tenant is missing"}')
  })
  const args = ['--target', gateway.url, '--key', 'sk-svc-0123456789']
  const without = await runDoctor(args)
  const run = await runDoctor([...args, '--header', 'x-tenant: blue'])
  expect(without.finding('models')?.message).toBe('GET /v1/models returned 400: {"message":"x-tenant is missing"}')
  expect(run.states).toMatchObject({ key: 'warning' })
})

test('reports swapped and missing keys', async () => {
  const { funded, noCredits, limited } = emulator.keys
  const { exitCode, states, finding } = await runDoctor([
    '--target',
    emulator.url,
    '--key',
    funded,
    '--no-credits-key',
    limited,
  ])
  expect([exitCode, states]).toMatchObject([
    3,
    { key: 'ok', 'key without credits': 'error', 'key with a rate limit': 'missing' },
  ])
  expect(finding('key without credits')?.message).toContain('returned 200')
  const withoutCredits = await runDoctor(['--target', emulator.url, '--key', noCredits])
  expect([withoutCredits.exitCode, withoutCredits.finding('target')?.message]).toEqual([
    3,
    expect.stringContaining('too few credits'),
  ])
})

test('reports a rejected key', async () => {
  const { exitCode, finding } = await runDoctor(['--target', emulator.url, '--key', 'sk-svc-nobody-knows-this'])
  expect([exitCode, finding('key')]).toMatchObject([
    3,
    { state: 'error', message: expect.stringMatching(/401.*: set --key or TOUCHSTONE_KEY to a valid key\.$/) },
  ])
})

test.each([
  ['a wrong path', 404, '{}', ' does not look like the API: Both GET /v1/models and chat returned 404: is the base'],
  ['a site', 200, '<!doctype html>', ' returns HTML (200): this is not the API.'],
])('reports %s as another service instead of an invalid key', async (_, status, body, message) => {
  await using site = await serveHttp((_request, response) => response.writeHead(status).end(body))
  const url = `${site.url}/foo`
  const run = await runDoctor(['--target', url, '--key', 'sk-svc-0123456789'])
  expect([run.exitCode, Object.keys(run.states)]).toEqual([3, ['Node.js', 'k6', 'Docker', 'target']])
  expect(run.finding('target')).toMatchObject({ state: 'error', message: expect.stringContaining(`${url}${message}`) })
})

/** Runs `doctor` with a server whose response depends on the path and on whether the request has the right key. */
async function runDoctorWith(
  respond: (path: string, hasKey: boolean) => readonly [status: number, body: string],
  args: readonly string[] = [],
) {
  await using server = await serveHttp(({ url: path = '', headers }, response) => {
    const [status, body] = respond(path, headers.authorization === 'Bearer sk-svc-0123456789')
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  const run = await runDoctor(['--target', server.url, '--key', 'sk-svc-0123456789', ...args])
  return run
}

const LIST = '{"object":"list","data":[{"id":"a","object":"model","created":1,"owned_by":"b"}]}'
const COMPLETION = '{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hello."}}]}'
const isList = (path: string): boolean => path === '/v1/models'
const resultFor = (path: string): readonly [number, string] => [200, isList(path) ? LIST : COMPLETION]

test.each([
  [
    'a 403 for the list alone',
    (path) => (isList(path) ? [403, '{"message":"forbidden"}'] : [200, COMPLETION]),
    'GET /v1/models returned 403: {"message":"forbidden"}',
    'check --key or TOUCHSTONE_KEY and its permissions, and whether a gateway needs a header (--header)',
  ],
  [
    'a 500 for the list alone',
    (path) => (isList(path) ? [500, '{"message":"boom"}'] : [200, COMPLETION]),
    'GET /v1/models returned 500: {"message":"boom"}',
    'look for the error in the log of the service',
  ],
  [
    'invalid JSON',
    () => [200, '{"object":"list",'],
    'GET /v1/models returned 200, but the body is not JSON: {"object":"list",',
    'check that the address belongs to the API',
  ],
  [
    'a 200 without a body',
    () => [200, ''],
    'GET /v1/models returned 200 without a body',
    'check that the address belongs to the API',
  ],
] as const satisfies readonly (readonly [string, (path: string) => readonly [number, string], string, string])[])(
  'quotes %s to the request with the key, and does not report the key as rejected',
  async (_, respond, message, remedy) => {
    const { exitCode, finding } = await runDoctorWith(respond)
    expect([exitCode, finding('models')]).toEqual([3, { name: 'models', state: 'error', message, remedy }])
    const key = finding('key')
    if (message.includes('403')) expect(key?.remedy).toBe(remedy)
    else expect(key?.remedy ?? '').not.toContain('check --key')
  },
)

test.each([
  [401, 'to a valid key.'],
  [403, 'to a valid key, check its permissions, and whether a gateway needs a header (--header).'],
])('reports a key that gets %i for models and chat as rejected', async (status, advice) => {
  const { exitCode, finding } = await runDoctorWith(() => [status, '{"message":"forbidden"}'])
  const message = `The target rejected the funded key (${status} for models and chat): set --key or TOUCHSTONE_KEY ${advice}`
  expect([exitCode, finding('key')]).toEqual([3, { name: 'key', state: 'error', message }])
})

test('reports a target that stops responding after its list of models in one line', async () => {
  let responses = 0
  await using server = await serveHttp((request, response) => {
    responses += 1
    if (responses > 1) request.socket.destroy()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(LIST)
  })
  const url = server.url
  const run = await runDoctor(['--target', url, '--key', 'sk-svc-0123456789'])
  expect([run.exitCode, Object.keys(run.states)]).toEqual([3, ['Node.js', 'k6', 'Docker', 'target']])
  expect(run.finding('target')?.message).toMatch(
    / stopped responding after the first requests \((reset|closed-early)\)$/,
  )
})

test('reports a 200 that contains no completion', async () => {
  const { exitCode, finding } = await runDoctorWith(() => [200, '{"object":"list","data":[]}'])
  expect([exitCode, finding('chat')]).toMatchObject([
    3,
    {
      state: 'error',
      message: expect.stringMatching(/no part of a result of this operation: \{"object":"list","data":\[\]\}$/),
    },
  ])
})

test.each([
  [
    'no key is checked',
    (path) => resultFor(path),
    'warning',
    'the target does not check keys: it also serves an unknown key. A run reports this as failures of section 5',
  ],
  [
    'the list of models is public',
    (path, hasKey) => (hasKey || isList(path) ? resultFor(path) : [401, '{}']),
    'ok',
    'it works',
  ],
  [
    'the list of models is public, and chat rejects the key',
    (path) => (isList(path) ? resultFor(path) : [401, '{"message":"who?"}']),
    'error',
    'POST /v1/chat/completions returned 401: {"message":"who?"}',
  ],
] as const satisfies readonly (readonly [
  string,
  (path: string, hasKey: boolean) => readonly [number, string],
  string,
  string,
])[])('states what a request with the key proves if %s', async (_, respond, state, message) => {
  const { finding } = await runDoctorWith(respond)
  expect(finding('key')).toMatchObject({ state, message })
})

test('prints a text report if nothing listens at the target', async () => {
  const { exitCode, stdout } = await runCliInSharedProcess([
    'doctor',
    '--target',
    'http://127.0.0.1:1',
    '--key',
    'sk-svc-a-key',
  ])
  expect(exitCode).toBe(3)
  expect(stdout).toMatch(/^ok +Node\.js +\d+\.\d+\.\d+$/m)
  expect(stdout).toMatch(/^error +target +Cannot reach http:\/\/127\.0\.0\.1:1: connection refused/m)
})

test('asks for no key whose checks a target file excludes', async () => {
  const file = join(directory, 'target.json')
  await writeFile(file, JSON.stringify({ url: emulator.url, credits: false, rateLimit: false }))
  const { states } = await runDoctor(['--target', file, '--key', emulator.keys.funded])
  expect(Object.keys(states).filter((name) => /key|chat/.test(name))).toEqual(['key', 'chat'])
})
