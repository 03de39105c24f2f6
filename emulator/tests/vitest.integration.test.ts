import { afterAll, describe, expect } from 'vitest'
import { chat } from './support/requests.ts'
import { emulatorServerTest, emulatorTest } from '../vitest.ts'

const CHAT = 'http://emulator.test/v1/chat/completions'

function request(key: string, fields: object = {}): RequestInit {
  const body = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Say hello.' }], ...fields }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

const test = emulatorTest({ credits: '0.5', frozenAtUnixSeconds: 1_750_000_000 })
const fillTest = emulatorTest({ answerTokens: 'fill' }) // longer than what a buffer takes
const serverTest = emulatorServerTest()

describe('emulator and key of each of many concurrent tests', () => {
  const keys = new Set<string>()
  const answers = new Set<string>()
  afterAll(() => {
    expect(keys.size).toBe(10)
    expect(answers.size).toBe(1) // for each of them it was the first answer to this question
  })

  test.concurrent.for(Array.from({ length: 10 }, (_, index) => index))('test %d', async (_, { emulator, key }) => {
    keys.add(key)
    expect(emulator.balance(key)).toMatchObject({ startUnits: 5000, chargedUnits: 0 })
    answers.add(await (await emulator.fetch(CHAT, request(key))).text())
    expect(emulator).toHaveCleanConduct()
    expect(emulator.conduct().requests).toBe(1)
  })
})

test('fails with the findings and their requests', async ({ emulator, key }) => {
  await emulator.fetch(CHAT, request(key, { temperature: 3 }))
  expect(emulator).toHaveCleanConduct()
  await emulator.fetch(CHAT, request(key, { temperature: 3 }))
  expect(emulator).not.toHaveCleanConduct()
  expect(() => expect(emulator).toHaveCleanConduct()).toThrow(
    new RegExp(`in 2 request.*account-1 \\(key …${key.slice(-4)}\\):.*repeated-400: .*req-2, repeats req-1`, 's'),
  )
  expect(() => expect(emulator).not.toHaveCleanConduct(emulator.keys.funded)).toThrow('No request came in')
})

test('finds nothing if no client called', ({ emulator }) => {
  expect(() => expect(emulator).toHaveCleanConduct()).toThrow('No request came in')
  expect(() => expect(emulator).not.toHaveCleanConduct()).toThrow('No request came in')
})

fillTest('nothing is said while an answer is under way', async ({ emulator, key }) => {
  const stream = await emulator.fetch(CHAT, request(key, { stream: true, max_tokens: 1000 }))
  expect(() => expect(emulator).toHaveCleanConduct()).toThrow('1 request(s) are still being answered')
  await stream.text()
  expect(emulator).toHaveCleanConduct()
})

fillTest('whoever leaves a stream is told so', async ({ emulator, key }) => {
  const stream = await emulator.fetch(CHAT, request(key, { stream: true, max_tokens: 1000 }))
  await stream.body?.cancel()
  expect(() => expect(emulator).toHaveCleanConduct(key)).toThrow('left-stream')
})

serverTest('there is one with a port, too', async ({ emulator, key }) => {
  expect(await (await chat(emulator, {}, { key })).json()).toMatchObject({ object: 'chat.completion' })
  expect(emulator).toHaveCleanConduct(key)
})
