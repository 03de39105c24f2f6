import { decode } from 'fast-png'
import { expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator } from '../create-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { parseLatency } from '../options/parse-latency.ts'

const BASE = 'http://emulator.test'
/** Price of the cheapest model, in units of 0.0001 credit (section 2.1). */
const UNITS_PER_TOKEN = 4
/** Number of stream events that contain no token: role, finish reason and `[DONE]`. */
const FRAMES_BESIDE_TOKENS = 3

function post(emulator: InProcessEmulator, path: string, body: unknown, init: RequestInit & { key?: string } = {}) {
  const { key = emulator.keys.funded, ...others } = init
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return emulator.fetch(BASE + path, { method: 'POST', headers, body: JSON.stringify(body), ...others })
}

function chat(emulator: InProcessEmulator, fields: object = {}, init: RequestInit & { key?: string } = {}) {
  const body = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Say hello.' }], ...fields }
  return post(emulator, '/v1/chat/completions', body, init)
}

function slow() {
  const latency = parseLatency('ttft=100ms,itl=20ms')
  if (typeof latency === 'string') throw new Error(latency)
  return latency
}

/** Waits 20 turns of the event loop, so that pending promises and immediates have run. */
async function settlePending(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const frames = (text: string) => text.split('\n\n').length - 1

test('responds in process with status, headers, body and URL', async () => {
  await using emulator = createEmulator()
  const response = await chat(emulator, { max_tokens: 5 })
  expect(response.status).toBe(200)
  expect(response.url).toBe(`${BASE}/v1/chat/completions`)
  expect(response.headers.get('content-type')).toBe('application/json')
  const text = await response.text()
  expect(JSON.parse(text)).toMatchObject({ object: 'chat.completion' })
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
})

test('rejects invalid requests in process, even outside /v1, and sends no body for HEAD and OPTIONS', async () => {
  await using emulator = createEmulator({ options: { cors: 'any', head: 'as-get' } })
  expect((await chat(emulator, {}, { key: 'sk-svc-nobody' })).status).toBe(401)
  expect((await chat(emulator, {}, { key: emulator.keys.noCredits })).status).toBe(402)
  expect((await chat(emulator, { model: 'nobody' })).status).toBe(404)
  expect((await chat(emulator, { temperature: 3 })).status).toBe(400)
  expect((await emulator.fetch(`${BASE}/__emulator/health`)).status).toBe(404)
  const headers = { authorization: `Bearer ${emulator.keys.funded}` }
  const head = await emulator.fetch(`${BASE}/v1/models`, { method: 'HEAD', headers })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await emulator.fetch(`${BASE}/v1/models`, { method: 'OPTIONS' })).status).toBe(204)
})

test.each([
  ['x-stainless-lang, x-stainless-os', 'x-stainless-lang, x-stainless-os'],
  ['authorization', 'authorization'],
  ['not a name', 'authorization, content-type'],
  [undefined, 'authorization, content-type'],
])('with cors=any, a preflight request for the headers %j allows "%s"', async (requested, allowed) => {
  await using emulator = createEmulator({ options: { cors: 'any' } })
  const headers = requested === undefined ? {} : { 'access-control-request-headers': requested }
  const response = await emulator.fetch(`${BASE}/v1/chat/completions`, { method: 'OPTIONS', headers })
  expect(response.headers.get('access-control-allow-headers')).toBe(allowed)
})

