import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { FastResponseWriter } from './response-writer.ts'

test('sends all writes of one event loop turn in one packet', async () => {
  const writes: string[] = []
  const socket = new Duplex({
    read: () => undefined,
    writev: (chunks, done) => {
      writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)).toString())
      done()
    },
  }) as unknown as Socket // The writer uses only these members of a socket.
  const writer = new FastResponseWriter(
    socket,
    () => 5,
    () => undefined,
  )
  writer.start(200, {})
  for (const byte of Buffer.from('data: é\n\n')) writer.write(Buffer.of(byte))
  writer.end()
  await new Promise((resolve) => setImmediate(resolve))
  expect(writes).toHaveLength(1)
  expect(writes[0]).toMatch(/\r\n\r\n1\r\nd\r\n1\r\na\r\n[^]*\r\n0\r\n\r\n$/)
})
