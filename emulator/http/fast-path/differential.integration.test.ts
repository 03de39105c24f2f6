import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { LossPlace } from '../../scripting/faults/fault-rule.ts'
import type { InstanceOptions } from '../../options/emulator-options.ts'
import { STANDARD_ACCOUNT_KEYS } from '../../state/accounts.ts'
import { createVirtualClock } from '../../state/clock.ts'
import { startTestServer, WAIT_FOR_OPTIONS } from '../../tests/support/servers.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../../state/latency.ts'

/**
 * Ways to split a request into writes. Each write waits until the server has read the previous one. The fast path
 * handles only the first way; Node handles all others.
 */
const WAYS: readonly ((request: string) => readonly string[])[] = [
  (request) => [request],
  (request) => [`\r\n${request}`],
  (request) => [request.slice(0, -1), request.slice(-1)],
  (request) => [request.replace('\r\n', '\r\nte: trailers\r\n')],
]

const MODEL = 'vendora-v4-flash'
const ITL_MS = 10

function requestOf(line: string, body: object | string = '', key: string = STANDARD_ACCOUNT_KEYS.funded): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const fields = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`
  return `${line} HTTP/1.1\r\n${fields}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

const ask = (fields: object = {}, key?: string) =>
  requestOf('POST /v1/chat/completions', { model: MODEL, messages: [{ role: 'user', content: 'Go.' }], ...fields }, key)

const CHAT = ask()
const STREAM = ask({ stream: true, stream_options: { include_usage: true } })
const MODELS = requestOf('GET /v1/models')
const IMAGE = requestOf('POST /v1/images/generations', { model: MODEL, prompt: 'A boat.', size: '64x64' })
const SPEECH = requestOf('POST /v1/audio/speech', { model: MODEL, input: 'The rain has stopped.' })
const PACED = {
  latency: { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(ITL_MS), itl: createFixedDelay(ITL_MS) } },
}
const ONE_A_MINUTE = { limitedRate: { requestsPerMinute: 1 } }
const REAL_TEXT = 'Grüße, 世界! 🌍 – ça va?'

interface Setup extends InstanceOptions {
  /** If true, the emulator closes during the last response. */
  readonly isClosing?: boolean
}

const textOf = (received: readonly Buffer[]) => Buffer.concat(received).toString('latin1')
const announcesClose = (text: string) => /^connection: .*close\r$/im.test(text)
const failWith = (headers: Record<string, string>): Setup => ({ faults: [{ status: 503, headers }] })
const loseAt = (place: LossPlace): Setup => ({ ...PACED, faults: [{ loseAt: place }] })
const respondWith = (headers: Record<string, string>): Setup => ({ fixtures: [{ text: 'x', headers }] })

/**
 * Sends requests one after another over one connection.
 * @returns all received bytes, how the connection closed, and the request log
 */
async function exchange(way: (request: string) => readonly string[], requests: readonly string[], setup: Setup) {
  const { isClosing = false, ...options } = setup
  const clock = createVirtualClock()
  await using served = await startTestServer({
    answerTokens: 9,
    requestLog: { bodies: 10_000, digests: 1 },
    ...options,
    clock,
  })
  const { instance, port, sockets } = served
  const client = connect(port, '127.0.0.1')
  const closed = new Promise((resolve) => client.once('close', resolve))
  const arrived: Buffer[] = []
  let end = 'ended'
  client.on('data', (bytes) => arrived.push(bytes))
  client.on('error', ({ code }: NodeJS.ErrnoException) => (end = String(code)))
  await once(client, 'connect')
  let sent = 0
  for (const [index, request] of requests.entries()) {
    for (const piece of way(request)) {
      sent += Buffer.byteLength(piece)
      client.write(piece)
      await expect.poll(() => sockets[0]?.bytesRead, WAIT_FOR_OPTIONS).toBe(sent)
    }
    await expect.poll(() => instance.load.received, WAIT_FOR_OPTIONS).toBe(index + 1)
    if (isClosing && index === requests.length - 1) {
      void served.close()
      await expect.poll(() => served.server.listening, WAIT_FOR_OPTIONS).toBe(false)
    }
    for (; instance.load.inFlight > 0; await setImmediate()) clock.advance(ITL_MS / 2)
  }
  await expect.poll(() => client.bytesRead, WAIT_FOR_OPTIONS).toBe(sockets[0]?.bytesWritten)
  // The emulator closes the connection itself if the response has `connection: close`.
  if (!announcesClose(textOf(arrived))) client.end()
  await closed
  const { entries } = instance.observer.requestLog.read({ after: 0, limit: 10, fromEnd: false })
  return {
    responses: textOf(arrived).replaceAll(/^Date: \w{3}, .* GMT\r\n/gm, 'Date: (now)\r\n'),
    end,
    // Only the last way sends the header `te`.
    written: entries.map((entry) => ({
      ...entry,
      time: '(now)',
      requestHeaders: { ...entry.requestHeaders, te: undefined },
    })),
    charged: Object.values(STANDARD_ACCOUNT_KEYS).map((key) => instance.accounts.findByKey(key)?.ledger.balance()),
    byNode: served.requestsByNode(),
  }
}

