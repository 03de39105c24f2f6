import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { serveTcp } from '../../common/testing/local-server.ts'
import { describeFinding } from '../findings/finding.ts'
import { isEmulator } from './emulator-client.ts'
import { inspectTarget } from './preflight.ts'

const INTERIM = 'HTTP/1.1 102 Processing\r\n\r\n'

test.each<[string, string, (socket: Socket) => void]>([
  [
    'a header section without an end',
    'header overflow',
    (socket) => writeForever(socket, 'HTTP/1.1 200 OK\r\n', 'a: b\r\n'),
  ],
  [
    'an invalid chunk size',
    'invalid chunk size',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-6\r\nabcdef\r\n0\r\n\r\n'),
  ],
  [
    'two lengths',
    'unexpected content length',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde'),
  ],
  ['text that is not HTTP', 'invalid constant', (socket) => socket.end('SSH-2.0-x\r\n')],
  [
    'interim responses without an end',
    'more than 100 interim responses',
    (socket) => writeForever(socket, '', INTERIM),
  ],
  ['nothing, and closes the connection', 'the connection closed without a response', (socket) => socket.end()],
])('does not advise to start a service that sends %s', async (_, reason, respond) => {
  await using server = await serveTcp((socket) => socket.once('data', () => respond(socket)))
  const { problem } = await inspectTarget(server.url, {})
  expect(problem === undefined ? undefined : describeFinding(problem, (option) => `<${option}>`)).toBe(
    `Cannot use ${server.url}: the server did not respond in HTTP (${reason}). Check the scheme, http or https, and the port.`,
  )
})

test('the search for an emulator ends after too many interim responses', async () => {
  await using server = await serveTcp((socket) => socket.once('data', () => socket.write(INTERIM.repeat(101))))
  expect(await isEmulator(server.url, new AbortController().signal, 2 ** 30)).toBe(false)
})

/** Writes until the client closes the connection. */
function writeForever(socket: Socket, head: string, piece: string): void {
  const block = piece.repeat(500)
  const write = (): void => {
    if (!socket.destroyed) socket.write(block, () => setImmediate(write))
  }
  socket.write(head)
  write()
}