test('accepts a form in process, and transcribes generated speech', async () => {
  await using emulator = createEmulator()
  const speech = await post(emulator, '/v1/audio/speech', { model: 'vendorc-4o', input: 'one two three' })
  const form = new FormData()
  form.set('model', 'vendorc-4o')
  form.set('file', await speech.blob(), 'speech.mp3')
  const headers = { authorization: `Bearer ${emulator.keys.funded}` }
  const measured = await emulator.fetch(`${BASE}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
  expect(await measured.json()).toEqual({ text: 'one two three' })
})

test('reads the rest of a form after a large part without Content-Disposition', async () => {
  await using emulator = createEmulator()
  const skipped = `--b\r\ncontent-type: text/plain\r\n\r\n${'a'.repeat(200_000)}\r\n`
  const named = '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nvendorc-4o\r\n--b--\r\n'
  const authorization = `Bearer ${emulator.keys.funded}`
  const headers = { authorization, 'content-type': 'multipart/form-data; boundary=b' }
  const response = await emulator.fetch(`${BASE}/v1/audio/transcriptions`, {
    method: 'POST',
    headers,
    body: skipped + named,
  })
  expect(await response.json()).toMatchObject({ error: { param: 'file', code: 'missing_parameter' } })
})

test('serves the URLs of its images in process', async () => {
  await using emulator = createEmulator()
  const created = await post(emulator, '/v1/images/generations', {
    model: 'vendorc-4o',
    prompt: 'a cat',
    size: '64x48',
  })
  const { data } = (await created.json()) as { data: { url: string }[] } // Image generation result (section 2.4).
  const url = data[0]?.url ?? ''
  expect(url).toMatch(`${BASE}/v1/images/`)
  expect(decode(await (await emulator.fetch(url)).bytes())).toMatchObject({ width: 64, height: 48 })
  expect((await emulator.fetch(url, { method: 'HEAD' })).headers.get('content-type')).toBe('image/png')
  // No response contained this URL. It is an unknown endpoint, which requires a key.
  expect((await emulator.fetch(url.replace('.png', '0.png'))).status).toBe(401)
})

test('generates a stream in process only a buffer ahead of its reader', async () => {
  await using emulator = createEmulator({ answerTokens: 'fill' })
  const { key } = emulator.createAccount({ credits: '100' })
  const response = await chat(emulator, { stream: true, max_tokens: 5000 }, { key })
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await settlePending()
  await reader?.cancel()
  const sent = (emulator.balance(key)?.chargedUnits ?? 0) / UNITS_PER_TOKEN
  expect(frames(new TextDecoder().decode(first?.value))).toBeLessThan(sent)
  expect(sent).toBeLessThan(500)
  expect(emulator.balance(key)?.heldUnits).toBe(0)
})

test('sends a long stream completely to a slow reader in process', async () => {
  await using emulator = createEmulator({ answerTokens: 'fill' })
  const response = await chat(emulator, { stream: true, max_tokens: 2000 })
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(frames(text)).toBe(2000 + FRAMES_BESIDE_TOKENS)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})

test.each(['signal', 'cancel'] as const)(
  'charges an in-process stream aborted by %s for the tokens already sent',
  async (means) => {
    const clock = createVirtualClock()
    await using emulator = createEmulator({ clock, latency: slow(), answerTokens: 'fill' })
    const { key } = emulator.createAccount({ credits: '100' })
    const controller = new AbortController()
    const call = chat(emulator, { stream: true, max_tokens: 100 }, { key, signal: controller.signal })
    await settlePending()
    clock.advance(100 + 6 * 20) // The first token and six others are due.
    const reader = (await call).body?.getReader()
    await reader?.read()
    if (means === 'signal') controller.abort(new Error('enough'))
    else await reader?.cancel()
    const { usage } = (await (await chat(createEmulator(), { max_tokens: 1 })).json()) as {
      usage: { prompt_tokens: number } // Chat completion (section 2.3).
    }
    expect(emulator.balance(key)).toMatchObject({
      heldUnits: 0,
      chargedUnits: (usage.prompt_tokens + 7) * UNITS_PER_TOKEN,
    })
    if (means === 'signal') await expect(reader?.read()).rejects.toThrow('enough')
  },
)

test('rejects a call in process with the reason of its signal, before and while it waits', async () => {
  const clock = createVirtualClock()
  await using emulator = createEmulator({ clock, latency: slow() })
  await expect(chat(emulator, {}, { signal: AbortSignal.abort(new Error('never mind')) })).rejects.toThrow('never mind')
  const controller = new AbortController()
  const call = chat(emulator, { stream: true }, { signal: controller.signal })
  controller.abort()
  await expect(call).rejects.toMatchObject({ name: 'AbortError' })
})

test('ends an in-process call whose body fails or never ends, and holds no credits', async () => {
  await using emulator = createEmulator()
  const headers = { authorization: `Bearer ${emulator.keys.funded}` }
  const send = (body: ReadableStream) =>
    emulator.fetch(`${BASE}/v1/chat/completions`, { method: 'POST', headers, body, duplex: 'half' })
  const failing = new ReadableStream({ pull: (controller) => controller.error(new Error('disk')) })
  await expect(send(failing)).rejects.toThrow('fetch failed')
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)) })
  expect((await send(endless)).status).toBe(400)
  expect(emulator.balance(emulator.keys.funded)?.heldUnits).toBe(0)
})

test('aborts and settles calls when it closes, and rejects later ones', async () => {
  const emulator = createEmulator({ clock: createVirtualClock(), latency: slow(), answerTokens: 'fill' })
  const stream = await chat(emulator, { stream: true })
  const waiting = chat(emulator)
  await settlePending()
  await emulator.close()
  await expect(stream.text()).rejects.toThrow('terminated')
  await expect(waiting).rejects.toThrow('fetch failed')
  await expect(chat(emulator)).rejects.toThrow('fetch failed')
  expect(emulator.balance(emulator.keys.funded)?.heldUnits).toBe(0)
})

test('keeps two emulators separate, and resets only one', async () => {
  const [one, other] = [createEmulator(), createEmulator()]
  const { key } = one.createAccount({ credits: '1' })
  expect((await chat(other, {}, { key })).status).toBe(401)
  const first = await (await chat(one, {}, { key })).text()
  one.reset()
  expect(one.balance(key)).toBeUndefined()
  expect(one.balance(one.keys.funded)?.chargedUnits).toBe(0)
  const id = (text: string) => /"id":"([^"]+)"/.exec(text)?.[1]
  expect(id(await (await chat(one)).text())).toBe(id(first))
})
