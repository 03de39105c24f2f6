import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createRealClock, createVirtualClock } from '../state/clock.ts'
import { sendChat } from './support/requests.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../state/latency.ts'

const ONE_HOUR_LATENCY = {
  ...LATENCY_PROFILES.instant,
  chat: { ttft: createFixedDelay(0), itl: createFixedDelay(3_600_000) },
}

/**
 * Closes the emulator while a stream waits for its second token.
 * @returns the held and charged credits of the account, and the received text
 */
async function closeDuringStream(emulator: Emulator) {
  const { key } = emulator.createAccount({ credits: '1' })
  const response = await sendChat(emulator, { stream: true }, { key })
  const reading = response.text().catch((error: unknown) => error)
  await emulator.close()
  return { seen: await reading, ...emulator.balance(key) }
}

test('aborts and settles requests that wait for a stopped clock', async () => {
  const emulator = await startEmulator({ latency: ONE_HOUR_LATENCY, answerTokens: 5, clock: createVirtualClock() })
  const { seen, heldUnits, chargedUnits } = await closeDuringStream(emulator)
  expect(seen).toMatchObject({ message: 'terminated' })
  expect(heldUnits).toBe(0)
  expect(chargedUnits).toBeGreaterThan(0)
})

test('aborts requests in progress after the drain limit', async () => {
  const emulator = await startEmulator({
    latency: ONE_HOUR_LATENCY,
    answerTokens: 5,
    clock: createRealClock(),
    drainLimitMs: 50,
  })
  const { seen, heldUnits } = await closeDuringStream(emulator)
  expect(seen).toMatchObject({ message: 'terminated' })
  expect(heldUnits).toBe(0)
})

