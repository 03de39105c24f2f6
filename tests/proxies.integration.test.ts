import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCliInSharedProcess } from '../cli/testing/run-cli.ts'
import { startEmulatorProcess } from '../cli/testing/start-emulator-process.ts'
import { type ForwardProxy, startForwardProxy } from '../conformance/testing/forward-proxy.ts'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'

let emulator: Emulator
let forward: ForwardProxy

beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

beforeEach(async () => {
  forward = await startForwardProxy(emulator.url)
  return () => forward[Symbol.asyncDispose]()
})

/** Runs a command against a host name that only the proxy can resolve. */
function run(command: string, env: Readonly<Record<string, string>>) {
  const target = ['--target', 'http://api.test', '--key', emulator.keys.funded]
  return runCliInSharedProcess([...command.split(' '), ...target], { env })
}

const CONNECT = 'CONNECT api.test:80'

test.each(['conformance --only 4.1 --only 4.2/temperature-above', 'doctor', 'init --json'])(
  '%s sends its requests through HTTP_PROXY, and reports it',
  async (command) => {
    const { exitCode, stderr } = await run(command, { HTTP_PROXY: forward.url.replace('//', '//me:secret@') })
    expect([command, exitCode]).toEqual([command, 0])
    expect(stderr).toContain(`Requests to http://api.test go through the proxy ${forward.url} (HTTP_PROXY).\n`)
    expect(stderr).not.toContain('secret')
    expect(new Set(forward.requests)).toEqual(new Set([CONNECT]))
  },
)

test.each(['conformance --only 4.1', 'doctor', 'init --json', 'load'])(
  '%s rejects a proxy that it does not support before it sends a request',
  async (command) => {
    const { exitCode, stderr } = await run(command, { HTTP_PROXY: 'socks5://127.0.0.1:1080' })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('HTTP_PROXY is not an http or https address')
    expect(forward.requests).toEqual([])
  },
)

test('emulator --record reaches its upstream through the proxy', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-proxy-'))
  const command = ['env', `HTTP_PROXY=${forward.url}`, process.execPath, 'cli/bin.js', 'emulator', '--port', '0']
  const recorder = await startEmulatorProcess(['--record', 'http://api.test', '--record-dir', directory], command)
  const response = await fetch(`${recorder.url}/v1/models`, {
    headers: { authorization: `Bearer ${emulator.keys.funded}` },
  })
  expect(response.status).toBe(200)
  expect(forward.requests).toEqual(['GET http://api.test/v1/models'])
})

test('the built-in emulator is never reached through a proxy', async () => {
  const { exitCode, stderr } = await runCliInSharedProcess(['conformance', '--only', '4.1'], {
    env: { HTTP_PROXY: forward.url },
  })
  expect([exitCode, stderr, forward.requests]).toEqual([0, '', []])
})

test('reports that the proxy rejects the connection', async () => {
  await using strict = await startForwardProxy(emulator.url, 403)
  const { exitCode, stdout, stderr } = await run('conformance --only 4.1', { HTTP_PROXY: strict.url })
  expect(exitCode).toBe(3)
  expect(stdout + stderr).toContain('the proxy rejected the connection to the target with status 403')
})
