import { ChatOpenAI } from '@langchain/openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectItems, TRANSPORTS, type TransportEmulator } from './support/servers.ts'

const MODEL = 'vendora-v4-flash'
const QUESTION = 'Say hello.'

describe.each(TRANSPORTS)('LangChain, %s', (_, reach) => {
  let emulator: TransportEmulator

  beforeAll(async () => {
    emulator = await reach()
  })
  afterAll(() => emulator.close())

  function chatWith(apiKey: string, fields: { model?: string; maxTokens?: number } = {}): ChatOpenAI {
    const { baseURL, fetch } = emulator
    return new ChatOpenAI({ model: MODEL, ...fields, apiKey, maxRetries: 0, configuration: { baseURL, fetch } })
  }

  test('generates a text with its usage', async () => {
    const message = await chatWith(emulator.keys.funded, { maxTokens: 2 }).invoke(QUESTION)
    expect(message.text).toMatch(/\w/)
    expect(message).toMatchObject({
      usage_metadata: { output_tokens: 2 },
      response_metadata: { finish_reason: 'length' },
    })
  })

  test('returns the same text with and without streaming', async () => {
    const whole = await chatWith(emulator.createAccount({ credits: '10' }).key).invoke(QUESTION)
    const stream = await chatWith(emulator.createAccount({ credits: '10' }).key).stream(QUESTION)
    const chunks = await collectItems(stream)
    expect(chunks.length).toBeGreaterThan(2)
    expect(chunks.map((chunk) => chunk.text).join('')).toBe(whole.text)
    expect(chunks.at(-1)?.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) })
    expect(chunks.at(-1)?.usage_metadata).toEqual(whole.usage_metadata)
  })

  const REFUSALS: [status: number, message: RegExp, key: () => string, model?: string][] = [
    [401, /API key is not valid/, () => 'sk-svc-nobody'],
    [402, /Insufficient credits/, () => emulator.keys.noCredits],
    [404, /nobody/, () => emulator.keys.funded, 'nobody'],
  ]

  test.each(REFUSALS)(
    'raises %d with the message, with and without streaming',
    async (status, message, key, model = MODEL) => {
      const chat = chatWith(key(), { model })
      for (const call of [() => chat.invoke(QUESTION), () => chat.stream(QUESTION)]) {
        const error = await call().catch((cause: unknown) => cause)
        expect(error).toMatchObject({ status, message: expect.stringMatching(message) })
      }
    },
  )

  test('raises 429 with the message', async () => {
    const chat = chatWith(emulator.keys.limited)
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => chat.invoke(QUESTION)))
    const rejected = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []))
    expect(rejected.length).toBeGreaterThan(0)
    expect(rejected[0]).toMatchObject({ status: 429, message: expect.stringMatching(/rate limit/) })
  })
})
