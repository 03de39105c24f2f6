import { fingerprintSecret } from '../../../common/secrets/fingerprint.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readOptions, startEmulator, type Emulator } from '../../start-emulator.ts'
import { sendChat } from '../../tests/support/requests.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-faults-'))
afterAll(() => rmSync(folder, { recursive: true }))

function control(emulator: Emulator, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${emulator.url}/__emulator${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
}

function chatWithHeader(emulator: Emulator, fault: string, content = 'Hello.'): Promise<Response> {
  return fetch(`${emulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.keys.funded}`, 'x-touchstone-fault': fault },
    body: JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content }] }),
  })
}

test('shows no character of a short API key', async () => {
  await using emulator = await startEmulator()
  const added = await control(emulator, 'POST', '/faults', { key: 'sk-svc-1234', status: 503 })
  expect(await added.json()).toMatchObject({ faults: [{ rule: { key: '(hidden)' } }] })
})

test('adds, enables, disables and removes fault rules through the control API, and counts their uses', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '10' })
  const added = await control(emulator, 'POST', '/faults', { key, status: 503 })
  const shown = {
    id: 'fault-1',
    enabled: true,
    matched: 0,
    used: 0,
    rule: { key: fingerprintSecret(key), status: 503 },
  }
  expect([added.status, await added.json()]).toEqual([201, { faults: [shown] }])
  await control(emulator, 'POST', '/faults', { faults: ['times=1,status=502', { operation: 'models', drop: true }] })

  expect((await sendChat(emulator, {}, { key })).status).toBe(503)
  const paused = await control(emulator, 'PATCH', '/faults/fault-1', { enabled: false })
  expect(await paused.json()).toMatchObject({ enabled: false, used: 1 })
  expect((await sendChat(emulator, {}, { key })).status).toBe(502)
  expect((await sendChat(emulator, {}, { key })).status).toBe(200)
  expect((await control(emulator, 'DELETE', '/faults/fault-1')).status).toBe(204)
  const { faults } = (await (await control(emulator, 'GET', '/faults')).json()) as { faults: object[] }
  expect(faults).toMatchObject([
    { id: 'fault-2', matched: 3, used: 1 },
    { id: 'fault-3', matched: 0 },
  ])
  expect((await control(emulator, 'DELETE', '/faults')).status).toBe(204)
  expect(emulator.faults.list()).toEqual([])
})

test('rejects an invalid fault rule through the control API with one sentence, and adds no rule', async () => {
  await using emulator = await startEmulator()
  const wrong = await control(emulator, 'POST', '/faults', [{ status: 500 }, { status: 1000 }])
  const error = 'Fault 2 is invalid. "status" of a fault must be an integer from 200 to 599.'
  expect([wrong.status, await wrong.json()]).toEqual([400, { error }])
  expect(emulator.faults.list()).toEqual([])
  expect((await control(emulator, 'PATCH', '/faults/fault-9', { enabled: true })).status).toBe(404)
  expect((await control(emulator, 'DELETE', '/faults/fault-9')).status).toBe(404)
})

test('allows at most 1000 fault rules', async () => {
  await using emulator = await startEmulator({ faults: Array.from({ length: 999 }, () => 'drop') })
  emulator.faults.add('drop')
  expect(() => emulator.faults.add('drop')).toThrow('There can be at most 1000 faults.')
  expect((await control(emulator, 'POST', '/faults', { drop: true })).status).toBe(400)
})

test('restores the initial rules with counters at 0 on reset', async () => {
  await using emulator = await startEmulator({ faults: ['times=1,status=503'] })
  emulator.faults.add('status=502')
  expect([(await sendChat(emulator)).status, (await sendChat(emulator)).status]).toEqual([503, 502])
  await control(emulator, 'POST', '/reset')
  expect([(await sendChat(emulator)).status, (await sendChat(emulator)).status]).toEqual([503, 200])
})

test('applies a rule from a header if the option allows it, and counts per request', async () => {
  await using emulator = await startEmulator({ allowFaultHeader: true })
  const seen = []
  for (const content of ['one', 'one', 'two', 'one', 'two', 'two']) {
    seen.push((await chatWithHeader(emulator, 'times=2,status=500', content)).status)
  }
  expect(seen).toEqual([500, 500, 500, 200, 500, 200])
  expect((await sendChat(emulator)).status).toBe(200)
  const wrong = await chatWithHeader(emulator, 'stauts=500')
  expect(wrong.status).toBe(400)
  expect(await wrong.text()).toContain('A fault has no field \\"stauts\\"')
})

test('ignores a rule from a header if the option does not allow it', async () => {
  await using emulator = await startEmulator()
  expect((await chatWithHeader(emulator, 'status=500')).status).toBe(200)
})

