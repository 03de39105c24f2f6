import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
import type { StreamResponse } from './response.ts'
import { createVirtualClock } from '../state/clock.ts'
import { Scheduler } from '../state/scheduler.ts'
import { NodeResponseWriter } from '../http/node-response-writer.ts'
import { writeStream } from './write-stream.ts'

const ended: number[] = []
beforeEach(() => void ended.splice(0))

/**
 * Sends a stream once through a real socket.
 * @returns the bytes that the client received, and the data that the server recorded
 */
async function streamed(
  reply: Partial<StreamResponse>,
  advances: readonly number[] = [30],
  settle: (framesSent: number) => void = (framesSent) => ended.push(framesSent),
) {
  const whole: StreamResponse = {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    operation: 'chat',
    frameCount: 4,
    contentStart: 0,
    contentEnd: 4,
    bytesPerWrite: 'event',
    frame: (index) => `data: ${index}\n\n`,
    getFrameDueMs: (index) => index * 10,
    usedTokensAfter: () => 0,
    reasoningTokensAfter: () => 0,
    ...reply,
  }
  const clock = createVirtualClock()
  const served = Promise.withResolvers<unknown>()
  const server = createServer((_request, response) => {
    const pacing = { clock, scheduler: new Scheduler(clock), arrivedAtMs: clock.nowMs() }
    writeStream(new NodeResponseWriter(response), whole, pacing, settle).then(served.resolve, served.resolve)
    for (const ms of advances) clock.advance(ms)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // The address is a string only if the server listens on a pipe.
  const text = await fetch(`http://127.0.0.1:${port}`)
    .then((response) => response.text())
    .catch((error: unknown) => error)
  const outcome = await served.promise
  server.close()
  return { text, outcome }
}

test('sends all frames of a stream and ends it once', async () => {
  const { text } = await streamed({})
  expect(text).toBe('data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\n')
  expect(ended).toEqual([4])
})

test('settles the sent frames and closes the connection if a frame cannot be generated', async () => {
  const broken = new Error('no such frame')
  const frame = (index: number) => {
    if (index === 2) throw broken
    return `data: ${index}\n\n`
  }
  const { text, outcome } = await streamed({ frame })
  expect(text).toBeInstanceOf(TypeError)
  expect(outcome).toBe(broken)
  expect(ended).toEqual([2])
})

test('closes the connection even if the bill cannot be settled', async () => {
  const broken = new Error('no such hold')
  const { text, outcome } = await streamed({}, [30], () => {
    throw broken
  })
  expect(text).toBeInstanceOf(TypeError)
  expect(outcome).toBe(broken)
})

test('does not end a stream at an empty frame', async () => {
  const { text } = await streamed({ frame: (index) => (index === 2 ? '' : `data: ${index}\n\n`) }, [10, 10, 10])
  expect(text).toBe('data: 0\n\ndata: 1\n\ndata: 3\n\n')
})
