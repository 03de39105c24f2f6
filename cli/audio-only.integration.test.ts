import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveHttp } from '../common/testing/local-server.ts'
import { startAudioServer } from './testing/audio-server.ts'
import { runCliInSharedProcess } from './testing/run-cli.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-audio-'))
})
afterAll(() => rm(directory, { recursive: true }))

const KEY = 'sk-svc-0123456789'
/** Bodies with which servers respond to an unknown path. */
const NOT_FOUND = [
  { type: 'application/json', body: '{"detail":"Not Found"}' },
  { type: 'text/plain', body: '404 page not found\n' },
  { type: 'text/html', body: '<!doctype html><title>404 Not Found</title>' },
]

test.each(NOT_FOUND)('conformance tests a server with only audio whose 404 is $type', async (notFound) => {
  await using server = await startAudioServer({ notFound, key: KEY })
  const only = '1/transcriptions-offered,1/speech-offered,4.1/list-shape'
  const { stdout, document } = await runCliInSharedProcess([
    'conformance',
    '--target',
    server.url,
    '--key',
    KEY,
    '--only',
    only,
  ])
  expect(stdout).not.toMatch(/base URL|is this the API/i)
  const verdicts = document?.checks.map(({ id, verdict }) => [id, verdict])
  expect(Object.fromEntries(verdicts ?? [])).toMatchObject({
    '1/transcriptions-offered': 'pass',
    '1/speech-offered': 'pass',
  })
})

test('conformance does not doubt the base URL of a server with only audio whose model a file declares', async () => {
  await using server = await startAudioServer({ offers: ['speech'], key: KEY })
  const file = join(directory, 'declared.json')
  await writeFile(file, JSON.stringify({ url: server.url, models: [{ id: 'tts-1', operations: ['speech'] }] }))
  const { stdout } = await runCliInSharedProcess([
    'conformance',
    '--target',
    file,
    '--key',
    KEY,
    '--only',
    '4.5/media-type,4.1/list-shape',
  ])
  expect(stdout).not.toMatch(/base URL/i)
})

test('conformance still doubts the base URL of a server that knows no path', async () => {
  await using server = await startAudioServer({ offers: [] })
  const args = ['conformance', '--target', server.url, '--key', KEY, '--only', '4.1/list-shape']
  expect((await runCliInSharedProcess(args)).stdout).toContain('is the base URL right?')
})

test.each(NOT_FOUND)('init describes a server with only audio whose 404 is $type', async (notFound) => {
  await using server = await startAudioServer({ offers: ['transcriptions'], notFound, key: KEY })
  const file = join(directory, `${notFound.type.replace('/', '-')}.json`)
  const { exitCode, stderr } = await runCliInSharedProcess([
    'init',
    '--target',
    server.url,
    '--key',
    KEY,
    '--file',
    file,
    '--model',
    'whisper-1',
  ])
  expect([exitCode, stderr]).toEqual([0, expect.not.stringMatching(/base URL|does not look like/)])
  expect(JSON.parse(await readFile(file, 'utf8')).operations).toEqual({
    models: false,
    chat: false,
    images: false,
    speech: false,
  })
})

test('init misses no model of a server that accepts any name', async () => {
  await using server = await startAudioServer({ key: KEY })
  const file = join(directory, 'any-model.json')
  const { stdout } = await runCliInSharedProcess(['init', '--target', server.url, '--key', KEY, '--file', file])
  expect(stdout).toMatch(/^\S+: no models, because the server accepts any name, and /)
  expect(stdout).not.toContain('no working model')
})

/** Runs `doctor` and returns the lines about the target, and the exit code. */
async function runDoctor(args: readonly string[]) {
  const { stdout, exitCode } = await runCliInSharedProcess(['doctor', '--json', ...args])
  const all: { name: string; state: string; message: string; remedy?: string }[] = JSON.parse(stdout)
  const findings = all.filter(({ name }) => !['Node.js', 'k6', 'Docker'].includes(name))
  return { stdout, exitCode, states: Object.fromEntries(findings.map(({ name, state }) => [name, state])), findings }
}

test.each(NOT_FOUND)('doctor finds the audio operations of a server whose 404 is $type', async (notFound) => {
  await using server = await startAudioServer({ offers: ['speech'], notFound, key: KEY })
  const { states, findings, stdout } = await runDoctor(['--target', server.url, '--key', KEY])
  expect(states).toMatchObject({ target: 'ok', key: 'ok', models: 'error', chat: 'error', speech: 'ok' })
  expect(states).not.toHaveProperty('transcriptions')
  expect(stdout).not.toMatch(/base URL|does not look like/)
  expect(findings.find(({ name }) => name === 'chat')?.remedy).toBe(
    'if the target offers only speech, run the suite with --without models,chat,images,transcriptions',
  )
})

test('doctor tests the audio operations of a server whose other operations are declared absent', async () => {
  await using server = await startAudioServer({ key: KEY })
  const args = ['--target', server.url, '--key', KEY, '--without', 'models,chat,images,credits,rate-limit']
  const { exitCode, states } = await runDoctor(args)
  expect([exitCode, states]).toEqual([0, { target: 'ok', key: 'ok', transcriptions: 'ok', speech: 'ok' }])
})

test('doctor reports an audio operation that a server does not offer', async () => {
  await using server = await startAudioServer({ offers: ['speech'], key: KEY })
  const args = ['--target', server.url, '--key', KEY, '--without', 'models,chat,images,credits,rate-limit']
  const { exitCode, findings } = await runDoctor(args)
  expect([exitCode, findings.find(({ name }) => name === 'transcriptions')]).toMatchObject([
    3,
    { state: 'error', remedy: 'if the target does not offer transcriptions, run doctor with --without transcriptions' },
  ])
})

test('doctor warns that an audio server serves unknown keys', async () => {
  await using server = await startAudioServer()
  const { states, findings } = await runDoctor(['--target', server.url, '--key', KEY])
  expect(states).toMatchObject({ key: 'warning' })
  expect(findings.find(({ name }) => name === 'key')?.message).toContain('does not check keys')
})

test('doctor sends no request for an image to a server that serves no chat', async () => {
  const paths = new Set<string | undefined>()
  await using server = await serveHttp(({ url }, response) => {
    paths.add(url)
    const isList = url === '/v1/models'
    response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' })
    response.end(isList ? '{"object":"list","data":[{"id":"a","object":"model","created":1,"owned_by":"b"}]}' : '{}')
  })
  await runDoctor(['--target', server.url, '--key', KEY])
  expect([paths.has('/v1/audio/speech'), paths.has('/v1/images/generations')]).toEqual([true, false])
})
