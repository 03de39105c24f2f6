import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'

const REQUEST_BODY = '{"model": "o3-mini", "messages": [{"role": "user", "content": "Go."}]}'

test.each([
  'drop=true',
  'cutAfterBytes=20',
  'cutAfterBytes=20,reset',
  'loseAt=connection,refuseMs=1',
  'loseAt=in-head',
  'loseAt=in-head,reset',
  'loseAt=in-body',
  'loseAt=after-charge',
])('completes the earlier response before a fault closes the connection (%s)', async (fault) => {
  await using emulator = await startEmulator({ answerTokens: 3, allowFaultHeader: true })
  const requestWith = (field: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${emulator.keys.funded}\r\n${field}content-length: ${REQUEST_BODY.length}\r\n\r\n${REQUEST_BODY}`
  const client = connect(emulator.port, '127.0.0.1')
  client.write(requestWith('') + requestWith(`x-touchstone-fault: ${fault}\r\n`))
  // If the server keeps the connection open, this read hangs until the request timeout.
  const received = await text(client).catch((error: NodeJS.ErrnoException) => error.code)
  expect(received).toMatch(
    fault.includes('reset') || fault.includes('connection')
      ? /^ECONNRESET$|"total_tokens"/
      : /^HTTP\/1\.1 200 OK[^]*"total_tokens":\d+\}\}/,
  )
})

test('sends the response to an unknown image before the error for the invalid bytes after it', async () => {
  await using emulator = await startEmulator()
  const client = connect(emulator.port, '127.0.0.1')
  const fields = `host: x\r\nauthorization: Bearer ${emulator.keys.funded}\r\ncontent-length: 3\r\n`
  client.write(`GET /v1/images/a.png HTTP/1.1\r\n${fields}\r\nabcnonsense\r\n\r\n`)
  expect((await text(client)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 400'])
})
