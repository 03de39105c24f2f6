import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { sendChat, sendRawRequest } from './support/requests.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../state/latency.ts'

const KEY = 'authorization: Bearer sk-svc-touchstone-funded\r\n'
const AUTH = `${KEY}host: x\r\nconnection: close\r\n`
const CHAT = '{"model":"o3-mini","messages":[{"role":"user","content":"hi"}]}'

/** Requests that Node or Fastify would reject or ignore by itself, with the expected status. */
const ODD_REQUESTS: readonly [name: string, request: string, status: number][] = [
  ['bytes that are not HTTP', 'good morning\r\n\r\n', 400],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['header fields of 100 KB (431)', `GET /v1/models HTTP/1.1\r\n${AUTH}x: ${'y'.repeat(100_000)}\r\n\r\n`, 400],
  ['an unknown expectation (417)', `GET /v1/models HTTP/1.1\r\n${AUTH}expect: 200-maybe\r\n\r\n`, 400],
  [
    'a missing Host header',
    'GET /v1/models HTTP/1.1\r\nauthorization: Bearer sk-svc-touchstone-funded\r\nconnection: close\r\n\r\n',
    200,
  ],
  [
    'a Content-Length above the body limit (413)',
    `POST /v1/chat/completions HTTP/1.1\r\n${AUTH}content-length: 99999999999\r\n\r\n`,
    400,
  ],
  ['an unknown media type (415)', post('content-type: text/weird\r\n', CHAT), 200],
  ['an Accept header without a served type (406)', post('accept: image/nothing\r\n', CHAT), 200],
  ['CONNECT', `CONNECT example:443 HTTP/1.1\r\n${AUTH}\r\n`, 404],
  ['a method that Fastify does not know', `PURGE /v1/models HTTP/1.1\r\n${AUTH}\r\n`, 404],
  ['a wrong method', `DELETE /v1/models HTTP/1.1\r\n${AUTH}\r\n`, 404],
  ['OPTIONS', `OPTIONS /v1/models HTTP/1.1\r\n${AUTH}\r\n`, 404],
  ['a path with invalid percent-encoding', `GET /v1/%zz HTTP/1.1\r\n${AUTH}\r\n`, 404],
  ['an absolute target', `GET http://x/v1/models HTTP/1.1\r\n${AUTH}\r\n`, 200],
  ['a query', `GET /v1/models?limit=3 HTTP/1.1\r\n${AUTH}\r\n`, 200],
  ['a trailing slash', `GET /v1/models/ HTTP/1.1\r\n${AUTH}\r\n`, 404],
  ['an upgrade', `GET /v1/models HTTP/1.1\r\n${AUTH}upgrade: websocket\r\n\r\n`, 200],
  [
    'the URL of an image that was never generated',
    `GET /v1/images/8x8-0000000000000000-000000000000.png HTTP/1.1\r\n${AUTH}\r\n`,
    404,
  ],
  ['an image path without a key', 'GET /v1/images/generations HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 401],
  ['a very long image name (414)', `GET /v1/images/${'a'.repeat(5000)} HTTP/1.1\r\n${AUTH}\r\n`, 404],
]

function post(fields: string, body: string): string {
  return `POST /v1/chat/completions HTTP/1.1\r\n${AUTH}${fields}content-length: ${body.length}\r\n\r\n${body}`
}

test.each(ODD_REQUESTS)('responds to %s with a status of the specification', async (_name, request, status) => {
  await using emulator = await startEmulator()
  const respond = await sendRawRequest(emulator, request)
  expect(respond.status).toBe(status)
  expect(respond.body).toMatch(status === 200 ? /"object":/ : /^\{"error":\{"message":"[^"]/)
})

test.each([
  ['streams', true],
  ['non-streaming responses', false],
])('sends the error for an invalid request after earlier %s', async (_name, stream) => {
  const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(20), itl: createFixedDelay(20) } }
  await using emulator = await startEmulator({ latency, answerTokens: 5 })
  const body = JSON.stringify({ ...JSON.parse(CHAT), stream })
  const right = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${KEY}content-length: ${body.length}\r\n\r\n${body}`
  const socket = connect(emulator.port, '127.0.0.1')
  socket.write(`${right}${right}good morning\r\n\r\n`)
  const results = (await text(socket)).split(/HTTP\/1\.1 (?=\d)/).slice(1)
  expect(results.map((result) => result.slice(0, 3))).toEqual(['200', '200', '400'])
  for (const result of results.slice(0, 2)) expect(result).toMatch(stream ? /\[DONE\]\n\n\r\n0\r\n\r\n$/ : /\}$/)
})

test('sends one complete response to a pipelined request that waits for 100 Continue', async () => {
  const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(20), itl: createFixedDelay(0) } }
  await using emulator = await startEmulator({ latency })
  const speech = '{"model":"o3-mini","input":"hi"}'
  const fields = `${AUTH}expect: 100-continue\r\ncontent-length: ${speech.length}\r\n`
  const socket = connect(emulator.port, '127.0.0.1')
  socket.write(post('', CHAT).replace('connection: close\r\n', ''))
  socket.write(`POST /v1/audio/speech HTTP/1.1\r\n${fields}\r\n${speech}`)
  const received = await buffer(socket)
  const head = received.lastIndexOf('HTTP/1.1 200')
  const body = received.subarray(received.indexOf('\r\n\r\n', head) + 4)
  expect(String(body.subarray(0, 3))).toBe('ID3')
  expect(received.subarray(head).toString('latin1')).toContain(`\r\ncontent-length: ${body.length}\r\n`)
})

test.each([
  ['is truncated', 'content-length: 100', '{'],
  ['is malformed', 'transfer-encoding: chunked', 'no length'],
])('sends one error response before the body, even if the body %s', async (_name, field, body) => {
  await using emulator = await startEmulator()
  const socket = connect(emulator.port, '127.0.0.1')
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${field}\r\n\r\n`)
  const [first] = await once(socket, 'data')
  socket.end(body)
  expect((String(first) + (await text(socket))).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
})

