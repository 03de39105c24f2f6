import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forwardRequest, serveHttp } from '../common/testing/local-server.ts'
import { startEmulator, type Emulator } from '../emulator/start-emulator.ts'
import { runCliInSharedProcess } from './testing/run-cli.ts'

let emulator: Emulator
let directory: string
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  emulator = await startEmulator({ options: { 'wrong-method': '405', 'image-urls': 'key' } })
  directory = await mkdtemp(join(tmpdir(), 'touchstone-init-'))
  env = {
    TOUCHSTONE_KEY: emulator.keys.funded,
    TOUCHSTONE_KEY_NO_CREDITS: emulator.keys.noCredits,
    TOUCHSTONE_KEY_LIMITED: emulator.keys.limited,
  }
})

afterAll(async () => {
  await emulator.close()
  await rm(directory, { recursive: true, force: true })
})

test('writes a target file that a later run accepts', async () => {
  const file = join(directory, 'gateway.json')
  const init = await runCliInSharedProcess(['init', '--target', emulator.url, '--file', file], { env })
  expect([init.exitCode, init.stderr]).toEqual([
    0,
    expect.stringMatching(/^testing the target: at most \d+ requests\ntesting the draft: at most \d+ requests\n$/),
  ])
  expect(init.stdout).toContain('models for chat, images, transcriptions, speech')
  expect(init.stdout).toContain(
    '\nSection 7 of the specification does not name status 405, which the target returned for 4/wrong-method-models, 4/wrong-method-chat. The file records the returned status.\n',
  )
  expect(init.stdout).toMatch(/\nNext: npm run conformance -- --target \S+gateway\.json\n$/)

  const text = await readFile(file, 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    url: emulator.url,
    keys: { funded: 'TOUCHSTONE_KEY', 'no-credits': 'TOUCHSTONE_KEY_NO_CREDITS', limited: 'TOUCHSTONE_KEY_LIMITED' },
    declares: {
      '4/wrong-method-chat': { rejected: 405 },
      '2.4/url-key': { rejected: 401 },
      '2.3/role-developer': 'accepted',
      '4.2/messages-empty': { rejected: 400 },
    },
  })
  expect(text).not.toContain(emulator.keys.funded)
  expect(text).not.toContain('$schema') // The file is outside the project.

  const held = await runCliInSharedProcess(['conformance', '--target', file, '--only', '4', '--only', '2.4'], { env })
  expect([held.exitCode, held.document?.checks.find(({ id }) => id === '2.4/url-key')]).toMatchObject([
    0,
    { verdict: 'pass', declared: 'rejected with 401' },
  ])
})

test('lists models in the order of the specification', async () => {
  await using slow = await startEmulator({
    faults: ['operation=images,delayMs=600', 'operation=transcriptions,delayMs=300'],
  })
  const { stdout } = await runCliInSharedProcess(['init', '--target', slow.url, '--key', slow.keys.funded, '--json'])
  const { models }: { readonly models: object } = JSON.parse(stdout)
  expect(Object.keys(models)).toEqual(['chat', 'images', 'transcriptions', 'speech'])
})

test('keeps an existing file unless --force is given', async () => {
  const file = join(directory, 'kept.json')
  await writeFile(file, 'mine')
  const rejected = await runCliInSharedProcess(['init', '--target', emulator.url, '--file', file], { env })
  expect([rejected.exitCode, rejected.stderr]).toEqual([2, expect.stringContaining('kept.json already exists')])
  expect(await readFile(file, 'utf8')).toBe('mine')
  const forced = await runCliInSharedProcess(['init', '--target', emulator.url, '--file', file, '--force'], { env })
  expect(forced.exitCode).toBe(0)
})

test.each([
  ['no-such-folder/target.json', 'there is no directory'],
  ['.', 'is a directory or a device. Give the name of a file.'],
  [`${'n'.repeat(300)}.json`, 'cannot be written (ENAMETOOLONG)'],
])('checks that it can write %s before the first request', async (name, sentence) => {
  await writeFile(join(directory, 'kept-too.json'), 'mine')
  // No server listens at this address, so a command that sends a request exits with code 3.
  const { exitCode, stderr } = await runCliInSharedProcess(
    ['init', '--target', 'http://127.0.0.1:1', '--file', join(directory, name)],
    { env },
  )
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence)])
})

