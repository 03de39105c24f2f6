import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../emulator/start-emulator.ts'
import { runCliInSharedProcess } from './testing/run-cli.ts'

let emulator: Emulator
let directory: string
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  emulator = await startEmulator({ decisions: { 'wrong-method': '405', 'image-urls': 'key' } })
  directory = await mkdtemp(join(tmpdir(), 'touchstone-init-'))
  env = {
    TOUCHSTONE_KEY: emulator.keys.funded,
    TOUCHSTONE_KEY_NO_CREDITS: emulator.keys.empty,
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
  expect([init.exitCode, init.stderr]).toEqual([0, expect.stringMatching(/^testing the target: about \d+ requests\n$/)])
  expect(init.stdout).toContain('models for chat, images, transcriptions, speech')
  expect(init.stdout).toMatch(/\nNext: npm run conformance -- --target \S+gateway\.json\n$/)

  const text = await readFile(file, 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    url: emulator.url,
    keys: { funded: 'TOUCHSTONE_KEY', noCredits: 'TOUCHSTONE_KEY_NO_CREDITS', limited: 'TOUCHSTONE_KEY_LIMITED' },
    declares: { wrongMethod: 405, imageUrls: 'key', developerRole: 'accepted', emptyMessages: 400 },
  })
  expect(text).not.toContain(emulator.keys.funded)
  expect(text).not.toContain('$schema') // The file is outside the project.

  const held = await runCliInSharedProcess(['conformance', '--target', file, '--only', '4', '--only', '2.4'], { env })
  expect([held.exitCode, held.document?.checks.find(({ id }) => id === '2.4/url-key')]).toMatchObject([
    0,
    { verdict: 'pass', declared: 'key' },
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
  const refused = await runCliInSharedProcess(['init', '--target', emulator.url, '--file', file], { env })
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('kept.json already exists')])
  expect(await readFile(file, 'utf8')).toBe('mine')
  const forced = await runCliInSharedProcess(['init', '--target', emulator.url, '--file', file, '--force'], { env })
  expect(forced.exitCode).toBe(0)
})

test.each([
  ['kept-too.json', 'kept-too.json already exists'],
  ['no-such-folder/target.json', 'there is no folder'],
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
      '/no-such-path does not look like the API. Both models and chat returned 404: is the base URL right? Nothing was written.',
    ),
  ])
  await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' })
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
  ['no address', [], {}, 2, 'Set --target or'],
  ['no key', ['--target', 'http://127.0.0.1:1'], {}, 2, 'Set --key or'],
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
