import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { residentBytes } from '../../bench/resident-memory.ts'
import { startEmulatorProcess, type EmulatorProcess } from '../../cli/testing/start-emulator-process.ts'
import { STANDARD_KEYS } from '../../emulator/state/accounts.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
const IDLE = 5000
/** What a connection without a request may keep in memory. */
const MOST_BYTES_EACH = 40_000
/** What the process may open in the other test; of these it needs some 30 for itself. */
const FEW = 64
/** Requests at once for which it has room then: one alone would find room where all but one place were lost. */
const AT_ONCE = 16

/** Status of a chat on a connection of its own; 0: there was no answer. */
function ask(url: string): Promise<number> {
  const body = JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Hello.' }] })
  const headers = { authorization: `Bearer ${STANDARD_KEYS.funded}`, connection: 'close' }
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    .then(async (response) => {
      await response.arrayBuffer()
      return response.status
    })
    .catch(() => 0)
}

/** The statuses of chats at once, each on a connection of its own. */
async function askAtOnce(url: string): Promise<readonly number[]> {
  const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(url)))
  return [...new Set(statuses)]
}

/** Opens connections, so many at a time that the system's queue for them holds. Those that are refused are left out. */
async function openMany(url: string, count: number): Promise<Socket[]> {
  const port = Number(new URL(url).port)
  const sockets: Socket[] = []
  for (let opened = 0; opened < count; opened += 100) {
    const some = Array.from({ length: Math.min(100, count - opened) }, () => connect(port, '127.0.0.1'))
    await Promise.all(
      some.map(async (socket) => {
        await once(socket, 'connect').catch(() => undefined)
        socket.on('error', () => undefined) // closed by the other side
      }),
    )
    sockets.push(...some)
  }
  return sockets
}

/** Ends it as its user does. @returns its exit code */
async function stop({ child }: EmulatorProcess): Promise<unknown> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  return (await ended)[0]
}

test(`${IDLE} idle connections cost little, and hinder neither a request nor the end`, async ({ skip }) => {
  const most = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).replace('unlimited', 'Infinity'))
  skip(
    most < IDLE + 500,
    `a process may open ${most} files and connections here (ulimit -Hn), and ${IDLE + 500} are needed`,
  )
  const emulator = await startEmulatorProcess(['--port', '0'])
  expect(await ask(emulator.url)).toBe(200)
  const before = residentBytes(Number(emulator.child.pid))
  const sockets = await openMany(emulator.url, IDLE)
  expect(await ask(emulator.url)).toBe(200)
  expect(sockets.filter((socket) => socket.destroyed || socket.readyState !== 'open')).toEqual([])
  expect((residentBytes(Number(emulator.child.pid)) - before) / IDLE).toBeLessThan(MOST_BYTES_EACH)
  const gone = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  expect(await stop(emulator)).toBe(0)
  await gone
})

test('more connections than it may open leave an emulator standing, and it serves on when they are gone', async () => {
  const script = `ulimit -n ${FEW}; exec "$0" "$@"`
  const command = ['sh', '-c', script, process.execPath, PROGRAM, 'emulator']
  const emulator = await startEmulatorProcess(['--port', '0'], command)
  expect(await askAtOnce(emulator.url)).toEqual([200])
  for (let round = 0; round < 3; round += 1) {
    const sockets = await openMany(emulator.url, 3 * FEW)
    await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length, { timeout: 30_000 }).toBeGreaterThan(0)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => askAtOnce(emulator.url), { timeout: 30_000 }).toEqual([200])
  }
  expect(await stop(emulator)).toBe(0)
})
