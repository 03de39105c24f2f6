import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/create-emulator.ts'
import { createInstance } from '../../emulator/instance.ts'
import type { InstanceOptions } from '../../emulator/options/emulator-options.ts'
import { createServer } from '../../emulator/http/create-server.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'

const CLIENTS = 10
/** The maximum of `max_tokens`. A stream with this value has about 27 MB, more than the system's socket buffers hold. */
const MAX_TOKENS = 131_072
const MODEL = 'vendora-v4-flash'
const UNITS_PER_TOKEN = 4
/** Maximum buffered bytes per client in this process: one chunk of the stream, and the socket's high-water mark. */
const MAX_BUFFERED_BYTES = 128 * 1024
const FUNDED = 'sk-svc-touchstone-funded'

const QUESTION = { model: MODEL, messages: [{ role: 'user', content: 'Go on.' }], max_tokens: MAX_TOKENS, stream: true }

function requestOf(body: object): string {
  const json = JSON.stringify(body)
  const fields = `host: x\r\nauthorization: Bearer ${FUNDED}\r\ncontent-length: ${json.length}`
  return `POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n\r\n${json}`
}

/** Starts an emulator and collects its server-side sockets for inspection. */
async function listen(options: InstanceOptions) {
  const instance = createInstance({ answerTokens: 'fill', ...options })
  const server = createServer(instance)
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket) => sockets.add(socket))
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  return { instance, sockets, port, close: () => server.close() }
}

/** Polls a value, and resolves with it when it has stopped changing. */
async function waitUntilStable(read: () => number): Promise<number> {
  for (let before = Number.NaN; ;) {
    const now = read()
    if (now === before && now > 0) return now
    before = now
    await setTimeout(300)
  }
}

test('generates no more than the socket buffers hold for clients that never read', async () => {
  const { instance, sockets, port, close } = await listen({})
  const clients = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1').pause())
  for (const client of clients) client.write(requestOf(QUESTION))
  await waitUntilStable(() => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0))
  expect(sockets.size).toBe(CLIENTS)
  for (const socket of sockets) expect(socket.writableLength).toBeLessThan(MAX_BUFFERED_BYTES)
  expect(instance.load.inFlight).toBe(CLIENTS) // The responses of all clients are still in progress.
  for (const client of clients) client.resetAndDestroy()
  await expect.poll(() => instance.load.inFlight, { timeout: 30_000 }).toBe(0)
  const { heldUnits = NaN, chargedUnits = NaN } = instance.accounts.findByKey(FUNDED)?.ledger.balance() ?? {}
  expect(heldUnits).toBe(0)
  expect(chargedUnits).toBeLessThan((CLIENTS * MAX_TOKENS * UNITS_PER_TOKEN) / 2)
  await close()
})

test('sends a complete stream to a client that reads late', async () => {
  const { instance, sockets, port, close } = await listen({})
  const client = connect(port, '127.0.0.1').pause()
  client.write(requestOf({ ...QUESTION, max_tokens: 100_000 }).replace('\r\n', '\r\nconnection: close\r\n'))
  await waitUntilStable(() => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0))
  expect(instance.load.inFlight).toBe(1)
  let tokens = 0
  let last = ''
  client.setEncoding('latin1').on('data', (text: string) => {
    tokens += text.split('"content":"').length - 1
    last = (last + text).slice(-100)
  })
  client.resume()
  await once(client, 'close')
  expect(last).toMatch(/data: \[DONE\]\n\n\r\n0\r\n\r\n$/)
  expect(tokens).toBeGreaterThan(99_000) // The counted text may end within a word, so the count is not exact.
  await close()
})

test('generates no events of an in-process stream without a reader', async () => {
  const emulator = createEmulator({ answerTokens: 'fill' })
  const init = { method: 'POST', headers: { authorization: `Bearer ${FUNDED}` }, body: JSON.stringify(QUESTION) }
  const response = await emulator.fetch('http://emulator.test/v1/chat/completions', init)
  await setTimeout(50)
  expect(emulator.activeRequests()).toBe(1)
  await response.body?.cancel()
  await expect.poll(() => emulator.activeRequests()).toBe(0)
  expect(emulator.balance(FUNDED)?.chargedUnits).toBeLessThan(1000 * UNITS_PER_TOKEN)
})

test('the recorder reads no more from the upstream than its client reads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-slow-'))
  await using upstream = await startEmulator({ answerTokens: 'fill' })
  const { sockets, port, close } = await listen({ record: upstream.url, recordDir: folder })
  const client = connect(port, '127.0.0.1').pause()
  client.write(requestOf(QUESTION))
  await waitUntilStable(() => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0))
  for (const socket of sockets) expect(socket.writableLength).toBeLessThan(4 * MAX_BUFFERED_BYTES)
  client.resetAndDestroy()
  await expect.poll(() => upstream.activeRequests(), { timeout: 30_000 }).toBe(0)
  expect(upstream.balance(FUNDED)?.chargedUnits).toBeLessThan((MAX_TOKENS * UNITS_PER_TOKEN) / 2)
  await close()
  rmSync(folder, { recursive: true })
})