test('writes nothing when the target does not respond', async () => {
  const kept = join(directory, 'kept-still.json')
  await writeFile(kept, 'mine')
  const fresh = join(directory, 'fresh.json')
  const args = ['init', '--target', 'http://127.0.0.1:1', '--force', '--file']
  expect((await runCliInSharedProcess([...args, kept], { env })).exitCode).toBe(3)
  expect((await runCliInSharedProcess([...args, fresh], { env })).exitCode).toBe(3)
  expect(await readFile(kept, 'utf8')).toBe('mine')
  await expect(readFile(fresh)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('writes nothing when the path of the API is wrong', async () => {
  const file = join(directory, 'wrong-path.json')
  const { exitCode, stderr } = await runCliInSharedProcess(
    ['init', '--target', `${emulator.url}/no-such-path`, '--file', file],
    { env },
  )
  expect([exitCode, stderr]).toEqual([
    3,
    expect.stringContaining(
      '/no-such-path does not look like the API. Both GET /v1/models and chat returned 404: is the base URL right? Nothing was written.',
    ),
  ])
  await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' })
})

/** Runs `init` with a server that sends the same response to every request of `isSame`, and forwards the others. */
async function runInitWith(
  response: { readonly status: number; readonly type: string; readonly body: string },
  args: readonly string[] = [],
  isSame: (path: string) => boolean = () => true,
) {
  await using server = await serveHttp((request, outgoing) => {
    if (isSame(request.url ?? '')) {
      outgoing.writeHead(response.status, { 'content-type': response.type }).end(response.body)
    } else forwardRequest(emulator.url, request, outgoing)
  })
  const file = join(directory, `same-response-${new URL(server.url).port}.json`)
  const run = await runCliInSharedProcess(['init', '--target', server.url, '--file', file, ...args], {
    env,
  })
  const draft = await readFile(file, 'utf8').catch(() => undefined)
  return { ...run, draft }
}

test.each([
  ['an empty object', 200, 'application/json', '{}'],
  ['plain text', 200, 'text/plain', 'OK'],
  ['JSON that stops in the middle', 200, 'application/json', '{"object":"list",'],
])('writes nothing and shows the responses if every request gets %s', async (_, status, type, body) => {
  const { exitCode, stderr, stdout, draft } = await runInitWith({ status, type, body })
  expect([exitCode, stdout, draft]).toEqual([3, '', undefined])
  expect(stderr).toContain('lists no model, and no response contains a result of its operation. Nothing was written.')
  const seen = `returned ${status}${body === '' ? ' without a body' : `: ${body}`}`
  expect(stderr).toContain(`  GET /v1/models: ${seen}\n  POST /v1/chat/completions: ${seen}\n`)
})

test('records no model for an operation whose responses contain no result', async () => {
  const { exitCode, stdout, draft } = await runInitWith(
    { status: 200, type: 'application/json', body: '{"object":"list","data":[]}' },
    [],
    (path) => path.startsWith('/v1/images') || path === '/v1/audio/speech',
  )
  expect(exitCode).toBe(0)
  expect(stdout).toContain('models for chat, transcriptions, and')
  expect(stdout).toContain('init found no working model for images, speech.')
  const { models, operations }: { readonly models: object; readonly operations?: object } = JSON.parse(draft ?? '')
  expect([Object.keys(models), operations]).toEqual([['chat', 'transcriptions'], undefined])
})

test('takes the options that its advice names', async () => {
  const response = { status: 429, type: 'application/json', body: '{}' }
  const pace = ['--concurrency', '1', '--timeout-ms', '5000', '--rate', '5/s']
  const { exitCode, stderr } = await runInitWith(response, [...pace, '--max-seconds', '1'])
  expect([exitCode, stderr.match(/--[a-z-]+/g)]).toEqual([3, ['--max-seconds']])
})

test('writes the name but not the value of a header, and writes no file with --json', async () => {
  const { exitCode, stdout } = await runCliInSharedProcess(
    ['init', '--target', emulator.url, '--header', 'X-Gateway-Token: hidden-0815', '--json'],
    { env },
  )
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    headers: { 'x-gateway-token': { env: 'TOUCHSTONE_HEADER_X_GATEWAY_TOKEN' } },
  })
  expect(stdout).not.toContain('hidden-0815')
})

test.each([
  [
    'an unreachable target',
    ['--target', 'http://127.0.0.1:1'],
    { TOUCHSTONE_KEY: 'sk-svc-x' },
    3,
    'Cannot reach http://127.0.0.1:1',
  ],
])('reports %s in one sentence', async (_, args, given, exitCode, sentence) => {
  const run = await runCliInSharedProcess(['init', ...args], { env: given })
  expect([run.exitCode, run.stdout, run.stderr]).toEqual([exitCode, '', expect.stringContaining(sentence)])
})
