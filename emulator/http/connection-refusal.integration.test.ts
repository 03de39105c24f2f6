import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../state/latency.ts'
import { sendChat } from '../tests/support/requests.ts'
import { WAIT_FOR_OPTIONS } from '../tests/support/servers.ts'

/** Replaces the timers of a refusal and its clock, so that a refusal ends only when a test advances them. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const LATENCY = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(0), itl: createFixedDelay(1000) } }

/** Tries to connect to the emulator. Returns the error code, or undefined if it accepts the connection. */
async function findConnectError({ port }: Pick<Emulator, 'port'>): Promise<unknown> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return undefined
  } catch (error) {
    return Reflect.get(Object(error), 'code')
  } finally {
    socket.destroy()
  }
}

function formatModelsRequest({ keys }: Emulator): string {
  return `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.funded}\r\n\r\n`
}

function formatStreamRequest({ keys }: Emulator): string {
  const body = '{"model":"o3-mini","stream":true,"messages":[{"role":"user","content":"Go."}]}'
  const fields = `host: x\r\nauthorization: Bearer ${keys.funded}\r\ncontent-length: ${body.length}`
  return `POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n\r\n${body}`
}

/** Opens a keep-alive connection, and waits for the response to a first request. */
async function openIdleConnection(emulator: Emulator) {
  const socket = connect(emulator.port, '127.0.0.1')
  socket.write(formatModelsRequest(emulator))
  await once(socket, 'data')
  return socket
}

/** Sends a request that makes the port refuse connections, and waits until its connection is reset. */
async function refuse(emulator: Emulator, refuseMs: number): Promise<void> {
  emulator.faults.add({ loseAt: 'connection', refuseMs, times: 1 })
  await expect(sendChat(emulator)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
}

test.each(['on', 'off'] as const)(
  'refuses new connections for a time, closes idle ones and completes responses (fast path %s)',
  async (fastPath) => {
    const clock = createVirtualClock()
    await using emulator = await startEmulator({ clock, latency: LATENCY, answerTokens: 3, fastPath })
    const stream = connect(emulator.port, '127.0.0.1')
    const received = text(stream)
    stream.write(formatStreamRequest(emulator))
    await once(stream, 'data')
    const idle = await openIdleConnection(emulator)
    const unused = connect(emulator.port, '127.0.0.1')
    await once(unused, 'connect')
    const closed = Promise.all([idle, unused].map((socket) => once(socket.resume(), 'close')))

    await refuse(emulator, 1000)
    expect(await findConnectError(emulator)).toBe('ECONNREFUSED')
    expect(await closed).toEqual([[false], [false]])
    clock.advance(2000)
    // The connection of the stream closes as well, so the client cannot reuse it.
    expect(await received).toMatch(/\[DONE\]\n\n\r\n0\r\n\r\n$/)
    vi.advanceTimersByTime(999)
    expect(await findConnectError(emulator)).toBe('ECONNREFUSED')

    vi.advanceTimersByTime(1)
    await expect.poll(() => findConnectError(emulator), WAIT_FOR_OPTIONS).toBeUndefined()
    ;(await openIdleConnection(emulator)).destroy()
  },
)

test('does not shorten a refusal by a later one', async () => {
  await using emulator = await startEmulator({ allowFaultHeader: true })
  const headers = `host: x\r\nauthorization: Bearer ${emulator.keys.funded}\r\nx-touchstone-fault: loseAt=connection`
  const closed: Promise<unknown>[] = []
  // Both requests are in progress when the first one closes the port.
  for (const refuseMs of [1000, 1]) {
    const socket = connect(emulator.port, '127.0.0.1').on('error', () => undefined)
    socket.write(`GET /v1/models HTTP/1.1\r\n${headers},delayMs=50,refuseMs=${refuseMs}\r\n\r\n`)
    closed.push(new Promise((resolve) => socket.resume().once('close', resolve)))
    while (emulator.activeRequests() < closed.length) await setImmediate() // `expect.poll` would advance the timers.
  }
  vi.advanceTimersByTime(50)
  await Promise.all(closed)
  vi.advanceTimersByTime(999)
  expect(await findConnectError(emulator)).toBe('ECONNREFUSED')
  vi.advanceTimersByTime(1)
  await expect.poll(() => findConnectError(emulator), WAIT_FOR_OPTIONS).toBeUndefined()
})

test('closes without delay during a refusal, and does not listen again', async () => {
  const clock = createVirtualClock()
  clock.run()
  const emulator = await startEmulator({ clock, latency: LATENCY, answerTokens: 2, drainLimitMs: 2 ** 31 - 1 })
  const stream = await sendChat(emulator, { stream: true })
  await refuse(emulator, 50)
  const closed = emulator.close()
  clock.advance(1000)
  expect(await stream.text()).toMatch(/\[DONE\]\n\n$/)
  await closed // If closing waits for the connection of the stream, the test times out.
  await vi.advanceTimersByTimeAsync(50)
  expect(await findConnectError(emulator)).toBe('ECONNREFUSED')
})

test('starts no refusal while the emulator closes', async () => {
  const emulator = await startEmulator({ faults: ['loseAt=connection,refuseMs=1'] })
  const socket = connect(emulator.port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(formatModelsRequest(emulator))
  const received = text(socket).catch(() => '')
  await emulator.close()
  await received
  await vi.advanceTimersByTimeAsync(1)
  expect(await findConnectError(emulator)).toBe('ECONNREFUSED')
})

test('listens again when another process no longer uses its port', async () => {
  await using emulator = await startEmulator()
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await refuse(emulator, 50)
  const other = await startEmulator({ port: emulator.port })
  vi.advanceTimersByTime(50)
  await expect
    .poll(() => stderr.mock.calls.join(''), WAIT_FOR_OPTIONS)
    .toContain(`cannot listen again on port ${emulator.port} (EADDRINUSE)`)
  await vi.advanceTimersByTimeAsync(200) // Two further attempts.
  expect(stderr.mock.calls).toHaveLength(1)
  stderr.mockRestore()
  await other.close()
  await vi.advanceTimersByTimeAsync(100)
  const isOwn = () =>
    sendChat(emulator).then(
      ({ status }) => status,
      () => undefined,
    )
  await expect.poll(isOwn, WAIT_FOR_OPTIONS).toBe(200)
  expect(emulator.requests()).toHaveLength(2)
})
