import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'

const BODY_BYTES = 4_000_000
const HEAD = [
  'POST /v1/audio/transcriptions HTTP/1.1',
  'host: x',
  'authorization: Bearer sk-svc-nobody',
  'content-type: multipart/form-data; boundary=b',
  `content-length: ${BODY_BYTES}`,
  'connection: close',
].join('\r\n')

test('closes a connection only after the rest of a rejected upload', async () => {
  await using emulator = await startEmulator()
  const client = connect(emulator.port, '127.0.0.1').setEncoding('latin1')
  let received = ''
  client.on('data', (text: string) => (received += text))
  client.write(`${HEAD}\r\n\r\n`)
  client.on('error', () => undefined) // The write below rejects with the error.
  await once(client, 'data')

  const pieceBytes = 40_000
  for (let sentBytes = 0; sentBytes < BODY_BYTES; sentBytes += pieceBytes) {
    await new Promise<void>((resolve, reject) => {
      client.write(Buffer.alloc(pieceBytes), (error) => (error ? reject(error) : resolve()))
    })
  }
  await once(client, 'end')

  expect(received).toMatch(/^HTTP\/1\.1 401 /)
  expect(received).toContain('"error"')
})