function requestOf({ keys }: Emulator, line: string, body = ''): string {
  return `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.funded}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

const STREAM = '{"model": "o3-mini", "stream": true, "messages": [{"role": "user", "content": "Go."}]}'

/**
 * Starts an emulator that waits without a limit for responses in progress when it closes. Streams end when the test
 * advances the clock, which runs because the drain limit would otherwise be shorter.
 */
async function startWithSlowStreams(answerTokens: number) {
  const clock = createVirtualClock()
  clock.run()
  const latency = ONE_HOUR_LATENCY
  const emulator = await startEmulator({ clock, latency, answerTokens, drainLimitMs: 2 ** 31 - 1 })
  /** Waits until the emulator has begun to close and has received what clients sent before, and ends all streams. */
  const endStreams = async () => {
    await expect.poll(() => isRefused(emulator.port), { interval: 5, timeout: 30_000 }).toBe(true)
    clock.advance(answerTokens * 3_600_000)
  }
  return { emulator, endStreams }
}

/** Starts a stream on a keep-alive connection. `received` resolves to the received bytes when the connection closes. */
async function beginStream() {
  const { emulator, endStreams } = await startWithSlowStreams(2)
  const socket = connect(emulator.port, '127.0.0.1')
  const received = text(socket)
  socket.write(requestOf(emulator, 'POST /v1/chat/completions', STREAM))
  await once(socket, 'data')
  return { emulator, endStreams, socket, received }
}

test('close waits for a response in progress, but not for its connection', async () => {
  const { emulator, endStreams, received } = await beginStream()
  const closed = emulator.close()
  await endStreams()
  await closed // If closing waits for the connection, the test times out.
  expect(await received).toMatch(/data: \[DONE\]/)
})

test('responds with connection: close to a request that arrives while the server closes', async () => {
  const { emulator, endStreams, socket, received } = await beginStream()
  const closed = emulator.close()
  socket.write(requestOf(emulator, 'GET /v1/models'))
  await endStreams()
  await closed
  const [first = '', second = ''] = (await received).split(/(?<=0\r\n\r\n)/)
  expect(first).toMatch(/data: \[DONE\]/)
  expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*^connection: close\r\n[^]*"object":"list"/im)
})

test('does not wait for a connection without a request', async () => {
  const emulator = await startEmulator({ drainLimitMs: 2 ** 31 - 1 })
  const socket = connect(emulator.port, '127.0.0.1')
  const closed = once(socket.resume(), 'close')
  await once(socket, 'connect')
  await sendChat(emulator) // After this response, the server has also received the request.
  await emulator.close() // If closing waits for the connection, the test times out.
  expect(await closed).toEqual([false])
})

/**
 * Closes the emulator while the first of pipelined requests waits for its first token.
 * @returns the responses including their heads
 */
async function collectResponsesAtClose(pipelined: (emulator: Emulator) => string): Promise<string[]> {
  const hour = 3_600_000
  const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(hour), itl: createFixedDelay(0) } }
  const clock = createVirtualClock()
  const emulator = await startEmulator({ latency, clock, answerTokens: 2, drainLimitMs: 2 ** 31 - 1 })
  const socket = connect(emulator.port, '127.0.0.1')
  const output = text(socket)
  socket.write(pipelined(emulator))
  await expect.poll(() => emulator.activeRequests(), { interval: 5, timeout: 30_000 }).toBe(1)
  clock.run() // While the clock is stopped, the drain limit would be shorter.
  const closed = emulator.close()
  await expect.poll(() => isRefused(emulator.port), { interval: 5, timeout: 30_000 }).toBe(true)
  clock.advance(hour)
  await closed
  return (await output).split(/(?=HTTP\/1\.1 200 OK\r\n)/)
}

/** Returns true if the server refuses new connections, which is the case from the start of its close. */
async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

const connectionOf = (respond: string) => /^connection: (\S+)/im.exec(respond)?.[1]

test('sends connection: close with a response that begins while the server closes', async () => {
  const whole = STREAM.replace('true', 'false')
  const results = await collectResponsesAtClose((emulator) => requestOf(emulator, 'POST /v1/chat/completions', whole))
  expect(results.map(connectionOf)).toEqual(['close'])
})

test('sends all pipelined responses before the server closes', async () => {
  const whole = STREAM.replace('true', 'false')
  const responses = await collectResponsesAtClose((emulator) =>
    requestOf(emulator, 'POST /v1/chat/completions', whole).repeat(3),
  )
  expect(responses.map(connectionOf)).toEqual(['keep-alive', 'keep-alive', 'close'])
  for (const result of responses) expect(result).toContain('"usage"')
})

test('sends a response completely to a slow reader before the server closes', async () => {
  const bytes = 24_000_000 // Larger than the socket buffers of the operating system.
  const emulator = await startEmulator({ fixtures: [{ body: 'x'.repeat(bytes) }], drainLimitMs: 2 ** 31 - 1 })
  const response = await sendChat(emulator)
  const closed = emulator.close()
  const keptWaiting = await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 50, 'it waits'))])
  expect(keptWaiting).toBe('it waits')
  expect(await response.text()).toHaveLength(bytes)
  await closed
})

test('charges nothing for requests after a response with connection: close', async () => {
  const { emulator, endStreams } = await startWithSlowStreams(5)
  const { key } = emulator.createAccount({ credits: '10' })
  const socket = connect(emulator.port, '127.0.0.1')
  const requested = requestOf(emulator, 'POST /v1/chat/completions', STREAM)
  socket.write(requested.slice(0, 10))
  // After this response, the server has read the first part of the request.
  await (await fetch(`${emulator.url}/v1/models`)).text()
  const closed = emulator.close()
  socket.write(requested.slice(10))
  expect(connectionOf(String((await once(socket, 'data'))[0]))).toBe('close')
  const rest = text(socket)
  socket.write(requested.replace(emulator.keys.funded, key))
  await endStreams()
  expect(await rest).not.toContain('HTTP/1.1')
  await closed
  expect(emulator.balance(key)?.chargedUnits).toBe(0)
})

test('responds to all requests that arrived before the server closes, on new and existing connections', async () => {
  const emulator = await startEmulator({ drainLimitMs: 2 ** 31 - 1 })
  const sockets = [1, 2, 3].map(() => connect(emulator.port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const [kept] = sockets
  kept?.write(requestOf(emulator, 'GET /v1/models'))
  // Once these responses have arrived, the server has accepted the other connections.
  await Promise.all([kept === undefined ? [] : once(kept, 'data'), sendChat(emulator)])
  const responses = sockets.map((socket) => text(socket))
  for (const socket of sockets) socket.write(requestOf(emulator, 'GET /v1/models'))
  await emulator.close()
  for (const response of await Promise.all(responses)) expect(response).toContain('"object":"list"')
})
