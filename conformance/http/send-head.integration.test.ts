import { expect, test } from 'vitest'
import { createHttpOptions } from '../testing/http-options.ts'
import { serveTcp } from '../../common/testing/local-server.ts'
import { sendRequest } from './send-request.ts'
import type { RequestSpec } from './exchange.ts'

const SPEC: RequestSpec = { method: 'HEAD', path: '/v1/models?a=b', headers: { authorization: 'Bearer x' } }
const HEAD = 'HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 2\r\n\r\n'

async function readResponse(...parts: readonly string[]) {
  let received = ''
  await using server = await serveTcp((socket) =>
    socket.once('data', (data) => {
      received = data.toString('latin1')
      for (const part of parts) socket.write(part)
    }),
  )
  return { exchange: await sendRequest(SPEC, createHttpOptions(server.url)), received }
}

test('returns a response to HEAD without a body, although Content-Length states one and the connection stays open', async () => {
  const { exchange, received } = await readResponse(HEAD)
  expect(received).toMatch(/^HEAD \/v1\/models\?a=b HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/)
  expect(received).toContain('\r\nauthorization: Bearer x\r\nconnection: close\r\n\r\n')
  expect(exchange).toMatchObject({ status: 405, text: '' })
  expect(exchange.error).toBeUndefined()
})

test('returns the body that a target sends in a response to HEAD', async () => {
  for (const parts of [[`${HEAD}{}`], [HEAD, '{}']]) {
    const { exchange } = await readResponse(...parts)
    expect(exchange).toMatchObject({ status: 405, text: '{}' })
    expect(exchange.error).toBeUndefined()
  }
})
