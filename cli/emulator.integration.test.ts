import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli, runCliInSharedProcess } from './testing/run-cli.ts'
import { startEmulatorProcess } from './testing/start-emulator-process.ts'

describe('touchstone emulator', () => {
  test('prints its address and keys that work', async () => {
    const { child, url, line } = await startEmulatorProcess(['--port', '0'])
    const keys = line.match(/sk-svc-[\w-]+/g) ?? []
    expect(keys).toHaveLength(4)
    expect(line).not.toContain('other machines')
    const statuses = keys.map(async (key) => {
      const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
      return response.status
    })
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200])
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('completes the stream in flight when npm gets SIGTERM, and then exits with 0', async () => {
    const npm = ['npm', 'run', '--silent', 'emulator', '--']
    const { child, url } = await startEmulatorProcess(
      ['--port', '0', '--latency', 'ttft=50ms,itl=5ms', '--answer-tokens', '20'],
      npm,
    )
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-svc-touchstone-funded' },
      body: '{"model": "o3-mini", "stream": true, "messages": [{"role": "user", "content": "hi"}]}',
    })
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
    await exited
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  test('exits with 0 after a SIGTERM that arrives together with the ready line', async () => {
    const preload = `
      const write = process.stdout.write.bind(process.stdout)
      process.stdout.write = (text) => {
        const result = write(text)
        if (String(text).includes('ready at')) process.kill(process.pid, 'SIGTERM')
        return result
      }`
    const node = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(preload)}`]
    const { child } = await startEmulatorProcess(['--port', '0'], [...node, 'cli/bin.js', 'emulator'])
    const isOver = child.exitCode !== null || child.signalCode !== null
    expect(isOver ? [child.exitCode, child.signalCode] : await once(child, 'exit')).toEqual([0, null])
  })

  test('names the upstream and the folder of recordings', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'touchstone-recordings-'))
    const flags = ['--record', 'http://127.0.0.1:9', '--record-dir', directory]
    const { line } = await startEmulatorProcess(['--port', '0', ...flags])
    expect(line).toMatch(new RegExp(` · records http://127\\.0\\.0\\.1:9 in ${directory}$`))
  })

  test('names the models and counts the accounts that flags add, and prints no key of theirs', async () => {
    const flags = ['--model', 'gpt-4o=vendorc-4o', '--model', 'mine=0.5', '--account', 'key=sk-svc-mine,credits=5']
    const { url, line } = await startEmulatorProcess(['--port', '0', ...flags])
    expect(line).toMatch(/\(rate limit\) · accounts added: 1 · models added: gpt-4o, mine$/)
    expect(line).not.toContain('sk-svc-mine')
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-svc-mine' } })
    expect(await response.text()).toContain('"id":"gpt-4o"')
    const health = await fetch(`${url}/__emulator/health`)
    expect(await health.json()).toEqual({ status: 'ok', inFlight: 0, customModels: ['gpt-4o', 'mine'] })
  })

  test.each([
    [['--host', '0.0.0.0'], true],
    [['--host', '0.0.0.0', '--control-token', 'a-long-token'], false],
  ])('with %j, says in its first line whether other machines can control it: %s', async (flags, isExposed) => {
    const { line } = await startEmulatorProcess(['--port', '0', ...flags])
    const words = ' (other machines can reach it and control it: set --control-token) · keys: '
    expect(line.includes(words)).toBe(isExposed)
  })

  test('reports a port that is already in use, with advice', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { exitCode, stderr } = await runCli(['emulator', '--port', String(port)])
    taken.close()
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      `Port ${port} is in use on 127.0.0.1. Choose another port with --port, or any free port with --port 0.\n`,
    )
  })

  test('prefers flags to the environment, and the environment to a config file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'touchstone-config-'))
    const file = join(directory, 'emulator.json')
    await writeFile(file, '{"port": 1, "host": "192.0.2.1", "seed": 5, "options": {"head": "404"}}')
    const env = { TOUCHSTONE_EMULATOR_CONFIG: file, TOUCHSTONE_EMULATOR_PORT: '2' }
    const { stderr } = await runCli(['emulator', '--port', '3'], { env })
    expect(stderr).toContain('192.0.2.1') // The config file sets the address 192.0.2.1, which no interface of this machine has.
    const lower = await runCliInSharedProcess(['emulator', '--host', '127.0.0.1', '--port', 'x'], { env })
    expect(lower.stderr).toBe('Invalid --port: "x". It must be an integer from 0 to 65535.\n')
  })

  test('names the config file of an unknown option', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'touchstone-config-'))
    const file = join(directory, 'emulator.json')
    await writeFile(file, '{"colour": "red"}')
    const { exitCode, stderr } = await runCliInSharedProcess(['emulator', '--config', file])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`"colour" in the config file ${file} is unknown. The options are port,`)
  })

  test.each([
    [['--option', 'colour=red'], "no option 'colour'"],
    [['--fault', 'model=gpt,status=500'], 'Invalid --fault. "model" of a fault must be a model ID'],
    [['--faults', '/nowhere/faults.json'], '/nowhere/faults.json cannot be read (ENOENT)'],
  ])('rejects %j with exit code 2 and one line', async (args, sentence) => {
    const { exitCode, stdout, stderr } = await runCliInSharedProcess(['emulator', ...args])
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
