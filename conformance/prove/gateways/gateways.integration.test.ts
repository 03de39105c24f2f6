import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Emulator, type Fixture, startEmulator } from '../../../emulator/start-emulator.ts'
import { startGateway, type Gateway } from './start-gateway.ts'
import { CLIENT_KEY, readStream, sendChat } from './testing/gateway-client.ts'

const UPSTREAM_KEY = 'sk-svc-touchstone-funded'

/** Text with characters of one to four bytes, combining characters, line separators, and characters that JSON escapes. */
const TEXT =
  ' Grüße, "naïve" cafe\u0301\u2028 \\n <b>&amp;\t世界、こんにちは。 नमस्ते दुनिया مرحبا Zażółć 👩‍👩‍👧 🇩🇪 한국어 𝒳  end \n'

let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator({ requestLog: { bodies: 65_536 } })
})

beforeEach(() => emulator.reset())
afterAll(() => emulator.close())

const addFixture = (fixture: Fixture) => emulator.fixtures.add(fixture)

/** Waits for the entry of the last request in the log. The emulator adds it after the response. */
async function findLastEntry() {
  await expect.poll(() => emulator.requests().at(-1)).toBeDefined()
  return emulator.requests().at(-1)
}

describe.each(['bytes', 'events'] as const)('a gateway of the style %s', (style) => {
  let gateway: Gateway

  beforeAll(async () => {
    gateway = await startGateway(emulator.url, { style, upstreamKey: UPSTREAM_KEY })
  })
  afterAll(() => gateway.close())

  test.each(['event', 'split', 'one'])('forwards streams in every script with bytes-per-write %s', async (size) => {
    for (const lineEnds of ['lf', 'crlf', 'cr']) {
      const options = { 'bytes-per-write': size, 'line-ends': lineEnds, 'keep-alive-comments': 'each' } as const
      addFixture({ text: TEXT, options } as Fixture)
      const stream = await readStream(gateway.url)
      expect(stream).toMatchObject({ status: 200, isDone: true, isCut: false, text: TEXT, finishReason: 'stop' })
      expect(stream.usage?.['total_tokens']).toBe((await findLastEntry())?.tokens)
    }
  })

  test('forwards the text and the usage of completions', async () => {
    addFixture({ text: TEXT })
    const response = await sendChat(gateway.url)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      choices: [{ message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      usage: { total_tokens: (await findLastEntry())?.tokens },
    })
  })

  test('forwards interleaved tool calls', async () => {
    const calls = [
      { name: 'get_weather', arguments: { city: 'Kraków', days: 12_345_678 } },
      { name: 'get_time', arguments: { zone: 'Asia/東京' } },
    ]
    addFixture({
      toolCalls: calls,
      options: { 'tool-call-order': 'interleaved', 'bytes-per-write': 'split' },
    } as Fixture)
    const tools = calls.map(({ name }) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }))
    const stream = await readStream(gateway.url, { tools })
    expect(stream.finishReason).toBe('tool_calls')
    const parsed = stream.toolCalls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) }))
    expect(parsed).toEqual(calls)
  })

  test('forwards request bodies, also in parts, and replaces the key of the client', async () => {
    const body = JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: TEXT }], temperature: 0 })
    const outgoing = sendRequest(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CLIENT_KEY}`, 'content-type': 'application/json' },
    })
    for (const byte of Buffer.from(body)) outgoing.write(Buffer.of(byte))
    outgoing.end()
    const [response] = await once(outgoing, 'response')
    response.resume()
    expect(response.statusCode).toBe(200)
    const entry = await findLastEntry()
    expect(entry).toMatchObject({ account: 'funded' })
    expect(JSON.stringify(entry)).toContain(JSON.stringify(JSON.stringify(TEXT)).slice(1, -1))
  })

  test('rejects an unknown key as the upstream does', async () => {
    const headers = { authorization: 'Bearer sk-svc-unknown', 'content-type': 'application/json' }
    expect((await sendChat(gateway.url, {}, { headers })).status).toBe(401)
  })

  test('forwards speech byte for byte', async () => {
    const init = { method: 'POST', body: '{"model":"o3-mini","input":"Hello."}' }
    const send = async (url: string, key: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      return Buffer.from(await (await fetch(`${url}/v1/audio/speech`, { ...init, headers })).arrayBuffer())
    }
    const expected = await send(emulator.url, UPSTREAM_KEY)
    emulator.reset() // The audio depends on the number of earlier identical requests.
    expect((await send(gateway.url, CLIENT_KEY)).equals(expected)).toBe(true)
  })

  test('serves the URL of a generated image', async () => {
    const response = await fetch(`${gateway.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CLIENT_KEY}`, 'content-type': 'application/json' },
      body: '{"model":"o3-mini","prompt":"A stone","size":"64x64"}',
    })
    const text = await response.text()
    expect(text).not.toContain(new URL(emulator.url).host)
    const { data } = JSON.parse(text) as { data: [{ url: string }] }
    expect(data[0].url).toContain(gateway.url)
    expect((await fetch(data[0].url)).status).toBe(200)
  })

  test.each([400, 429, 500, 503])('forwards the status %i as an error', async (status) => {
    addFixture({ status, body: { error: { message: 'No.' } } } as Fixture)
    const expected = style === 'events' && status >= 500 ? 502 : status
    for (const stream of [false, true]) {
      const response = await sendChat(gateway.url, { stream })
      expect(response.status).toBe(expected)
      expect(await response.json()).toHaveProperty('error')
    }
  })

  test('forwards an error event, and ends the stream without [DONE]', async () => {
    addFixture({ text: TEXT, fault: { errorAfterEvents: 3 } } as Fixture)
    expect(await readStream(gateway.url)).toMatchObject({ hasError: true, isDone: false, finishReason: undefined })
  })

  test.each(['before-first-token', 'after-first-token', 'in-event', 'in-body'])(
    'cuts a stream that the upstream loses at %s',
    async (loseAt) => {
      addFixture({ text: TEXT, fault: { loseAt } } as Fixture)
      const stream = await readStream(gateway.url)
      expect(stream).toMatchObject({ isCut: true, isDone: false, finishReason: undefined })
      expect(TEXT.startsWith(stream.text)).toBe(true)
    },
  )

  test.each(['connection', 'before-head', 'in-head', 'after-charge'])(
    'returns 502 once for a response that the upstream loses at %s',
    async (loseAt) => {
      addFixture({ text: TEXT, fault: { loseAt, ...(loseAt === 'connection' && { refuseMs: 1 }) } } as Fixture)
      const response = await sendChat(gateway.url)
      expect(response.status).toBe(502)
      expect(await response.text()).not.toContain(new URL(emulator.url).port)
      await findLastEntry()
      expect(emulator.requests()).toHaveLength(1)
    },
  )

  test('does not complete a body that the upstream cuts', async () => {
    addFixture({ text: TEXT, fault: { loseAt: 'in-body' } } as Fixture)
    const response = await sendChat(gateway.url)
    if (style === 'events') expect(response.status).toBe(502)
    else await expect(response.text()).rejects.toThrow('terminated')
  })

  test('aborts the request to the upstream if the client disconnects during a stream', async () => {
    addFixture({ text: TEXT, fault: { stallAfterEvents: 3 } } as Fixture)
    const controller = new AbortController()
    const response = await sendChat(gateway.url, { stream: true }, { signal: controller.signal })
    await response.body?.getReader().read()
    controller.abort()
    expect(await findLastEntry()).toMatchObject({ clientLeft: true })
  })

  test('aborts the request to the upstream if the client disconnects before the head', async () => {
    addFixture({ text: TEXT, fault: { delayMs: 600_000 } } as Fixture)
    const controller = new AbortController()
    const response = sendChat(gateway.url, {}, { signal: controller.signal })
    await expect.poll(() => emulator.activeRequests()).toBe(1)
    controller.abort()
    await expect(response).rejects.toThrow('aborted')
    expect(await findLastEntry()).toMatchObject({ clientLeft: true })
  })

  test('forwards the first event before the upstream sends the next', async () => {
    addFixture({ text: TEXT, fault: { stallAfterEvents: 2 } } as Fixture)
    const controller = new AbortController()
    const response = await sendChat(gateway.url, { stream: true }, { signal: controller.signal })
    const reader = response.body?.getReader()
    let text = ''
    while (!text.includes('"content"')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
    controller.abort()
    expect(text).toContain('"content"')
  })

  test('does not serve the control API of the upstream', async () => {
    expect((await fetch(`${gateway.url}/__emulator/health`)).status).toBe(404)
  })
})
