import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../start-emulator.ts'
import { sendChat, postJson } from '../../tests/support/requests.ts'

async function statuses(emulator: Emulator, count: number, fields: object = {}): Promise<number[]> {
  const seen = []
  for (let index = 0; index < count; index += 1) {
    const response = await sendChat(emulator, fields)
    await response.arrayBuffer()
    seen.push(response.status)
  }
  return seen
}

const TIMES: [rule: string, expected: number[]][] = [
  ['times=2,status=500', [500, 500, 200, 200, 200, 200]],
  ['status=500', [500, 500, 500, 500, 500, 500]],
  ['every=3,status=429', [200, 200, 429, 200, 200, 429]],
  ['after=4,status=500', [200, 200, 200, 200, 500, 500]],
  ['ordinal=2,status=500', [200, 500, 200, 200, 200, 200]],
  ['after=1,every=2,times=1,status=500', [200, 200, 500, 200, 200, 200]],
  ['probability=0,status=500', [200, 200, 200, 200, 200, 200]],
  ['probability=1,times=1,status=500', [500, 200, 200, 200, 200, 200]],
]

test.each(TIMES)('%s affects the requests that it selects', async (rule, expected) => {
  await using emulator = await startEmulator({ faults: [rule] })
  expect(await statuses(emulator, 6)).toEqual(expected)
  const disturbed = expected.filter((status) => status !== 200).length
  expect(emulator.faults.list()).toMatchObject([{ id: 'fault-1', matched: 6, used: disturbed }])
})

test('injects only the fault of the first rule that selects a request', async () => {
  await using emulator = await startEmulator({
    faults: ['times=1,status=503', 'times=1,status=429', 'every=2,status=500'],
  })
  expect(await statuses(emulator, 5)).toEqual([503, 429, 200, 500, 200])
  await using other = await startEmulator({ faults: ['ordinal=1,status=503', 'ordinal=3,status=429'] })
  expect(await statuses(other, 4)).toEqual([503, 200, 429, 200])
})

