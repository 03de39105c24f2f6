import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmulatorProcess } from '../../cli/testing/start-emulator-process.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { sendChat } from '../../emulator/tests/support/requests.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
const MIN_KILLS = 2
const MAX_KILLS = 30
const AT_ONCE = 3
/** A request whose response has several megabytes, so that writing it to disk takes a while. */
const LARGE = { max_tokens: 20_000, stream: true }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-killed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const recordings = () => readdirSync(folder).filter((name) => !name.startsWith('.'))
const drafts = () => readdirSync(folder).filter((name) => name.startsWith('.'))

test('a killed recorder leaves only complete recordings, and the next one continues', async () => {
  await using upstream = await startEmulator({ answerTokens: 'fill' })
  let leftDrafts = 0
  // Repeats until a kill has interrupted the process while it was writing a file.
  for (let kill = 0; kill < MIN_KILLS || (leftDrafts === 0 && kill < MAX_KILLS); kill += 1) {
    const { child, url } = await startEmulatorProcess(['--port', '0', '--record', upstream.url, '--record-dir', folder])
    const ended = once(child, 'exit')
    const before = recordings().length
    const requested = Array.from({ length: AT_ONCE }, (_, index) => {
      const messages = [{ role: 'user', content: `Question ${kill}-${index}` }]
      return sendChat({ ...upstream, url }, { ...LARGE, messages })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined)
    })
    // Waits until there are new recordings, or one is being written, while others are still missing.
    await expect
      .poll(() => recordings().length > before + (kill % 3) || drafts().length > leftDrafts, {
        interval: 1,
        timeout: 30_000,
      })
      .toBe(true)
    child.kill('SIGKILL')
    await Promise.all([ended, ...requested])
    leftDrafts = drafts().length
  }
  for (const name of recordings()) expect(() => JSON.parse(readFileSync(join(folder, name), 'utf8'))).not.toThrow()

  // The emulator rejects unreadable recordings at startup.
  await using replaying = await startEmulator({ replay: folder })
  expect((await sendChat(replaying)).status).toBe(200)
  const recorder = await startEmulator({ record: upstream.url, recordDir: folder })
  const count = recordings().length
  await (await sendChat(recorder)).text()
  await recorder.close()
  expect(recordings()).toHaveLength(count + 1)
  expect(leftDrafts).toBeGreaterThan(0)
}, 180_000)

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
