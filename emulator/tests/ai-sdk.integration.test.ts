import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, streamText } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectItems, TRANSPORTS, type TransportEmulator } from './support/servers.ts'

const MODEL = 'vendora-v4-flash'
const QUESTION = { prompt: 'Say hello.', maxRetries: 0 }

describe.each(TRANSPORTS)('AI SDK, %s', (_, reach) => {
  let emulator: TransportEmulator

  beforeAll(async () => {
    emulator = await reach()
  })
  afterAll(() => emulator.close())

  function modelFor(apiKey: string, model: string = MODEL) {
    const { baseURL, fetch } = emulator
    return createOpenAICompatible({ name: 'emulator', baseURL, fetch, apiKey, includeUsage: true })(model)
  }

  test('generates a text with its usage', async () => {
    const model = modelFor(emulator.keys.funded)
    const { text, usage, finishReason } = await generateText({ ...QUESTION, model, maxOutputTokens: 2 })
    expect(text).toMatch(/\w/)
    expect(usage.outputTokens).toBe(2)
    expect(usage.totalTokens).toBe(2 + (usage.inputTokens ?? Number.NaN))
    expect(finishReason).toBe('length')
  })

  test('returns the same text with and without streaming', async () => {
    const whole = await generateText({ ...QUESTION, model: modelFor(emulator.createAccount({ credits: '10' }).key) })
    const stream = streamText({ ...QUESTION, model: modelFor(emulator.createAccount({ credits: '10' }).key) })
    const deltas = await collectItems(stream.textStream)
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join('')).toBe(whole.text)
    expect(await stream.usage).toEqual(whole.usage)
    expect(await stream.finishReason).toBe(whole.finishReason)
  })

  const REFUSALS: [status: number, message: RegExp, key: () => string, model?: string][] = [
    [401, /API key is not valid/, () => 'sk-svc-nobody'],
    [402, /Insufficient credits/, () => emulator.keys.noCredits],
    [404, /nobody/, () => emulator.keys.funded, 'nobody'],
  ]

  test.each(REFUSALS)('raises %d with the message', async (status, message, key, model) => {
    const error = await generateText({ ...QUESTION, model: modelFor(key(), model) }).catch((cause: unknown) => cause)
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: status, message: expect.stringMatching(message), isRetryable: false })
  })

  test('raises an error for a rejected stream', async () => {
    const errors: unknown[] = []
    const stream = streamText({
      ...QUESTION,
      model: modelFor(emulator.keys.noCredits),
      onError: ({ error }) => void errors.push(error),
    })
    await stream.consumeStream()
    expect(errors).toMatchObject([{ statusCode: 402, message: expect.stringMatching(/Insufficient credits/) }])
  })

  test('raises 429 as retryable, with the message', async () => {
    const model = modelFor(emulator.keys.limited)
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => generateText({ ...QUESTION, model })))
    const rejected = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []))
    expect(rejected.length).toBeGreaterThan(0)
    expect(rejected[0]).toMatchObject({
      statusCode: 429,
      message: expect.stringMatching(/rate limit/),
      isRetryable: true,
    })
  })
})
