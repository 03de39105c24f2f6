import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const BIN = join(fileURLToPath(new URL('.', import.meta.url)), 'bin.js')
test('the emulator prints no key except its public default keys', async () => {
  const token = 'token-that-nobody-reads'
  const cwd = await mkdtemp(join(tmpdir(), 'touchstone-output-'))
  const child = spawn(process.execPath, [BIN, 'emulator', '--port', '0', '--record', 'http://127.0.0.1:9'], {
    cwd,
    env: { ...process.env, TOUCHSTONE_EMULATOR_CONTROL_TOKEN: token },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let received = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (received += String(data)))
  await expect.poll(() => received, { timeout: 60_000 }).toContain('ready at')
  const url = /ready at (\S+)/.exec(received)?.[1] ?? ''
  const key = 'sk-svc-Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1Hs5Gj0'
  const headers = { authorization: `Bearer ${key}`, 'x-touchstone-token': token }
  const control = await fetch(`${url}/__emulator/accounts`, { headers })
  expect(control.status).toBe(200)
  const unreachable = await fetch(`${url}/v1/${key}?key=${key}`, { headers })
  expect([unreachable.status, await unreachable.text()]).toEqual([
    500,
    expect.stringContaining('returned no usable response'),
  ])
  child.kill('SIGTERM')
  await once(child, 'close')
  await rm(cwd, { recursive: true })
  expect(received.match(/sk-svc-[\w-]+/g)).toHaveLength(4)
  expect(received).not.toContain(token)
})
