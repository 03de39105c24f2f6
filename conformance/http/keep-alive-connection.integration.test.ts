import { expect, test } from 'vitest'
import type { RequestSpec } from './exchange.ts'
import { serveHttp } from '../../common/testing/local-server.ts'
import { createHttpOptions } from '../testing/http-options.ts'
import { createKeepAliveConnection } from './keep-alive-connection.ts'
import { sendRequest } from './send-request.ts'

const GET: RequestSpec = { method: 'GET', path: '/', headers: {} }

test('sends two requests on one connection and marks the second as reused', async () => {
  const ports: (number | undefined)[] = []
  await using server = await serveHttp((request, response) => {
    ports.push(request.socket.remotePort)
    response.end('{}')
  })
  const connection = createKeepAliveConnection()
  const options = createHttpOptions(server.url, { connection })
  const exchanges = [await sendRequest(GET, options), await sendRequest(GET, options)]
  connection.close()
  expect(exchanges.map(({ status, reusedConnection }) => [status, reusedConnection])).toEqual([
    [200, undefined],
    [200, true],
  ])
  expect(new Set(ports).size).toBe(1)
})

test('opens a new connection if the target closed the previous one', async () => {
  await using server = await serveHttp((_request, response) => response.setHeader('connection', 'close').end('{}'))
  const connection = createKeepAliveConnection()
  const options = createHttpOptions(server.url, { connection })
  const exchanges = [await sendRequest(GET, options), await sendRequest(GET, options)]
  connection.close()
  expect(exchanges.map(({ status, reusedConnection }) => [status, reusedConnection])).toEqual([
    [200, undefined],
    [200, undefined],
  ])
})

test('does not reuse a connection after a truncated response', async () => {
  await using server = await serveHttp((request, response) => {
    if (request.method === 'GET') return response.writeHead(200, { 'content-length': 10 }).write('short')
    return response.end('{}')
  })
  const connection = createKeepAliveConnection()
  const options = createHttpOptions(server.url, { connection, timeoutMs: 100 })
  const cut = await sendRequest(GET, options)
  const next = await sendRequest({ ...GET, method: 'POST' }, { ...options, timeoutMs: 20_000 })
  connection.close()
  expect([cut.error?.kind, next.status, next.reusedConnection]).toEqual(['timeout', 200, undefined])
})

test('aborts a stream after the requested number of events, without an error', async () => {
  let onDisconnect: () => void
  const disconnected = new Promise<void>((resolve) => {
    onDisconnect = resolve
  })
  await using server = await serveHttp((_request, response) => {
    response.on('close', () => onDisconnect())
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n: a comment\n\n')
    setTimeout(() => response.write('data: 2\n\n'), 10)
  })
  const exchange = await sendRequest(GET, createHttpOptions(server.url, { abortWhen: (events) => events.length >= 2 }))
  expect([exchange.error, exchange.wasAborted]).toEqual([undefined, true])
  expect(exchange.events.map(({ data }) => data)).toEqual(['1', '2'])
  await disconnected
})
