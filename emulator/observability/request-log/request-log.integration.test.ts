import { fingerprintSecret } from '../../../common/secrets/fingerprint.ts'
import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../start-emulator.ts'
import { createVirtualClock } from '../../state/clock.ts'
import { LATENCY_PROFILES } from '../../state/latency.ts'
import { parseLatency } from '../../options/parse-latency.ts'
import { sendChat, parseChunks, postJson, transcribe, callControl } from '../../tests/support/requests.ts'

async function entriesOf(emulator: Emulator, query = '') {
  return (await callControl(emulator, `/request-log${query}`)).json.entries
}

test('logs a successful request with account, tokens, charge and times', async () => {
  const clock = createVirtualClock(1_750_000_000)
  await using emulator = await startEmulator({ clock, answerTokens: 7 })
  const response = await sendChat(emulator)
  const body = await response.text()
  const [entry] = await entriesOf(emulator)
  const { id: completionId, usage } = JSON.parse(body)
  expect(entry).toEqual({
    seq: 1,
    id: response.headers.get('x-request-id'),
    time: '2025-06-15T15:06:40.000Z',
    atMs: 0,
    account: 'funded',
    keyFingerprint: fingerprintSecret(emulator.keys.funded),
    completionId,
    method: 'POST',
    path: '/v1/chat/completions',
    operation: 'chat',
    model: 'vendora-v4-flash',
    status: 200,
    refused: null,
    fault: null,
    fixture: null,
    ignoredFields: [],
    tokens: usage.total_tokens,
    charged: String((usage.total_tokens * 4) / 10_000),
    ttftMs: 0,
    totalMs: 0,
    stream: false,
    bytesIn: 80,
    bytesOut: Buffer.byteLength(body),
    clientLeft: false,
  })
})

test('logs the request ID that a client sends, and the completion ID of a stream', async () => {
  await using emulator = await startEmulator()
  const { funded } = emulator.keys
  const response = await fetch(`${emulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${funded}`, 'x-client-request-id': `run-1 ${funded} ${'x'.repeat(200)}` },
    body: JSON.stringify({ model: 'o3-mini', stream: true, messages: [{ role: 'user', content: 'Hello.' }] }),
  })
  const [, completionId] = /"id":"(chatcmpl-[^"]+)"/.exec(await response.text()) ?? []
  await (await sendChat(emulator, { temperature: 3 })).text()
  const [entry, refused] = await entriesOf(emulator)
  expect(entry).toMatchObject({
    completionId,
    clientRequestId: expect.stringMatching(/^run-1 sk-svc-touchstone-funded x+$/),
  })
  expect(entry.clientRequestId.length).toBeLessThanOrEqual(128)
  expect(refused).not.toHaveProperty('completionId')
  expect(refused).not.toHaveProperty('clientRequestId')
})

test('logs a digest of the text for clients that send a request ID', async () => {
  await using emulator = await startEmulator()
  for (const stream of [true, false]) {
    const response = await fetch(`${emulator.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.keys.funded}`, 'x-client-request-id': 'run-1' },
      body: JSON.stringify({ model: 'o3-mini', stream, messages: [{ role: 'user', content: 'Hello.' }] }),
    })
    const body = await response.text()
    const text = stream
      ? parseChunks(body)
          .map(({ choices }) => choices[0]?.delta?.content ?? '')
          .join('')
      : JSON.parse(body).choices[0].message.content
    const [entry] = await entriesOf(emulator, '?tail=1')
    expect(entry.textSha256).toBe(createHash('sha256').update(text).digest('hex'))
  }
  await (await sendChat(emulator)).text()
  expect((await entriesOf(emulator, '?tail=1'))[0]).not.toHaveProperty('textSha256')
})