test.each<[name: string, status: number, requests: readonly string[], setup?: Setup]>([
  ['the list of models', 200, [MODELS]],
  ['a chat completion', 200, [CHAT]],
  ['a stream', 200, [STREAM]],
  ['a paced stream', 200, [STREAM], PACED],
  ['a stream of 2000 tokens without pauses', 200, [STREAM], { answerTokens: 2000 }],
  ['a chat completion beyond ASCII', 200, [CHAT], { fixtures: [{ text: REAL_TEXT }] }],
  ['a stream beyond ASCII', 200, [STREAM], { fixtures: [{ text: REAL_TEXT }] }],
  ['a paced stream beyond ASCII', 200, [STREAM], { ...PACED, fixtures: [{ text: REAL_TEXT }] }],
  ['a stream written byte by byte', 200, [STREAM], { ...PACED, options: { 'bytes-per-write': 'one' } }],
  ['a prompt beyond ASCII', 200, [ask({ messages: [{ role: 'user', content: REAL_TEXT }] })]],
  ['an image URL', 200, [IMAGE]],
  ['speech', 200, [SPEECH]],
  ['several requests on one connection', 200, [CHAT, STREAM, MODELS, SPEECH, CHAT, STREAM]],
  ['invalid JSON', 400, [requestOf('POST /v1/chat/completions', '{')]],
  ['a missing body', 400, [requestOf('POST /v1/chat/completions')]],
  ['an invalid parameter', 400, [ask({ temperature: 3 })]],
  ['a missing key', 401, [CHAT.replace('authorization', 'x-other')]],
  ['an unknown key', 401, [ask({}, 'sk-svc-wrong')]],
  ['an account without credits', 402, [ask({}, STANDARD_ACCOUNT_KEYS.noCredits)]],
  ['an unknown model', 404, [ask({ model: 'no-such-model' })]],
  ['a wrong method', 404, [requestOf('GET /v1/chat/completions')]],
  ['a wrong method with wrong-method=405', 405, [requestOf('POST /v1/models')], { options: { 'wrong-method': '405' } }],
  [
    'an exceeded rate limit',
    429,
    [ask({}, STANDARD_ACCOUNT_KEYS.limited), ask({}, STANDARD_ACCOUNT_KEYS.limited)],
    ONE_A_MINUTE,
  ],
  ['an injected 204', 204, [CHAT], { faults: [{ status: 204 }] }],
  ['an injected 204 with a body', 204, [CHAT], { faults: [{ status: 204, body: 'x' }] }],
  ['an injected status without a standard reason phrase', 299, [CHAT], { faults: [{ status: 299, body: 'é' }] }],
  ['an injected status with headers', 503, [CHAT], failWith({ 'x-a': 'b', 'retry-after': '7' })],
  ['an injected Connection: close', 503, [CHAT], failWith({ connection: 'close' })],
  ['an injected Connection with several values', 503, [CHAT], failWith({ Connection: 'x, Close' })],
  ['an injected Connection: keep-alive', 503, [CHAT], failWith({ connection: 'keep-alive' })],
  ['an injected Keep-Alive', 503, [CHAT], failWith({ 'keep-alive': 'timeout=3' })],
  ['an injected Date', 503, [CHAT], failWith({ date: 'today' })],
  ['an injected, incorrect Content-Length', 503, [CHAT], failWith({ 'content-length': '3' })],
  ['an injected Transfer-Encoding: chunked', 503, [CHAT], failWith({ 'transfer-encoding': 'chunked' })],
  ['an injected Transfer-Encoding: identity', 503, [CHAT], failWith({ 'transfer-encoding': 'identity' })],
  ['an injected header value beyond ASCII', 503, [CHAT], failWith({ 'x-a': 'ä' })],
  ['a scripted stream with Content-Length', 200, [STREAM], respondWith({ 'content-length': '30' })],
  ['an injected 304', 304, [CHAT], { faults: [{ status: 304 }] }],
  ['a delayed response', 200, [CHAT], { faults: [{ delayMs: 100 }] }],
  ['an error event in a stream', 200, [STREAM], { faults: [{ errorAfterEvents: 2 }] }],
  ['a truncated stream', 200, [STREAM], { faults: [{ cutAfterEvents: 2 }] }],
  ['a truncated completion', 200, [CHAT], { faults: [{ cutAfterBytes: 40 }] }],
  ['a stream truncated after its header section', 200, [STREAM], { faults: [{ cutAfterEvents: 0 }] }],
  ['a connection closed without a response', 0, [CHAT], { faults: [{ drop: true }] }],
  ['a connection reset', 0, [CHAT], { faults: [{ reset: true }] }],
  ['a completion lost at its connection', 0, [CHAT], loseAt('connection')],
  ['a completion lost in its head', 200, [CHAT], loseAt('in-head')],
  [
    'a completion of a limited account lost in its head',
    200,
    [ask({}, STANDARD_ACCOUNT_KEYS.limited)],
    loseAt('in-head'),
  ],
  ['a completion lost in its body', 200, [CHAT], loseAt('in-body')],
  ['a completion lost after its charge', 0, [CHAT], loseAt('after-charge')],
  ['a stream lost in its head', 200, [STREAM], loseAt('in-head')],
  ['a stream lost before its first token', 200, [STREAM], loseAt('before-first-token')],
  ['a stream lost after its first token', 200, [STREAM], loseAt('after-first-token')],
  ['a stream lost in an event', 200, [STREAM], loseAt('in-event')],
  ['a stream beyond ASCII lost in an event', 200, [STREAM], { ...loseAt('in-event'), fixtures: [{ text: REAL_TEXT }] }],
  [
    'a stream lost in an event and written byte by byte',
    200,
    [STREAM],
    { ...loseAt('in-event'), options: { 'bytes-per-write': 'one' } },
  ],
  [
    'a stream lost in an event after characters split over writes',
    200,
    [STREAM],
    { ...loseAt('in-event'), fixtures: [{ text: REAL_TEXT }], options: { 'bytes-per-write': 'split' } },
  ],
  [
    'a chunked completion lost in its body',
    200,
    [CHAT],
    { ...loseAt('in-body'), options: { 'body-length': 'chunked' } },
  ],
  ['a stream lost in its body', 200, [CHAT, STREAM], { ...PACED, faults: ['after=1,loseAt=in-body'] }],
  ['a stream lost after its charge', 0, [STREAM], loseAt('after-charge')],
  ['a completion with connection=closed', 200, [CHAT], { options: { connection: 'closed' } }],
  ['a stream with connection=closed', 200, [STREAM], { options: { connection: 'closed' } }],
  ['a completion while the server closes', 200, [MODELS, CHAT], { ...PACED, isClosing: true }],
  ['a stream while the server closes', 200, [CHAT, STREAM], { ...PACED, isClosing: true }],
  [
    'a completion with connection=closed while the server closes',
    200,
    [CHAT],
    { ...PACED, isClosing: true, options: { connection: 'closed' } },
  ],
  ['a completion with cors=any', 200, [CHAT], { options: { cors: 'any' } }],
])('sends the same bytes with and without the fast path for %s', async (_name, status, requests, setup = {}) => {
  const [plain, ...others] = await Promise.all(WAYS.map((way) => exchange(way, requests, setup)))
  expect(Number(plain?.responses.split('HTTP/1.1 ').at(-1)?.slice(0, 3))).toBe(status)
  expect(plain?.byNode).toBe(0)
  for (const other of others) expect(other).toEqual({ ...plain, byNode: requests.length })
})
