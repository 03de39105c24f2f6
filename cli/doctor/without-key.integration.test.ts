import { mkdtemp, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveHttp } from '../../common/testing/local-server.ts'
import { startAudioServer } from '../testing/audio-server.ts'
import { runCliInSharedProcess } from '../testing/run-cli.ts'

const LIST = '{"object":"list","data":[{"id":"a","object":"model","created":1,"owned_by":"b"}]}'
const COMPLETION = '{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hello."}}]}'

/** Runs `doctor` without a key with a server that returns the given status to each path. Returns the target's lines. */
async function runDoctorWithoutKey(
  statusOf: (path: string) => number,
  argsFor: (url: string) => readonly string[] | Promise<readonly string[]> = (url) => ['--target', url],
) {
  const received: IncomingHttpHeaders[] = []
  await using server = await serveHttp(({ url = '', headers }, response) => {
    received.push(headers)
    const status = statusOf(url)
    const body = status === 200 ? (url === '/v1/models' ? LIST : COMPLETION) : '{"error":{"message":"no"}}'
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  const { stdout, exitCode } = await runCliInSharedProcess(['doctor', ...(await argsFor(server.url))])
  const lines = stdout.split('\n')
  return { exitCode, received, text: lines.slice(lines.findIndex((line) => /^\w+ +target /.test(line)) + 1).join('\n') }
}

test('reports in one row that a server has no keys, and sends no key', async () => {
  const { exitCode, received, text } = await runDoctorWithoutKey(() => 200)
  expect([exitCode, text.trimEnd().split('\n')]).toEqual([
    0,
    [
      'ok       key      the target has no keys: it serves requests without one. Use --without authentication, or a target file written by npm run init',
      'ok       chat     a completes a chat',
    ],
  ])
  expect(received.filter(({ authorization }) => authorization !== undefined)).toEqual([])
})

test.each([
  ['every request with 401', () => 401, 401],
  ['every request with 403', () => 403, 403],
  ['only chats', (path: string) => (path === '/v1/models' ? 200 : 401), 401],
])('reports that a server needs a key that rejects %s', async (_, statusOf, status) => {
  const { exitCode, text } = await runDoctorWithoutKey(statusOf)
  expect(exitCode).toBe(0)
  expect(text).toMatch(
    new RegExp(
      String.raw`^missing +key +not given, and the target rejects requests without a key \(${status}\). Every request needs this key\n +→ set --key or TOUCHSTONE_KEY$`,
      'm',
    ),
  )
  expect(text).not.toContain('has no keys')
})

test('shows the error response of a server that serves no chat without a key', async () => {
  const { exitCode, text } = await runDoctorWithoutKey((path) => (path === '/v1/models' ? 200 : 400))
  expect(exitCode).toBe(3)
  expect(text).toMatch(/^error +key +not given, and the target served no request without a key$/m)
  expect(text).toMatch(/^error +chat +a completes no chat: POST \/v1\/chat\/completions returned 400/m)
})

/** Writes a target file that declares that the server has no keys. */
async function writeTargetFile(url: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'touchstone-doctor-')), 'server.json')
  const authentication = { value: 'none', why: 'a private network' }
  await writeFile(file, JSON.stringify({ url, differences: { authentication } }))
  return file
}

test.each([
  ['a flag', (url: string) => ['--target', url, '--without', 'authentication']],
  ['a target file', async (url: string) => ['--target', await writeTargetFile(url)]],
])('gives no advice to declare what %s declares', async (_, argsFor) => {
  const { text } = await runDoctorWithoutKey(() => 200, argsFor)
  expect(text).toMatch(/^ok +key +the target has no keys: it serves requests without one$/m)
})

test('tests an audio server without keys', async () => {
  await using server = await startAudioServer({ offers: ['transcriptions'] })
  const { stdout } = await runCliInSharedProcess(['doctor', '--target', server.url])
  expect(stdout).toMatch(/^ok +key +the target has no keys/m)
  expect(stdout).toMatch(/^ok +transcriptions +\S+ serves transcriptions$/m)
})