test('logs the times of the first event and of the end of a stream', async () => {
  const clock = createVirtualClock()
  const latency = parseLatency('ttft=100ms,itl=20ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using emulator = await startEmulator({ clock, latency, answerTokens: 3 })
  const pending = sendChat(emulator, { stream: true })
  await expect.poll(() => callControl(emulator, '/health').then(({ json }) => json.inFlight)).toBe(1)
  clock.advance(100)
  const response = await pending
  clock.advance(100)
  expect(parseChunks(await response.text())).toHaveLength(5)
  expect((await entriesOf(emulator))[0]).toMatchObject({ stream: true, ttftMs: 100, totalMs: 140, clientLeft: false })
})

test('logs each error response with its reason and without a charge', async () => {
  await using emulator = await startEmulator()
  const { funded, noCredits } = emulator.keys
  for (const respond of [
    await sendChat(emulator, { temperature: 3 }),
    await sendChat(emulator, { model: 'none' }),
    await sendChat(emulator, {}, { key: noCredits }),
    await sendChat(emulator, {}, { key: 'sk-svc-nobody-has-this' }),
    await fetch(`${emulator.url}/v1/models`),
    await postJson(emulator, `/v1/${funded}`, {}),
  ]) {
    await respond.text()
  }
  const entries: Record<string, unknown>[] = await entriesOf(emulator)
  expect(
    entries.map(({ account, keyFingerprint, operation, model, status, refused, charged }) => [
      account,
      keyFingerprint,
      operation,
      model,
      status,
      refused,
      charged,
    ]),
  ).toEqual([
    ['funded', fingerprintSecret(funded), 'chat', null, 400, 'invalid-parameter', '0'],
    ['funded', fingerprintSecret(funded), 'chat', null, 404, 'unknown-model', '0'],
    ['no-credits', fingerprintSecret(noCredits), 'chat', 'vendora-v4-flash', 402, 'insufficient-credits', '0'],
    [null, fingerprintSecret('sk-svc-nobody-has-this'), 'chat', null, 401, 'invalid-key', '0'],
    [null, null, 'models', null, 401, 'no-key', '0'],
    ['funded', fingerprintSecret(funded), null, null, 404, 'unknown-endpoint', '0'],
  ])
  expect(entries[5]?.['path']).toBe('/v1/sk-svc-touchstone-funded')
})

test('logs an aborted stream with the bytes sent and the charge', async () => {
  await using emulator = await startEmulator({ latency: LATENCY_PROFILES.typical, answerTokens: 'fill' })
  const controller = new AbortController()
  const response = await sendChat(emulator, { stream: true, max_tokens: 500 }, { signal: controller.signal })
  await response.body?.getReader().read()
  controller.abort()
  await expect.poll(() => entriesOf(emulator)).toHaveLength(1)
  const [entry] = await entriesOf(emulator)
  expect(entry).toMatchObject({ status: 200, stream: true, clientLeft: true })
  expect(entry.tokens).toBeLessThan(400)
  expect(entry.bytesOut).toBeGreaterThan(0)
})

test('logs when a client left a stream, and the events and bytes written by then', async () => {
  const clock = createVirtualClock()
  const latency = parseLatency('ttft=100ms,itl=20ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using emulator = await startEmulator({ clock, latency, answerTokens: 20 })
  const controller = new AbortController()
  const pending = sendChat(emulator, { stream: true }, { signal: controller.signal })
  await expect.poll(() => callControl(emulator, '/health').then(({ json }) => json.inFlight)).toBe(1)
  clock.advance(145) // The role and three tokens are due. The role and the first token are one write.
  const reader = (await pending).body?.getReader()
  let body = ''
  while (parseChunks(body).length < 4) body += Buffer.from((await reader?.read())?.value ?? []).toString()
  controller.abort()
  await expect.poll(() => entriesOf(emulator)).toHaveLength(1)
  const [entry] = await entriesOf(emulator)
  expect(entry.left).toEqual({ afterMs: 145, bytes: Buffer.byteLength(body), events: 4 })
  expect(entry.charged).toBe(String((entry.tokens * 4) / 10_000))
})

test('logs no number of events if a client left a stream of an upstream', async () => {
  const clock = createVirtualClock()
  const latency = parseLatency('ttft=100ms,itl=20ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using upstream = await startEmulator({ clock, latency })
  const recordDir = mkdtempSync(join(tmpdir(), 'touchstone-left-'))
  await using emulator = await startEmulator({ record: upstream.url, recordDir })
  const controller = new AbortController()
  const pending = sendChat(emulator, { stream: true }, { key: upstream.keys.funded, signal: controller.signal })
  await expect.poll(() => upstream.activeRequests()).toBe(1)
  clock.advance(100)
  await (await pending).body?.getReader().read()
  controller.abort()
  await expect.poll(() => emulator.requests()).toMatchObject([{ clientLeft: true, left: { events: null } }])
})

test('logs a request without a status if the client disconnects before the response', async () => {
  const clock = createVirtualClock()
  const latency = parseLatency('ttft=300ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using emulator = await startEmulator({ clock, latency })
  const controller = new AbortController()
  const pending = sendChat(emulator, {}, { signal: controller.signal })
  await expect.poll(() => callControl(emulator, '/health').then(({ json }) => json.inFlight)).toBe(1)
  clock.advance(299)
  controller.abort()
  await expect(pending).rejects.toThrow('abort')
  await expect
    .poll(() => entriesOf(emulator))
    .toMatchObject([
      { status: null, clientLeft: true, bytesOut: 0, ttftMs: null, left: { afterMs: 299, bytes: 0, events: 0 } },
    ])
})

test('filters, pages and clears the request log', async () => {
  await using emulator = await startEmulator()
  const { small } = emulator.keys
  for (let index = 0; index < 5; index += 1) {
    await (await sendChat(emulator, { max_tokens: 1 })).text()
    await (await sendChat(emulator, { temperature: 3 }, { key: small })).text()
  }
  await (await transcribe(emulator, new Uint8Array(10))).text()
  const seqs = async (query: string) => (await entriesOf(emulator, query)).map(({ seq }: { seq: number }) => seq)
  expect(await seqs('')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  expect(await seqs('?account=small')).toEqual([2, 4, 6, 8, 10])
  expect(await seqs('?operation=transcriptions')).toEqual([11])
  expect(await seqs('?status=400&tail=2')).toEqual([8, 10])
  expect(await seqs('?tail=3')).toEqual([9, 10, 11])
  expect(await seqs('?status=none')).toEqual([])
  const pages = []
  let after: number | null = 0
  while (after !== null) {
    const page: { entries: { seq: number }[]; next: number | null } = (
      await callControl(emulator, `/request-log?account=funded&limit=4&after=${after}`)
    ).json
    pages.push(page.entries.map(({ seq }) => seq))
    after = page.next
  }
  expect(pages).toEqual([
    [1, 3, 5, 7],
    [9, 11],
  ])
  expect((await callControl(emulator, '/request-log', { method: 'DELETE' })).status).toBe(204)
  expect((await callControl(emulator, '/request-log')).json).toEqual({ entries: [], next: null, kept: 0, forgotten: 0 })
  await (await sendChat(emulator)).text()
  expect(await seqs('')).toEqual([12])
})

test('returns the last entries page by page, and selects entries by status class', async () => {
  await using emulator = await startEmulator()
  for (const fields of [{}, { temperature: 3 }, {}, { model: 'none' }, {}, {}])
    await (await sendChat(emulator, fields)).text()
  const seqs = async (query: string) => (await entriesOf(emulator, query)).map(({ seq }: { seq: number }) => seq)
  expect(await seqs('?tail=2')).toEqual([5, 6])
  expect(await seqs('?tail=2&before=5')).toEqual([3, 4])
  expect(await seqs('?tail=2&before=3')).toEqual([1, 2])
  expect(await seqs('?tail=2&before=1')).toEqual([])
  expect(await seqs('?after=1&before=4')).toEqual([2, 3])
  expect(await seqs('?status=4xx')).toEqual([2, 4])
  expect(await seqs('?status=2xx&tail=2&before=6')).toEqual([3, 5])
  expect(await seqs('?status=5xx')).toEqual([])
})

test('omits the bodies of log entries if the query says so', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 100 } })
  await (await sendChat(emulator)).text()
  expect((await entriesOf(emulator, '?bodies=1'))[0].bodies.request).toContain('Say hello.')
  expect((await entriesOf(emulator, '?bodies=0'))[0]).not.toHaveProperty('bodies')
})

test.each([
  ['?before=0', "'before' must be"],
  ['?bodies=no', "'bodies' must be"],
  ['?status=6xx', "'status' must be"],
  ['?operation=chats', "Unknown operation 'chats'"],
  ['?limit=0', "'limit' and 'tail' must be"],
  ['?limit=2&tail=2', 'not both'],
  ['?limit=2&limit=3', 'only once'],
  ['?colour=red', "Unknown parameter 'colour'"],
])('rejects the query %s', async (query, sentence) => {
  await using emulator = await startEmulator()
  const { status, json } = await callControl(emulator, `/request-log${query}`)
  expect(status).toBe(400)
  expect(json.error).toContain(sentence)
})

test('drops the oldest log entries beyond the limits of entries and bytes', async () => {
  await using few = await startEmulator({ requestLog: { entries: 3 } })
  for (let index = 0; index < 8; index += 1) await (await sendChat(few)).text()
  const page = (await callControl(few, '/request-log')).json
  expect(page).toMatchObject({ kept: 3, forgotten: 5, entries: [{ seq: 6 }, { seq: 7 }, { seq: 8 }] })

  await using small = await startEmulator({ requestLog: { bytes: 2000 } })
  for (let index = 0; index < 8; index += 1) await (await sendChat(small)).text()
  expect((await callControl(small, '/request-log')).json).toMatchObject({ kept: 3, forgotten: 5 })

  await using none = await startEmulator({ requestLog: { entries: 0 } })
  await (await sendChat(none)).text()
  expect((await callControl(none, '/request-log')).json).toMatchObject({ kept: 0, entries: [] })
})

test('keeps the digest of a response body with the option digests', async () => {
  await using emulator = await startEmulator({ requestLog: { digests: 1 } })
  for (const stream of [true, false]) {
    const body = await (await sendChat(emulator, { stream })).text()
    const [entry] = await entriesOf(emulator, '?tail=1')
    expect(entry.bodySha256).toBe(createHash('sha256').update(body).digest('hex'))
  }
})

test('keeps truncated bodies without keys with the option bodies', async () => {
  await using emulator = await startEmulator({ requestLog: { bodies: 60 } })
  await (await sendChat(emulator, { user: 'u' })).text()
  await (await sendChat(emulator, { temperature: emulator.keys.funded }, {})).text()
  const [served, refused] = await entriesOf(emulator)
  expect(served.bodies.request).toBe('{"model":"vendora-v4-flash","messages":[{"role":"user","cont')
  expect(served.bodies.response).toMatch(/^\{"id":"chatcmpl-.{44}$/)
  expect(JSON.stringify(refused)).not.toContain(emulator.keys.funded)
})

test.each(['on', 'off'] as const)(
  'logs all bytes of a stream that ends with a split character, with fast path %s',
  async (fastPath) => {
    const options = { 'bytes-per-write': 'split', 'chunk-shape': 'text', 'done-marker': 'none' } as const
    await using emulator = await startEmulator({ fastPath, options, answerTokens: 5, requestLog: { digests: 1 } })
    const text = await (
      await sendChat(emulator, { stream: true, messages: [{ role: 'user', content: '你好' }] })
    ).text()
    const [entry] = await entriesOf(emulator)
    const bodySha256 = createHash('sha256').update(text).digest('hex')
    expect(entry).toMatchObject({ bytesOut: Buffer.byteLength(text), bodySha256, clientLeft: false })
  },
)
