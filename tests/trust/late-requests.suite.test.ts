import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createInstance } from '../../emulator/instance.ts'
import { createServer } from '../../emulator/http/create-server.ts'

/** Maximum time for a request to arrive, instead of the default of two minutes. */
const ARRIVAL_LIMIT_MS = 100

const HEAD = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-svc-touchstone-funded\r\n'

test.each([
  ['nothing at all', ''],
  ['half a request line', 'POST /v1/ch'],
  ['half of the header fields', HEAD],
  ['no body', `${HEAD}content-length: 100\r\n\r\n`],
  ['half of the body', `${HEAD}content-length: 100\r\n\r\n{"model":`],
  ['half of a chunk', `${HEAD}transfer-encoding: chunked\r\n\r\n20\r\n{"model":`],
])('rejects a client that sends %s and then waits with 400, and closes its connection', async (_name, sent) => {
  const instance = createInstance({})
  const server = createServer(instance, { requestTimeoutMs: ARRIVAL_LIMIT_MS })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(sent)
  const response = await text(socket) // `text()` resolves when the emulator closes the connection.
  expect(response.split('HTTP/1.1 ').slice(1)).toEqual([
    expect.stringMatching(/^400 .*The request did not arrive in time/s),
  ])
  await expect.poll(() => instance.load.inFlight).toBe(0)
  expect(instance.accounts.findByKey('sk-svc-touchstone-funded')?.ledger.balance().heldUnits).toBe(0)
  await server.close()
})
