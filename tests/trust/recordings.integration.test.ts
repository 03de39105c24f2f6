import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmulatorProcess } from '../../cli/testing/start-emulator-process.ts'
import { sendChat } from '../../emulator/tests/support/requests.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
/** A request whose response has several megabytes, so that writing it to disk takes a while. */
const LARGE = { max_tokens: 20_000, stream: true }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-killed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const recordings = () => readdirSync(folder).filter((name) => !name.startsWith('.'))

test('ignores the incomplete file of a killed recorder with the same process ID', async () => {
  await using upstream = await startEmulator()
  const once = await startEmulator({ record: upstream.url, recordDir: folder })
  await (await sendChat(once)).text()
  await once.close()
  const [name = ''] = recordings()
  rmSync(join(folder, name))
  for (const draft of [`.${name}.${process.pid}.part`, `.${name}.part`])
    writeFileSync(join(folder, draft), '{"version":')
  const again = await startEmulator({ record: upstream.url, recordDir: folder })
  await (await sendChat(again)).text()
  await again.close()
  expect(recordings()).toEqual([name])
})

test('leaves no file for a recording that does not fit on the disk, and still responds', async () => {
  await using upstream = await startEmulator({ answerTokens: 'fill' })
  const args = ['--port', '0', '--record', upstream.url, '--record-dir', folder]
  const shell = ['sh', '-c', 'ulimit -f 12; exec "$0" "$@"', process.execPath, PROGRAM, 'emulator']
  const { child, url } = await startEmulatorProcess(args, shell)
  const response = await sendChat({ ...upstream, url }, LARGE)
  expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
  await (await sendChat({ ...upstream, url }, { max_tokens: 5 })).text()
  const ended = once(child, 'exit')
  child.kill('SIGTERM') // On SIGTERM the emulator writes the pending recordings before it exits.
  expect((await ended)[0]).toBe(0)
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^000002-chat-.*\.json$/)])
})

test('rejects immediately a recording directory that cannot be created', () => {
  const args = [
    'emulator',
    '--port',
    '0',
    '--record',
    'http://127.0.0.1:9',
    '--record-dir',
    '/proc/touchstone/recordings',
  ]
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', timeout: 120_000 })
  expect({ status, stderr }).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^Invalid --record-dir\. The directory .+ \(E[A-Z]+\)\.\n$/),
  })
})
