import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readResidentBytes } from '../../bench/resident-memory.ts'
import { startEmulatorProcess, type EmulatorProcess } from '../../cli/testing/start-emulator-process.ts'
import { STANDARD_ACCOUNT_KEYS } from '../../emulator/state/accounts.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
const IDLE = 5000
const MAX_BYTES_PER_CONNECTION = 40_000
/** File descriptor limit of the emulator's process in the second test. The process needs about 30 itself. */
const MAX_FILE_DESCRIPTORS = 64
/**
 * Number of concurrent requests that the file descriptor limit permits. A single request would succeed even if all but
 * one of the descriptors had leaked.
 */
const CONCURRENT_REQUESTS = 16

/** Sends a chat request on a new connection, and returns the status (0 if there is no response). */
function sendChat(url: string): Promise<number> {
  const body = JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Hello.' }] })
  const headers = { authorization: `Bearer ${STANDARD_ACCOUNT_KEYS.funded}`, connection: 'close' }
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    .then(async (response) => {
      await response.arrayBuffer()
      return response.status
    })
    .catch(() => 0)
}

/** Sends concurrent chat requests, each on a new connection, and returns the different statuses of their responses. */
async function sendConcurrently(url: string): Promise<readonly number[]> {
  const statuses = await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, () => sendChat(url)))
  return [...new Set(statuses)]
}

/** Opens connections in batches that fit into the system's accept queue. Ignores refused connections. */
async function openMany(url: string, count: number): Promise<Socket[]> {
  const port = Number(new URL(url).port)
  const sockets: Socket[] = []
  for (let opened = 0; opened < count; opened += 100) {
    const some = Array.from({ length: Math.min(100, count - opened) }, () => connect(port, '127.0.0.1'))
    await Promise.all(
      some.map(async (socket) => {
        await once(socket, 'connect').catch(() => undefined)
        socket.on('error', () => undefined) // Ignores the error that may occur here when the server closes the connection.
      }),
    )
    sockets.push(...some)
  }
  return sockets
}

/**
 * Stops the process with SIGTERM.
 * @returns its exit code
 */
async function stop({ child }: EmulatorProcess): Promise<unknown> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  return (await ended)[0]
}

test(`${IDLE} idle connections use little memory, and delay neither a request nor the close`, async ({ skip }) => {
  const most = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).replace('unlimited', 'Infinity'))
  skip(
    most < IDLE + 500,
    `a process may open ${most} files and connections here (ulimit -Hn), and ${IDLE + 500} are needed`,
  )
  const emulator = await startEmulatorProcess(['--port', '0'])
  expect(await sendChat(emulator.url)).toBe(200)
  const before = readResidentBytes(Number(emulator.child.pid))
  const sockets = await openMany(emulator.url, IDLE)
  expect(await sendChat(emulator.url)).toBe(200)
  expect(sockets.filter((socket) => socket.destroyed || socket.readyState !== 'open')).toEqual([])
  expect((readResidentBytes(Number(emulator.child.pid)) - before) / IDLE).toBeLessThan(MAX_BYTES_PER_CONNECTION)
  const gone = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  expect(await stop(emulator)).toBe(0)
  await gone
})

test('recovers after clients opened more connections than the limit', async () => {
  const script = `ulimit -n ${MAX_FILE_DESCRIPTORS}; exec "$0" "$@"`
  const command = ['sh', '-c', script, process.execPath, PROGRAM, 'emulator']
  const emulator = await startEmulatorProcess(['--port', '0'], command)
  expect(await sendConcurrently(emulator.url)).toEqual([200])
  for (let round = 0; round < 3; round += 1) {
    const sockets = await openMany(emulator.url, 3 * MAX_FILE_DESCRIPTORS)
    await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length, { timeout: 30_000 }).toBeGreaterThan(0)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => sendConcurrently(emulator.url), { timeout: 30_000 }).toEqual([200])
  }
  expect(await stop(emulator)).toBe(0)
})
