import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { afterAll, describe, expect } from 'vitest'
import { sendChat } from './support/requests.ts'
import OpenAI from 'openai'
import { emulatorServerTest, emulatorTest } from '../vitest.ts'

const CHAT = 'http://emulator.test/v1/chat/completions'

function request(key: string, fields: object = {}): RequestInit {
  const body = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Say hello.' }], ...fields }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

const test = emulatorTest({ credits: '0.5', frozenAtUnixSeconds: 1_750_000_000 })
const fillTest = emulatorTest({ answerTokens: 'fill' }) // The completion is longer than the send buffer.
const serverTest = emulatorServerTest()

describe('each of many concurrent tests has its own emulator and key', () => {
  const keys = new Set<string>()
  const results = new Set<string>()
  afterAll(() => {
    expect(keys.size).toBe(10)
    expect(results.size).toBe(1) // This is the first request of each account, so all responses are equal.
  })

  test.concurrent.for(Array.from({ length: 10 }, (_, index) => index))(
    'provides a separate emulator and key to concurrent test %d',
    async (_, { emulator, key }) => {
      keys.add(key)
      expect(emulator.balance(key)).toMatchObject({ startUnits: 5000, chargedUnits: 0 })
      results.add(await (await emulator.fetch(CHAT, request(key))).text())
      expect(emulator).toHaveNoClientFindings()
      expect(emulator.auditClients().requests).toBe(1)
    },
  )
})

test('a test fails with the findings of the client audit and their requests', async ({ emulator, key }) => {
  await emulator.fetch(CHAT, request(key, { temperature: 3 }))
  expect(emulator).toHaveNoClientFindings()
  await emulator.fetch(CHAT, request(key, { temperature: 3 }))
  expect(emulator).not.toHaveNoClientFindings()
  expect(() => expect(emulator).toHaveNoClientFindings()).toThrow(
    new RegExp(
      `in 2 request.*account-1 \\(key ${fingerprintSecret(key)}\\):.*repeated-400: .*req-2, repeats req-1`,
      's',
    ),
  )
  expect(() => expect(emulator).not.toHaveNoClientFindings(emulator.keys.funded)).toThrow('There was no request')
})

test('a test that requires a client audit fails if no request was sent', ({ emulator }) => {
  expect(() => expect(emulator).toHaveNoClientFindings()).toThrow('There was no request')
  expect(() => expect(emulator).not.toHaveNoClientFindings()).toThrow('There was no request')
})

fillTest('fails while a response is in progress', async ({ emulator, key }) => {
  const stream = await emulator.fetch(CHAT, request(key, { stream: true, max_tokens: 1000 }))
  expect(() => expect(emulator).toHaveNoClientFindings()).toThrow('1 request(s) are still in progress')
  await stream.text()
  expect(emulator).toHaveNoClientFindings()
})

fillTest('fails for an aborted stream', async ({ emulator, key }) => {
  const stream = await emulator.fetch(CHAT, request(key, { stream: true, max_tokens: 1000 }))
  await stream.body?.cancel()
  expect(() => expect(emulator).toHaveNoClientFindings(key)).toThrow('left-stream')
})

serverTest('provides an emulator with a port', async ({ emulator, key }) => {
  expect(await (await sendChat(emulator, {}, { key })).json()).toMatchObject({ object: 'chat.completion' })
  expect(emulator).toHaveNoClientFindings(key)
})

const fixtures = [{ message: 'Say hello.', text: 'Hello!' }]
const QUESTION = { model: 'vendora-v4-flash', messages: [{ role: 'user' as const, content: 'Say hello.' }] }

emulatorTest({ fixtures })('connects an SDK without a port', async ({ emulator, key, clientOptions }) => {
  const completion = await new OpenAI(clientOptions).chat.completions.create(QUESTION)
  expect(completion.choices[0]?.message.content).toBe('Hello!')
  expect(emulator.balance(key)?.chargedUnits).toBeGreaterThan(0)
})

emulatorServerTest({ fixtures })('connects an SDK to a port', async ({ emulator, key, clientOptions }) => {
  expect(clientOptions).toEqual({ baseURL: `${emulator.url}/v1`, apiKey: key })
  const completion = await new OpenAI(clientOptions).chat.completions.create(QUESTION)
  expect(completion.choices[0]?.message.content).toBe('Hello!')
})

emulatorTest({ fixtures })('lists requests with their bodies', async ({ emulator, key, clientOptions }) => {
  await new OpenAI(clientOptions).chat.completions.create(QUESTION)
  await new OpenAI({ ...clientOptions, maxRetries: 0 }).models.list()
  const [chat, models] = emulator.requests(key)
  expect([chat?.operation, chat?.status, chat?.fixture, models?.operation]).toEqual([
    'chat',
    200,
    'fixture-1',
    'models',
  ])
  expect(JSON.parse(chat?.bodies?.request ?? '')).toEqual(QUESTION)
  expect(JSON.parse(chat?.bodies?.response ?? '')).toMatchObject({ choices: [{ message: { content: 'Hello!' } }] })
  expect(emulator.requests(emulator.keys.funded)).toEqual([])
})

emulatorServerTest({ requestLog: { bodies: 0 } })(
  'keeps no bodies if the options say so',
  async ({ emulator, key, clientOptions }) => {
    await new OpenAI(clientOptions).chat.completions.create(QUESTION)
    expect(emulator.requests(key).map(({ bodies }) => bodies)).toEqual([undefined])
  },
)