test('rejects CONNECT after earlier responses, and survives a disconnect of its client', async () => {
  const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(20), itl: createFixedDelay(0) } }
  await using emulator = await startEmulator({ latency })
  const tunnel = `CONNECT example:443 HTTP/1.1\r\n${AUTH}\r\n`
  const socket = connect(emulator.port, '127.0.0.1')
  socket.write(post('', CHAT).replace('connection: close\r\n', '') + tunnel)
  const received = String(await buffer(socket))
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404'])
  const abruptClient = connect(emulator.port, '127.0.0.1')
  abruptClient.write(tunnel)
  await once(abruptClient, 'data')
  abruptClient.resetAndDestroy() // An `error` event without a listener ends the process.
  await once(abruptClient, 'close')
  expect((await sendChat(emulator)).status).toBe(200)
})

test('responds to an unexpected exception with a 500 without internals, without a charge or a hold', async () => {
  const broken = {
    ...createVirtualClock(),
    unixSeconds: () => {
      throw new Error('secret detail')
    },
  }
  await using emulator = await startEmulator({ clock: broken })
  const response = await sendChat(emulator)
  const body = await response.text()
  expect(response.status).toBe(500)
  expect(JSON.parse(body)).toMatchObject({ error: { type: 'server_error' } })
  expect(body).not.toMatch(/secret|\.ts/)
  expect(emulator.balance(emulator.keys.funded)).toMatchObject({ chargedUnits: 0, heldUnits: 0 })
})

test('sends Retry-After to a rate-limited account and accepts its retry after that time', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ clock })
  const { limited } = emulator.keys
  const responses = await Promise.all(Array.from({ length: 20 }, () => sendChat(emulator, {}, { key: limited })))
  const rejected = responses.filter((response) => response.status === 429)
  expect(responses.filter((response) => response.status === 200)).toHaveLength(5)
  expect(rejected.map((response) => response.headers.get('retry-after'))).toEqual(Array(15).fill('1'))
  expect((await sendChat(emulator)).status).toBe(200) // The limit does not affect other API keys.
  clock.advance(1000)
  expect((await sendChat(emulator, {}, { key: limited })).status).toBe(200)
})

test('finishes responses in progress before the server closes', async () => {
  const emulator: Emulator = await startEmulator({ answerTokens: 'fill' })
  // The client has received the header fields, but not the body.
  const response = await sendChat(emulator, { stream: true, max_tokens: 100_000 })
  const closed = emulator.close()
  expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
  await closed
  await expect(fetch(emulator.url)).rejects.toThrow('fetch failed')
})
