import OpenAI, { APIError, AuthenticationError, NotFoundError, RateLimitError, toFile } from 'openai'
import { decode } from 'fast-png'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MODELS } from '../../contract/facts.ts'
import { TRANSPORTS, type TransportEmulator } from './support/servers.ts'

const QUESTION = { model: 'vendora-v4-flash', messages: [{ role: 'user' as const, content: 'Say hello.' }] }

/**
 * Section 1 states that existing clients need only a different base URL and key. These tests therefore call every
 * operation through the official SDK.
 */
describe.each(TRANSPORTS)('OpenAI SDK, %s', (_, reach) => {
  let emulator: TransportEmulator
  let client: OpenAI

  beforeAll(async () => {
    emulator = await reach()
    client = clientWith(emulator.keys.funded)
  })
  afterAll(() => emulator.close())

  function clientWith(apiKey: string, { baseURL, fetch } = emulator): OpenAI {
    return new OpenAI({ baseURL, fetch, apiKey, maxRetries: 0 })
  }

  test('lists the models', async () => {
    const { data } = await client.models.list()
    expect(data.map((model) => model.id)).toEqual(MODELS.map((model) => model.id))
  })

  test('completes a chat', async () => {
    const completion = await client.chat.completions.create({ ...QUESTION, max_tokens: 20 })
    expect(completion.choices[0]?.message.content).toMatch(/\w/)
    expect(completion.usage?.completion_tokens).toBeLessThanOrEqual(20)
  })

  test('streams by iteration and by the helper, with the same usage as without streaming', async () => {
    const { key } = emulator.createAccount({ credits: '10' }) // Uses a new account, so that its request counter is 0.
    const whole = await clientWith(key).chat.completions.create(QUESTION)
    const other = clientWith(emulator.createAccount({ credits: '10' }).key)
    const helped = await other.chat.completions
      .stream({ ...QUESTION, stream_options: { include_usage: true } })
      .finalChatCompletion()
    expect(helped.choices[0]?.message.content).toBe(whole.choices[0]?.message.content)
    expect(helped.usage).toEqual(whole.usage)

    let text = ''
    for await (const chunk of await other.chat.completions.create({ ...QUESTION, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? ''
    }
    const again = await clientWith(key).chat.completions.create(QUESTION)
    expect(text).toBe(again.choices[0]?.message.content)
  })

  test('generates images whose URLs return images of the requested size', async () => {
    const { data } = await client.images.generate({ model: 'vendorc-4o', prompt: 'a cat', n: 2, size: '512x512' })
    expect(data).toHaveLength(2)
    const images = await Promise.all((data ?? []).map(async ({ url }) => (await emulator.fetch(url ?? '')).bytes()))
    expect(images.map((bytes) => decode(bytes))).toMatchObject([
      { width: 512, height: 512 },
      { width: 512, height: 512 },
    ])
    expect(images[0]).not.toEqual(images[1])
  })

  test('generates speech whose transcription is the input, even in another emulator', async () => {
    const input = 'The quick brown fox — “naïve” 🦊'
    const speech = await client.audio.speech.create({ model: 'vendorc-4o-mini', voice: 'alloy', input })
    expect(speech.headers.get('content-type')).toBe('audio/mpeg')
    const bytes = await speech.bytes()
    const another = await reach({ seed: 99 })
    const elsewhere = clientWith(another.keys.funded, another)
    for (const listener of [client, elsewhere]) {
      const file = await toFile(bytes, 'speech.mp3')
      expect(await listener.audio.transcriptions.create({ model: 'o3-mini', file })).toEqual({ text: input })
    }
    await another.close()
  })

  const REFUSALS: [status: number, type: new (...args: never[]) => APIError, call: () => Promise<unknown>][] = [
    [401, AuthenticationError, () => clientWith('sk-svc-nobody').models.list()],
    [402, APIError, () => clientWith(emulator.keys.noCredits).chat.completions.create(QUESTION)],
    [402, APIError, () => clientWith(emulator.keys.noCredits).chat.completions.create({ ...QUESTION, stream: true })],
    [404, NotFoundError, () => client.chat.completions.create({ ...QUESTION, model: 'nobody' })],
    [
      429,
      RateLimitError,
      () =>
        Promise.all(
          Array.from({ length: 20 }, () => clientWith(emulator.keys.limited).chat.completions.create(QUESTION)),
        ),
    ],
  ]

  test.each(REFUSALS)('raises the error class of %d, with the message', async (status, type, call) => {
    const error = await call().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ status, error: { message: expect.any(String), code: expect.any(String) } })
  })
})
