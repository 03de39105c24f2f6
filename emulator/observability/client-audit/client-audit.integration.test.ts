import { fingerprintSecret } from '../../../common/secrets/fingerprint.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenAI } from 'openai'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../start-emulator.ts'
import { parseLatency } from '../../options/parse-latency.ts'
import { createVirtualClock } from '../../state/clock.ts'
import { formatAuditReport } from './findings.ts'
import { sendChat, postJson, callControl } from '../../tests/support/requests.ts'

async function findingsOf(emulator: Emulator, key?: string): Promise<string[]> {
  // When this response arrives, the audit of all earlier requests is complete.
  await sendChat(emulator, {}, { key: emulator.keys.small })
  return emulator
    .auditClients(key)
    .clients.flatMap(({ account, findings }) => findings.map(({ kind, count }) => `${account}: ${count} ${kind}`))
}

test('reports no findings for a correct client', async () => {
  await using emulator = await startEmulator()
  await (await sendChat(emulator)).text()
  await (await sendChat(emulator, { stream: true })).text()
  await (await sendChat(emulator, { temperature: 9 })).text()
  await (await sendChat(emulator, { temperature: 1 })).text()
  expect(emulator.auditClients()).toMatchObject({
    clean: true,
    requests: 4,
    clients: [{ account: 'funded', requests: 4 }],
  })
})

test('reports repeated invalid requests over a socket, even if the emulator did not read their bodies', async () => {
  await using emulator = await startEmulator()
  const { funded, noCredits } = emulator.keys
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await (await sendChat(emulator, { temperature: 9 }, { key: funded })).text()
    await (await sendChat(emulator, { model: 'none' }, { key: funded })).text()
    await (await sendChat(emulator, {}, { key: noCredits })).text()
    await sleep(30) // Waits, because requests within 25 ms of the error response do not count as retries.
    await (await sendChat(emulator, {}, { key: 'sk-svc-a-stranger-with-key' })).text()
    // Requests with different bodies are not retries, even if the emulator rejects them before it reads their bodies.
    await (await sendChat(emulator, { user: `${attempt}` }, { key: 'sk-svc-another-stranger' })).text()
  }
  expect(await findingsOf(emulator)).toEqual([
    'funded: 1 repeated-400',
    'funded: 1 repeated-404',
    'no-credits: 1 repeated-402',
    'null: 1 repeated-401',
  ])
  const stranger = emulator.auditClients('sk-svc-a-stranger-with-key')
  expect(stranger).toMatchObject({
    clean: false,
    clients: [{ account: null, keyFingerprint: fingerprintSecret('sk-svc-a-stranger-with-key'), requests: 2 }],
  })
  expect(emulator.auditClients('sk-svc-another-stranger').clean).toBe(true)
})

test('accepts parallel requests beyond a rate limit, and reports retries before Retry-After', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ clock })
  const key = emulator.keys.limited
  const burst = () =>
    Promise.all(Array.from({ length: 12 }, async () => (await sendChat(emulator, {}, { key })).text()))
  await burst()
  expect(await findingsOf(emulator, key)).toEqual([])
  clock.advance(1000)
  await (await sendChat(emulator, {}, { key })).text()
  expect(await findingsOf(emulator, key)).toEqual([])
  clock.advance(500)
  await (await sendChat(emulator, {}, { key })).text()
  clock.advance(500)
  await (await sendChat(emulator, {}, { key })).text()
  expect(await findingsOf(emulator, key)).toEqual([])
})

test('reports no findings for an SDK with default settings, even after a 429', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '1', rateLimit: { requestsPerMinute: 60, burst: 1 } })
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: key })
  const ask = () =>
    client.chat.completions.create({ model: 'o3-mini', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 })
  await Promise.all([ask(), ask()])
  expect(emulator.auditClients(key)).toMatchObject({ clean: true, requests: 3 })
})

test('reports the retry of an SDK after a timeout that was charged, but not after a free 500', async () => {
  const latency = parseLatency('ttft=1ms,itl=500ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using emulator = await startEmulator({ latency, faults: ['times=1,status=500', 'ordinal=3,status=500'] })
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: emulator.keys.funded, maxRetries: 1 })
  const ask = (content: string, timeout: number) =>
    client.chat.completions.create(
      { model: 'o3-mini', messages: [{ role: 'user', content }], max_tokens: 2 },
      { timeout },
    )
  await ask('Hello.', 30_000)
  expect(emulator.auditClients()).toMatchObject({ clean: true, requests: 2 })
  await ask('Hello.', 30_000)
  expect(emulator.auditClients()).toMatchObject({ clean: true, requests: 4 })
  await expect(ask('Too slow.', 200)).rejects.toThrow('timed out')
  await expect.poll(() => emulator.requests().length).toBe(6)
  const [first, second] = emulator.requests().slice(-2)
  expect(emulator.auditClients().clients[0]?.findings).toMatchObject([
    {
      kind: 'repeated-charged-request',
      count: 1,
      evidence: [{ requestId: second?.id, earlierRequestId: first?.id, charged: first?.charged }],
    },
  ])
})

