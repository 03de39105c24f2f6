import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { STANDARD_ACCOUNT_KEYS } from '../../state/accounts.ts'
import { createVirtualClock } from '../../state/clock.ts'
import { startTestServer, WAIT_FOR_OPTIONS, type TestServer } from '../../tests/support/servers.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../../state/latency.ts'

const ITL_MS = 10
const PACED = {
  latency: { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(ITL_MS), itl: createFixedDelay(ITL_MS) } },
}
const UNITS_PER_TOKEN = 4
const PROMPT_TOKENS = 6

function requestOf(body: object | string, field = ''): string {
  const json = typeof body === 'string' ? body : JSON.stringify(body)
  const fields = `host: x\r\nauthorization: Bearer ${STANDARD_ACCOUNT_KEYS.small}\r\n${field}content-length: ${json.length}`
  return `POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n\r\n${json}`
}

const ask = (content: string, stream = false) => ({
  model: 'vendora-v4-flash',
  messages: [{ role: 'user', content }],
  stream,
})
const STREAM = requestOf(ask('Go.', true))

/** Builds a request with a header field that the fast path does not support, so that Node handles it. */
const buildUnsupported = (body: object) => requestOf(body, 'te: trailers\r\n')

/**
 * Runs a test for both HTTP parsers. A leading empty line makes Node handle the request: Node skips it, but the fast
 * path does not accept it.
 */
const runBothWays = <Seen>(see: (before: string) => Promise<Seen>) => Promise.all([see(''), see('\r\n')])

async function received({ instance }: TestServer, count: number): Promise<void> {
  await expect.poll(() => instance.load.received, WAIT_FOR_OPTIONS).toBe(count)
}

async function idle({ instance }: TestServer, clock = createVirtualClock()): Promise<void> {
  for (; instance.load.inFlight > 0; await setImmediate()) clock.advance(ITL_MS)
}

const balance = ({ instance }: TestServer) => instance.accounts.findByKey(STANDARD_ACCOUNT_KEYS.small)?.ledger.balance()

/** Every sequence of two to four requests, each of which is either plain or unsupported by the fast path. */
const PATTERNS = [2, 3, 4].flatMap((count) =>
  Array.from({ length: 2 ** count }, (_, index) => index.toString(2).padStart(count, '0')),
)

test.each([
  ['at once', (requests: readonly string[]) => [requests.join('')]],
  ['the first before the others', ([first = '', ...others]: readonly string[]) => [first, others.join('')]],
  ['each by itself', (requests: readonly string[]) => requests],
])('responds in order to pipelined requests, sent %s', async (_name, cut) => {
  const clock = createVirtualClock()
  const fixtures = [1, 2, 3, 4].map((number) => ({ message: `${number}?`, text: `${number}!` }))
  for (const pattern of PATTERNS) {
    await using served = await startTestServer({ ...PACED, clock, fixtures })
    const client = connect(served.port, '127.0.0.1')
    const output = text(client)
    const requests = [...pattern].map((kind, index) => {
      const body = ask(`${index + 1}?`, index % 2 === 1)
      return kind === '1' ? requestOf(body) : buildUnsupported(body)
    })
    let sent = 0
    for (const piece of cut(requests)) {
      client.write(piece)
      sent += piece.length
      await expect.poll(() => served.sockets[0]?.bytesRead, WAIT_FOR_OPTIONS).toBe(sent)
    }
    for (; served.instance.load.received < requests.length; await setImmediate()) clock.advance(ITL_MS)
    await idle(served, clock)
    client.end()
    const responses = (await output).split('HTTP/1.1 200 OK').slice(1)
    const contents = responses.map((respond) => /"content":"(\d)/.exec(respond)?.[1])
    expect({ pattern, contents }).toEqual({ pattern, contents: ['1', '2', '3', '4'].slice(0, requests.length) })
  }
})

test('charges a client that aborts a stream for the frames already sent', async () => {
  const seen = await runBothWays(async (before) => {
    const clock = createVirtualClock()
    await using served = await startTestServer({ ...PACED, clock, answerTokens: 9 })
    const client = connect(served.port, '127.0.0.1').resume()
    client.write(before + STREAM)
    await received(served, 1)
    clock.advance(3.5 * ITL_MS)
    client.resetAndDestroy()
    await expect.poll(() => served.instance.load.inFlight, WAIT_FOR_OPTIONS).toBe(0)
    return { ...balance(served), byNode: served.requestsByNode() }
  })
  const chargedUnits = (PROMPT_TOKENS + 3) * UNITS_PER_TOKEN
  expect(seen[0]).toMatchObject({ chargedUnits, heldUnits: 0, byNode: 0 })
  expect(seen[1]).toEqual({ ...seen[0], byNode: 1 })
})

test.each([
  ['together with its request', 0],
  ['in the middle of the response', 3.5 * ITL_MS],
])('sends as much of the response as Node does to a client that half-closes %s', async (_name, afterMs) => {
  const seen = await runBothWays(async (before) => {
    const clock = createVirtualClock()
    await using served = await startTestServer({ ...PACED, clock, answerTokens: 9 })
    const client = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true })
    const printed = text(client)
    client.write(before + STREAM)
    if (afterMs === 0) client.end()
    await received(served, 1)
    clock.advance(afterMs)
    client.end()
    const response = (await printed).replace(/^Date: .*/m, '')
    await idle(served, clock)
    return { response, ...balance(served) }
  })
  expect(seen[0].heldUnits).toBe(0)
  expect(seen[0]).toEqual(seen[1])
})

