import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from './start-emulator.ts'
import { realClock, virtualClock } from './state/clock.ts'
import { chat } from './testing/call.ts'
import { fixed, LATENCY_PROFILES } from './timing/latency.ts'

/** A stream whose second token is due in an hour. */
const AN_HOUR = { ...LATENCY_PROFILES.instant, chat: { ttft: fixed(0), gap: fixed(3_600_000) } }

/** Closes the emulator while a stream stands. @returns what its account holds and was charged then, and what the client saw */
async function closeUnderWay(emulator: Emulator) {
  const { key } = emulator.createAccount({ credits: '1' })
  const response = await chat(emulator, { stream: true }, { key })
  const reading = response.text().catch((error: unknown) => error)
  await emulator.close()
  return { seen: await reading, ...emulator.balance(key) }
}

test('what waits for a clock that stands is broken off and settled when the emulator is closed', async () => {
  const emulator = await startEmulator({ latency: AN_HOUR, answerTokens: 5, clock: virtualClock() })
  const { seen, heldUnits, chargedUnits } = await closeUnderWay(emulator)
  expect(seen).toMatchObject({ message: 'terminated' })
  expect(heldUnits).toBe(0)
  expect(chargedUnits).toBeGreaterThan(0)
})

test('closing waits no longer than it may', async () => {
  const emulator = await startEmulator({ latency: AN_HOUR, answerTokens: 5, clock: realClock(), drainLimitMs: 50 })
  const { seen, heldUnits } = await closeUnderWay(emulator)
  expect(seen).toMatchObject({ message: 'terminated' })
  expect(heldUnits).toBe(0)
})

/** A request as bytes, by a connection that is to be kept. */
function requestOf({ keys }: Emulator, line: string, body = ''): string {
  return `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.funded}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

const STREAM = '{"model": "o3-mini", "stream": true, "messages": [{"role": "user", "content": "Go."}]}'

test('closing waits for an answer under way, not for its connection', async () => {
  const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: fixed(0), gap: fixed(300) } }
  const emulator = await startEmulator({ latency, answerTokens: 2, drainLimitMs: 2 ** 31 - 1 })
  const socket = connect(emulator.port, '127.0.0.1').setEncoding('latin1')
  let said = ''
  socket.on('data', (text: string) => (said += text))
  socket.write(requestOf(emulator, 'POST /v1/chat/completions', STREAM))
  await once(socket, 'data')
  const over = once(socket, 'close')
  await emulator.close() // with that limit, a wait for the connection is a hang
  await over
  expect(said).toMatch(/data: \[DONE\]/)
})

test('a request that comes while the emulator closes is answered, and told that it is the last', async () => {
  const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: fixed(0), gap: fixed(300) } }
  const emulator = await startEmulator({ latency, answerTokens: 2, drainLimitMs: 2 ** 31 - 1 })
  const socket = connect(emulator.port, '127.0.0.1').setEncoding('latin1')
  let said = ''
  socket.on('data', (text: string) => (said += text))
  socket.write(requestOf(emulator, 'POST /v1/chat/completions', STREAM))
  await once(socket, 'data')
  const closed = emulator.close()
  const over = once(socket, 'close')
  socket.write(requestOf(emulator, 'GET /v1/models'))
  await Promise.all([closed, over])
  const [first = '', second = ''] = said.split(/(?<=0\r\n\r\n)/)
  expect(first).toMatch(/data: \[DONE\]/)
  expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*^connection: close\r\n[^]*"object":"list"/im)
})

test('closing does not wait for a connection by which nothing ever came', async () => {
  const emulator = await startEmulator({ drainLimitMs: 2 ** 31 - 1 })
  const socket = connect(emulator.port, '127.0.0.1')
  const gone = once(socket.resume(), 'close')
  await once(socket, 'connect')
  await chat(emulator) // by now it is taken
  await emulator.close() // with that limit, a wait is a hang
  expect(await gone).toEqual([false])
})