test('matches a fault rule by account, key, operation, model and header', async () => {
  await using emulator = await startEmulator()
  const { id, key } = emulator.createAccount({ credits: '10' })
  const fail = async (rule: string) => {
    emulator.faults.clear()
    emulator.faults.add(`${rule},status=503`)
    const ask = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Hello.' }] }
    const calls = [
      sendChat(emulator),
      sendChat(emulator, { model: 'o3-mini' }),
      sendChat(emulator, {}, { key }),
      postJson(emulator, '/v1/audio/speech', { model: 'vendora-v4-flash', input: 'Hi' }),
      fetch(`${emulator.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } }),
      fetch(`${emulator.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${emulator.keys.funded}`, 'x-tenant': 'blue' },
        body: JSON.stringify(ask),
      }),
    ]
    return (await Promise.all(calls)).flatMap(({ status }, index) => (status === 503 ? [index] : []))
  }
  expect(await fail(`account=${id}`)).toEqual([2, 4])
  expect(await fail(`key=${key}`)).toEqual([2, 4])
  expect(await fail('operation=speech')).toEqual([3])
  expect(await fail('model=o3-mini')).toEqual([1])
  expect(await fail('header=X-Tenant')).toEqual([5])
  expect(await fail('header=x-tenant: blue')).toEqual([5])
  expect(await fail('header=x-tenant:red')).toEqual([])
  expect(await fail(`account=${id},operation=models`)).toEqual([4])
})

test('responds with an injected status without charging, holding or counting the request', async () => {
  await using emulator = await startEmulator({ faults: ['times=1,status=500'], frozenAtUnixSeconds: 1_750_000_000 })
  await using calm = await startEmulator({ frozenAtUnixSeconds: 1_750_000_000 })
  const { key } = emulator.createAccount({ credits: '10' })
  const failed = await sendChat(emulator, {}, { key })
  expect(await failed.json()).toMatchObject({ error: { message: 'Injected fault: fault-1.' } })
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: 0, heldUnits: 0 })
  expect(await (await sendChat(emulator, {}, { key })).text()).toBe(await (await sendChat(calm)).text())
})

test('sends the scripted body, header fields and Retry-After', async () => {
  const headers = { 'X-Reason': 'maintenance' }
  await using emulator = await startEmulator({
    faults: [
      { status: 429, body: { detail: 'slow down' }, headers, retryAfterSeconds: 7, times: 1 },
      'status=502,body=Bad Gateway',
    ],
  })
  const first = await sendChat(emulator)
  expect(Object.fromEntries(first.headers)).toMatchObject({ 'retry-after': '7', 'x-reason': 'maintenance' })
  expect([first.status, await first.json()]).toEqual([429, { detail: 'slow down' }])
  const second = await sendChat(emulator)
  expect([second.status, second.headers.get('content-type'), await second.text()]).toEqual([
    502,
    'text/plain',
    'Bad Gateway',
  ])
})

test('does not use up a fault for an invalid request', async () => {
  await using emulator = await startEmulator({ faults: ['times=1,status=503'] })
  expect(await statuses(emulator, 1, { temperature: 3 })).toEqual([400])
  expect(await statuses(emulator, 1, { model: 'nobody' })).toEqual([404])
  expect((await sendChat(emulator, {}, { key: 'sk-svc-nobody' })).status).toBe(401)
  expect(emulator.faults.list()).toMatchObject([{ matched: 0, used: 0 }])
  expect(await statuses(emulator, 2)).toEqual([503, 200])
})

test.each(['drop', 'reset'])('%s closes the connection without a response or a charge', async (action) => {
  await using emulator = await startEmulator({ faults: [`${action},times=1`] })
  const { key } = emulator.createAccount({ credits: '10' })
  const code = action === 'drop' ? 'UND_ERR_SOCKET' : 'ECONNRESET'
  await expect(sendChat(emulator, {}, { key })).rejects.toMatchObject({ cause: { code } })
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: 0, heldUnits: 0 })
  expect((await sendChat(emulator, {}, { key })).status).toBe(200)
})

test('reports no finding for a client that aborts a stream into which a fault was injected', async () => {
  for (const [rule, clean] of [
    ['stallAfterEvents=1', true],
    ['operation=models,drop', false],
  ] as const) {
    await using emulator = await startEmulator({ faults: [rule], answerTokens: 'fill' })
    const { key } = emulator.createAccount({ credits: '1000' })
    const leaver = new AbortController()
    const { body } = await sendChat(emulator, { stream: true, max_tokens: 100_000 }, { key, signal: leaver.signal })
    await body?.getReader().read()
    leaver.abort()
    await expect.poll(() => emulator.activeRequests()).toBe(0)
    expect(emulator.auditClients(key).clean).toBe(clean)
  }
})

test.each([
  [400, 'malformed_request', {}],
  [401, 'invalid_api_key', { 'www-authenticate': 'Bearer' }],
  [402, 'insufficient_credits', {}],
  [404, 'model_not_found', {}],
  [429, 'rate_limit_exceeded', { 'retry-after': '1' }],
  [503, 'injected_fault', {}],
])('an injected %i has the code %s and the header fields of the emulator itself', async (status, code, headers) => {
  await using emulator = await startEmulator({ faults: [{ status }], options: { challenge: 'bearer' } })
  const response = await sendChat(emulator)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ error: { message: 'Injected fault: fault-1.', code } })
  expect(Object.fromEntries(response.headers)).toMatchObject(headers)
})

test('replaces the body and header fields of an injected 429 with those of the rule', async () => {
  await using emulator = await startEmulator({
    faults: [
      { status: 429, retryAfterSeconds: 7, ordinal: 1 },
      { status: 429, body: { own: true } },
    ],
  })
  expect((await sendChat(emulator)).headers.get('retry-after')).toBe('7')
  const second = await sendChat(emulator)
  expect([await second.json(), second.headers.get('retry-after')]).toEqual([{ own: true }, null])
})