test('reports a retry after the emulator closed the connection, only if the response was charged', async () => {
  await using emulator = await startEmulator({ faults: ['header=x-cut,cutAfterBytes=50', 'header=x-drop,drop=true'] })
  const { funded } = emulator.keys
  for (const name of ['x-drop', 'x-cut']) {
    const send = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: name }] })
      const authorization = `Bearer ${funded}`
      const init = { method: 'POST', headers: { authorization, ...headers }, body }
      return (await fetch(`${emulator.url}/v1/chat/completions`, init)).text()
    }
    await expect(send({ [name]: '1' })).rejects.toThrow(/fetch failed|terminated/)
    await sleep(30) // Waits, because requests within 25 ms of the failure do not count as retries.
    await send({})
    expect(await findingsOf(emulator, funded)).toEqual(name === 'x-cut' ? ['funded: 1 repeated-charged-request'] : [])
  }
})

test('reports a request with the Idempotency-Key of a charged request', async () => {
  await using emulator = await startEmulator()
  for (const key of ['a', 'b', 'a']) {
    const headers = { authorization: `Bearer ${emulator.keys.funded}`, 'idempotency-key': key }
    const body = JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Hello.' }] })
    await (await fetch(`${emulator.url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  }
  await findingsOf(emulator)
  const report = emulator.auditClients(emulator.keys.funded)
  expect(report.clients[0]?.findings[0]?.evidence).toMatchObject([{ requestId: 'req-3', earlierRequestId: 'req-1' }])
  expect(formatAuditReport(report)).toMatch(/req-3, repeats req-1, sent \d+ ms later, 0\.\d+ credits were charged/)
})

test('reports a stream that the client aborted', async () => {
  await using emulator = await startEmulator({
    latency: (await import('../../state/latency.ts')).LATENCY_PROFILES.typical,
  })
  const controller = new AbortController()
  const response = await sendChat(emulator, { stream: true, max_tokens: 500 }, { signal: controller.signal })
  await response.body?.getReader().read()
  controller.abort()
  await expect
    .poll(() => emulator.auditClients().clients[0]?.findings)
    .toMatchObject([{ kind: 'left-stream', count: 1 }])
})

test('reports a key in a URL without showing the key', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '1' })
  await (await fetch(`${emulator.url}/v1/models?api_key=${key}`)).text()
  await (await fetch(`${emulator.url}/v1/models/${key}`)).text()
  await (await fetch(`${emulator.url}/v1/models?limit=3`, { headers: { authorization: `Bearer ${key}` } })).text()
  expect(await findingsOf(emulator, key)).toEqual(['account-1: 2 secret-in-url'])
  const shown = [await callControl(emulator, '/client-audit'), await callControl(emulator, '/request-log')].map(
    ({ text }) => text,
  )
  expect(shown.join('')).not.toContain(key)
})

test('recognizes a repeated form despite its new boundary', async () => {
  await using emulator = await startEmulator()
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const form = new FormData()
    form.set('model', 'no-such-model')
    form.set('file', new Blob(['x']), 'x.wav')
    const headers = { authorization: `Bearer ${emulator.keys.funded}` }
    await (await fetch(`${emulator.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })).text()
  }
  expect(await findingsOf(emulator)).toEqual(['funded: 1 repeated-404'])
})

test('compares the costs that a client reports with the ledger', async () => {
  await using emulator = await startEmulator()
  const { id, key } = emulator.createAccount({ credits: '1' })
  await postJson(emulator, '/v1/images/generations', { model: 'vendora-v4-flash', prompt: 'a' }, { key })
  const charged = emulator.balance(key)?.chargedUnits ?? 0
  const credits = (units: number) => (units / 10_000).toFixed(4)
  const wrong = await callControl(emulator, '/client-audit/billing', {
    body: { account: id, credits: credits(charged - 2) },
  })
  expect(wrong.json).toMatchObject({ account: id, agrees: false, difference: '-0.0002', held: '0' })
  expect(emulator.auditClients(key).clients[0]?.findings).toMatchObject([
    { kind: 'billing-differs', credits: { believed: wrong.json.believed, charged: wrong.json.charged } },
  ])
  const right = await callControl(emulator, '/client-audit/billing', {
    body: { account: id, credits: credits(charged) },
  })
  expect(right.json).toMatchObject({ agrees: true, difference: '0' })
  expect(emulator.auditClients(key).clean).toBe(true)
  expect(
    (await callControl(emulator, '/client-audit/billing', { body: { account: 'nobody', credits: '1' } })).status,
  ).toBe(404)
  expect((await callControl(emulator, '/client-audit/billing', { body: { account: id, credits: 1 } })).status).toBe(400)
})
