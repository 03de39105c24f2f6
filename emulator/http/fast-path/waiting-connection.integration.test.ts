import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { STANDARD_ACCOUNT_KEYS } from '../../state/accounts.ts'
import { startTestServer, WAIT_FOR_OPTIONS } from '../../tests/support/servers.ts'
import type { ResponseWriter } from '../../core/response-writer.ts'
import { installFastPath } from './connection.ts'

/** Request timeout of the tested server. The default is two minutes. */
const ARRIVAL_LIMIT_MS = 100

const MODELS = `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${STANDARD_ACCOUNT_KEYS.funded}\r\n\r\n`

test('sends the same timeout response to a client that sends nothing and to one that sends half a request', async () => {
  await using served = await startTestServer({}, ARRIVAL_LIMIT_MS)
  const responses = ['', 'GET /v1/mod'].map((sent) => {
    const client = connect(served.port, '127.0.0.1')
    client.write(sent)
    return text(client)
  })
  const [nothing = '', half] = await Promise.all(responses)
  expect(nothing).toMatch(/^HTTP\/1\.1 400 /)
  expect(nothing).toBe(half)
})

test.each([0, 30])(
  'does not process a request of which %i bytes arrived before the connection timed out',
  async (early) => {
    await using served = await startTestServer({}, ARRIVAL_LIMIT_MS)
    const client = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true })
    client.write(MODELS.slice(0, early))
    expect(await text(client)).toMatch(/^HTTP\/1\.1 400 /)
    client.write(MODELS.slice(early))
    await expect.poll(() => served.sockets[0]?.bytesRead, WAIT_FOR_OPTIONS).toBe(MODELS.length)
    client.destroy()
    // On a busy machine, the connection of `fetch` can time out too.
    const status = () => fetch(`http://127.0.0.1:${served.port}/v1/models`).then((response) => response.status)
    await expect.poll(status, WAIT_FOR_OPTIONS).toBe(401)
    expect(served.instance.load.received).toBe(1)
  },
)

/** Starts a server with the shortest possible keep-alive timeout. The test decides when responses are sent. */
async function listenShortly() {
  const server = createServer({ keepAliveTimeout: 1 })
  const writers: ResponseWriter[] = []
  const arrivals: number[] = []
  let nowMs = 0
  const plain = installFastPath(server, new Set(['/v1/models']), {
    arrivedMs: () => (nowMs += 1),
    handleFastRequest: (_request, writer, _socket, arrivedAtMs) => {
      writers.push(writer)
      arrivals.push(arrivedAtMs)
    },
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // The address is a string only if the server listens on a pipe.
  /** Sends a request and waits until the server has received it. */
  const ask = async (client: Socket) => {
    const before = writers.length
    client.write(MODELS)
    await expect.poll(() => writers.length, WAIT_FOR_OPTIONS).toBe(before + 1)
    return writers[before]
  }
  return { server, port, plain, writers, arrivals, ask }
}

function respond(writer: ResponseWriter | undefined, body: string): void {
  writer?.start(200, { 'content-length': String(body.length) })
  writer?.end(body)
}

test('closes an idle keep-alive connection, but not one with a response in progress', async () => {
  const { server, port, ask } = await listenShortly()
  const [busy, idle] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  const received = text(busy)
  respond(await ask(busy), 'first')
  const waiting = await ask(busy)
  respond(await ask(idle), 'first')
  await once(idle.resume(), 'close') // This connection closes first, because it has been idle for longer.
  respond(waiting, 'second')
  // By the time the other connection closes, the keep-alive timeout has passed.
  expect((await received).match(/first|second/g)).toEqual(['first', 'second'])
  server.close()
})

test('sends the keep-alive timeout, and connection: close while the server closes', async () => {
  const { server, port, ask, writers, plain } = await listenShortly()
  const client = connect(port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  const output = text(client)
  respond(await ask(client), 'first')
  const second = await ask(client)
  client.write(MODELS)
  await expect.poll(() => socket.bytesRead, WAIT_FOR_OPTIONS).toBe(3 * MODELS.length)
  server.close()
  plain.closeIdleConnections() // The second connection is still open.
  respond(second, 'second')
  respond(writers[2], 'third')
  const reported = (await output).match(/^(?:connection|keep-alive): .*|first|second|third/gim)
  const keepAlive = 'Connection: keep-alive, Keep-Alive: timeout=0'
  expect(reported?.join(', ')).toBe(`${keepAlive}, first, ${keepAlive}, second, connection: close, third`)
})

test('measures the latency of a queued request from its arrival', async () => {
  const { server, port, ask, writers, arrivals } = await listenShortly()
  const [first, second] = [connect(port, '127.0.0.1').resume(), connect(port, '127.0.0.1').resume()]
  const [socket] = (await once(server, 'connection')) as [Socket]
  const early = await ask(first)
  first.write(MODELS)
  await expect.poll(() => socket.bytesRead, WAIT_FOR_OPTIONS).toBe(2 * MODELS.length)
  respond(await ask(second), 'later')
  respond(early, 'first')
  await expect.poll(() => writers.length, WAIT_FOR_OPTIONS).toBe(3)
  expect(arrivals).toEqual([1, 3, 2])
  for (const writer of writers) writer.abort()
  server.close()
})