test('sends a large response completely to a slow reader, and waits for it before closing', async () => {
  const bytes = 24_000_000 // Larger than the socket buffers of the operating system.
  await using served = await startTestServer({ fixtures: [{ body: 'x'.repeat(bytes) }] })
  const client = connect(served.port, '127.0.0.1').pause()
  client.write(requestOf(ask('Go.')))
  await received(served, 1)
  await idle(served)
  const closed = served.close()
  await expect.poll(() => served.server.listening, WAIT_FOR_OPTIONS).toBe(false)
  const result = await text(client)
  expect(result.slice(result.indexOf('\r\n\r\n') + 4)).toHaveLength(bytes)
  expect(served.requestsByNode()).toBe(0)
  await closed
})

test('stops reading pipelined requests during a response, and responds to them later', async () => {
  const clock = createVirtualClock()
  await using served = await startTestServer({ ...PACED, clock, answerTokens: 9 })
  const client = connect(served.port, '127.0.0.1')
  const output = text(client)
  client.write(STREAM)
  await received(served, 1)
  const ahead = requestOf('?'.repeat(100_000)).repeat(100)
  client.write(ahead)
  // Gives the server enough time to read all requests if it did not stop reading.
  for (let other = 0; other < 200; other += 1) await fetch(`http://127.0.0.1:${served.port}/`)
  expect(served.sockets[0]?.bytesRead).toBeLessThan(300_000)
  await idle(served, clock)
  await received(served, 101)
  await idle(served, clock)
  client.end()
  expect((await output).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', ...Array(100).fill('HTTP/1.1 400')])
})

test('parses few of thousands of small pipelined requests at once, and responds to all', async () => {
  const requests = 3000
  await using served = await startTestServer({ answerTokens: 3 })
  let open = 0
  let most = 0
  served.server.on('request', (_request, response) => {
    open += 1
    most = Math.max(most, open)
    response.once('close', () => (open -= 1))
  })
  const client = connect(served.port, '127.0.0.1').pause()
  const last = requestOf(ask('Go.'), 'connection: close\r\n')
  client.write(requestOf(ask('Go.')).repeat(requests - 1) + last)
  // Gives the server enough time to parse all requests if it did not stop reading.
  for (let other = 0; other < 200; other += 1) await fetch(`http://127.0.0.1:${served.port}/`)
  expect((await text(client)).match(/HTTP\/1\.1 \d+/g)).toHaveLength(requests)
  expect(most).toBeLessThan(1000) // 64 KB contain 300 requests.
})