test('selects a share of requests by seed and request, not by order of arrival', async () => {
  const contents = Array.from({ length: 60 }, (_, index) => `question ${index % 20}`)
  const failing = async (seed: number, order: readonly string[]) => {
    await using emulator = await startEmulator({ seed, faults: ['probability=0.3,status=500'] })
    const ask = async (content: string) => {
      const { status } = await sendChat(emulator, { messages: [{ role: 'user', content }] })
      return `${content} ${status}`
    }
    return (await Promise.all(order.map(ask))).toSorted()
  }
  const expected = await failing(1, contents)
  expect(await failing(1, contents.toReversed())).toEqual(expected)
  expect(await failing(2, contents)).not.toEqual(expected)
  const hit = expected.filter((line) => line.endsWith('500')).length
  expect(hit).toBeGreaterThan(5)
  expect(hit).toBeLessThan(35)
})

test('combines fault rules from flags, files and the environment', () => {
  const file = join(folder, 'faults.json')
  writeFileSync(file, JSON.stringify({ faults: [{ drop: true }, 'status=502'] }))
  const options = readOptions([
    ['fault', ['operation=chat,times=2,status=500', '{"status":429,"headers":{"a":"1,2"}}']],
    ['faults', file],
    ['allowFaultHeader', true],
  ])
  expect(options).toMatchObject({
    allowFaultHeader: true,
    faults: [
      { operation: 'chat', times: 2, status: 500 },
      { status: 429, headers: { a: '1,2' } },
      { drop: true },
      { status: 502 },
    ],
  })
})

const WRONG: [rule: string, sentence: RegExp][] = [
  ['', /has no field ""/],
  ['statsu=500', /has no field "statsu"\. Did you mean "status"\? The fields are account,/],
  ['__proto__=1,status=500', /has no field "__proto__"/],
  ['status=5oo', /"status" of a fault must be an integer from 200 to 599/],
  ['status=500,times=0', /"times" of a fault must be an integer of at least 1/],
  ['status=500,times', /"times" of a fault must be an integer/],
  ['status=500,operation=chats', /"operation" of a fault must be one of models, chat/],
  ['status=500,probability=2', /"probability" of a fault must be a number from 0 to 1/],
  ['delayMs=-1', /"delayMs" of a fault must be an integer from 0 to 86400000/],
  ['drop=false', /"drop" of a fault must be true/],
  ['operation=chat', /needs an action/],
  ['status=500,drop', /can have "status" or "drop", but not both/],
  ['status=500,reset', /"reset" can be used alone or with "cutAfterEvents"/],
  ['drop,itlMs=5', /"drop" sends no events/],
  ['operation=images,loseAt=after-first-token', /only to streams, and images has none/],
  ['loseAt=body', /"loseAt" of a fault must be one of connection, before-head, in-head,/],
  ['loseAt=in-body,drop', /can have "loseAt" or "drop", but not both/],
  ['loseAt=before-head,malformedEvent=1', /"loseAt" sends no events/],
  ['loseAt=in-body,refuseMs=5', /"refuseMs" needs "loseAt" with the value "connection"/],
  ['body=x,delayMs=5', /"body" needs "status" or "errorAfterEvents"/],
  ['contentType=a\nb', /"contentType" of a fault must be a media type/],
  ['{"status":500', /must be an object such as/],
  ['{"status":500,"headers":{"a b":"c"}}', /"headers" of a fault must be an object of header fields/],
]

test.each(WRONG)('rejects the rule %j', (rule, sentence) => {
  expect(() => readOptions([['fault', [rule]]])).toThrow(sentence)
})

test('names a fault file that it cannot read', () => {
  const broken = join(folder, 'broken.json')
  writeFileSync(broken, '{"faults": [')
  expect(() => readOptions([['faults', broken]])).toThrow(/broken\.json is not valid JSON/)
  expect(() => readOptions([['faults', join(folder, 'none.json')]])).toThrow(
    /none\.json cannot be read \(ENOENT\)\. Check the path\.$/,
  )
})

test('rejects a fault body that JSON cannot represent, and a header field that Node would not send', async () => {
  await using emulator = await startEmulator()
  const deep = `{"status": 500, "body": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const headers = { 'content-type': 'application/json' }
  const added = await fetch(`${emulator.url}/__emulator/faults`, { method: 'POST', headers, body: deep })
  expect([added.status, await added.json()]).toEqual([
    400,
    { error: 'The body is invalid: Nested more than 512 deep.' },
  ])
  expect((await control(emulator, 'POST', '/faults', { status: 500, headers: { Trailer: 'x' } })).status).toBe(400)
  expect(await (await control(emulator, 'GET', '/faults')).json()).toEqual({ faults: [] })
})
