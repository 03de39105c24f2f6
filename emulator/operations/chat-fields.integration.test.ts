import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { LATENCY_PROFILES } from '../state/latency.ts'
import { postJson, sendChat } from '../tests/support/requests.ts'

const MODEL = 'vendora-v4-flash'
/** Price of the tested model, in units of 0.0001 credit per token. */
const UNITS_PER_TOKEN = 4
const request = { model: MODEL, messages: [{ role: 'user' as const, content: 'Tell me a story.' }] }

type Fields = Omit<Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, 'stream'>

/** Requests a completion with a new account, so that the request counter of the account is 0. */
async function complete(emulator: Emulator, fields: Fields = {}) {
  const { key } = emulator.createAccount({ credits: '100' })
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: key, maxRetries: 0 })
  const completion = await client.chat.completions.create({ ...request, ...fields })
  expect(emulator.balance(key)?.chargedUnits).toBe((completion.usage?.total_tokens ?? NaN) * UNITS_PER_TOKEN)
  return completion
}

async function stream(emulator: Emulator, fields: Fields = {}) {
  const { key } = emulator.createAccount({ credits: '100' })
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: key, maxRetries: 0 })
  const streaming = client.chat.completions.stream({
    ...request,
    ...fields,
    stream_options: { include_usage: true },
  })
  const completion = await streaming.finalChatCompletion()
  expect(emulator.balance(key)?.chargedUnits).toBe((completion.usage?.total_tokens ?? NaN) * UNITS_PER_TOKEN)
  return completion
}

const textOf = ({ choices }: OpenAI.ChatCompletion, index = 0) => choices[index]?.message.content ?? ''

test('truncates a completion at the smaller of max_completion_tokens and max_tokens', async () => {
  await using emulator = await startEmulator({ answerTokens: 'fill' })
  const old = await complete(emulator, { max_tokens: 5 })
  expect(await complete(emulator, { max_completion_tokens: 5 })).toMatchObject({
    usage: { completion_tokens: 5 },
    choices: [{ finish_reason: 'length', message: { content: textOf(old) } }],
  })
  for (const [max_tokens, max_completion_tokens] of [
    [7, 4],
    [4, 7],
  ]) {
    const { usage } = await complete(emulator, {
      max_tokens: max_tokens ?? 0,
      max_completion_tokens: max_completion_tokens ?? 0,
    })
    expect(usage?.completion_tokens).toBe(4)
  }
})

test('holds no more credits than max_completion_tokens can cost', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '0.01' })
  const response = await sendChat(emulator, { ...request, max_completion_tokens: 10 }, { key })
  expect(response.status).toBe(200)
})

test('sends and charges n choices, with and without streaming; the first equals the single choice without n', async () => {
  await using emulator = await startEmulator()
  const single = await complete(emulator)
  const several = await complete(emulator, { n: 3 })
  expect(several.choices.map(({ index }) => index)).toEqual([0, 1, 2])
  expect(textOf(several)).toBe(textOf(single))
  expect(new Set(several.choices.map((_, index) => textOf(several, index))).size).toBe(3)
  expect(several.usage?.prompt_tokens).toBe(single.usage?.prompt_tokens)
  expect(several.usage?.completion_tokens).toBeGreaterThan(single.usage?.completion_tokens ?? NaN)
  const streamed = await stream(emulator, { n: 3 })
  expect(streamed.choices.map((_, index) => textOf(streamed, index))).toEqual(
    several.choices.map((_, index) => textOf(several, index)),
  )
  expect(streamed.usage).toEqual(several.usage)
})

test('streams the choices alternately, and charges an aborted stream for the sent tokens of all choices', async () => {
  await using emulator = await startEmulator({ answerTokens: 'fill', latency: LATENCY_PROFILES.fast })
  const { key } = emulator.createAccount({ credits: '100' })
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: key })
  const indices: number[] = []
  const chunks = await client.chat.completions.create({ ...request, n: 2, stream: true })
  for await (const { choices } of chunks) {
    if (typeof choices[0]?.delta.content === 'string' && choices[0].delta.content !== '') indices.push(choices[0].index)
    if (indices.length === 4) break
  }
  expect(indices).toEqual([0, 1, 0, 1])
  await expect.poll(() => emulator.balance(key)?.heldUnits).toBe(0)
  const { usage } = await complete(emulator, { max_tokens: 1 })
  const chargedTokens = (emulator.balance(key)?.chargedUnits ?? NaN) / UNITS_PER_TOKEN
  const completionTokens = chargedTokens - (usage?.prompt_tokens ?? NaN)
  expect(completionTokens).toBeGreaterThanOrEqual(4)
  expect(completionTokens).toBeLessThan(256) // Without truncation, both choices together have 512 tokens.
})

test('ends the text before the first stop sequence, even within a token, with the finish reason stop', async () => {
  await using emulator = await startEmulator({ answerTokens: 40 })
  const text = textOf(await complete(emulator))
  const stop = text.slice(21, 25)
  const expected = text.slice(0, text.indexOf(stop))
  for (const cut of [await complete(emulator, { stop }), await stream(emulator, { stop: ['never seen', stop] })]) {
    expect(cut.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expected } })
    expect(cut.usage?.completion_tokens).toBeLessThan(12)
  }
  expect(textOf(await complete(emulator, { stop: 'never seen' }))).toBe(text)
})

test('sends the same message for the same seed field, and a different message for a different seed', async () => {
  await using emulator = await startEmulator({ answerTokens: 20 })
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: emulator.keys.funded })
  const create = (seed: number) => client.chat.completions.create({ ...request, seed })
  const [first, second, other] = [await create(1), await create(1), await create(2)]
  expect(textOf(second)).toBe(textOf(first))
  expect(second.id).not.toBe(first.id)
  expect(textOf(other)).not.toBe(textOf(first))
})

test.each([
  ['n', { n: 11 }, 'from 1 to 10'],
  ['max_completion_tokens', { max_completion_tokens: 0 }, 'from 1 to'],
  ['seed', { seed: 'x' }, 'must be an integer'],
  ['stop', { stop: 7 }, 'must be a string'],
])('rejects an invalid %s with 400: %o', async (param, fields, sentence) => {
  await using emulator = await startEmulator()
  const response = await sendChat(emulator, { ...request, ...fields })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param, message: expect.stringContaining(sentence) } })
})

test('treats null in an optional field like a missing field', async () => {
  await using emulator = await startEmulator({ options: { 'unknown-fields': 'refused' } })
  const fields = { n: null, stop: null, seed: null, tools: null, response_format: null, logprobs: null }
  expect((await sendChat(emulator, { ...request, ...fields })).status).toBe(200)
})

/** The emulator serves the first option, and has no feature that the second value could disable. */
const STREAM_OPTIONS = { include_usage: true, other: false, include_obfuscation: true }

test('lists fields that have no effect in the request log and, if an option is set, in a header', async () => {
  await using emulator = await startEmulator({ options: { 'ignored-fields-header': 'sent', stop: 'ignored' } })
  const fields = { n: 1, stop: 'x', logit_bias: {}, user: 'me', top_p: null, 'ä,b': 1, stream_options: STREAM_OPTIONS }
  const response = await sendChat(emulator, { ...request, ...fields })
  expect(response.headers.get('x-touchstone-ignored-fields')).toBe(
    'stop, logit_bias, user, %C3%A4%2Cb, stream_options.include_obfuscation',
  )
  const plain = await sendChat(emulator, request)
  expect(plain.headers.has('x-touchstone-ignored-fields')).toBe(false)
  const { entries } = (await (await fetch(`${emulator.url}/__emulator/request-log`)).json()) as { entries: object[] }
  expect(entries).toMatchObject([
    { ignoredFields: ['stop', 'logit_bias', 'user', 'ä,b', 'stream_options.include_obfuscation'] },
    { ignoredFields: [] },
  ])
})

test('with unknown-fields=refused, rejects only fields that have no effect, and never stream_options', async () => {
  await using emulator = await startEmulator({ options: { 'unknown-fields': 'refused' } })
  const send = async (fields: object) => (await sendChat(emulator, { ...request, ...fields })).status
  expect(await send({ stream: true, stream_options: { include_usage: true } })).toBe(200)
  expect(await send({ n: 2, seed: 1, response_format: { type: 'json_object' } })).toBe(200)
  expect(await send({ logprobs: true })).toBe(200)
  expect(await send({ logit_bias: {} })).toBe(400)
  expect(await send({ unknown: 1 })).toBe(400)
})

test('sends log probabilities of each token, streamed and not, without changing the text or the charge', async () => {
  const fields = { logprobs: true, top_logprobs: 3, n: 2, max_tokens: 20 }
  await using emulator = await startEmulator({ fixtures: [{ message: 'Say Zürich.', text: 'Zürich, of course.' }] })
  const whole = await complete(emulator, fields)
  const streamed = await stream(emulator, fields)
  const plain = await complete(emulator, { n: 2, max_tokens: 20 })
  for (const index of [0, 1]) {
    const content = whole.choices[index]?.logprobs?.content ?? []
    expect(content.map(({ token }) => token).join('')).toBe(textOf(plain, index))
    expect(streamed.choices[index]?.logprobs?.content).toEqual(content)
    for (const { token, logprob, top_logprobs: top } of content) {
      expect(top.map((one) => one.logprob)).toEqual(top.map((one) => one.logprob).toSorted((one, other) => other - one))
      expect(top[0]).toMatchObject({ token, logprob })
      expect(new Set(top.map((one) => one.token)).size).toBe(3)
      expect(top.reduce((sum, one) => sum + Math.exp(one.logprob), 0)).toBeLessThanOrEqual(1)
    }
  }
  expect(whole.choices[0]?.logprobs).not.toEqual(whole.choices[1]?.logprobs)
  const messages = [{ role: 'user' as const, content: 'Say Zürich.' }]
  const [scripted] = (await complete(emulator, { messages, logprobs: true })).choices
  expect(scripted?.logprobs?.content?.[0]).toMatchObject({ token: 'Zürich', bytes: [90, 195, 188, 114, 105, 99, 104] })
  expect(scripted?.logprobs?.content?.[0]?.top_logprobs).toEqual([])
  expect((await sendChat(emulator, { ...request, logprobs: 1 })).status).toBe(400)
  expect((await sendChat(emulator, { ...request, logprobs: true, top_logprobs: 21 })).status).toBe(400)
})

test('counts an image in a prompt by its size, not by its bytes', async () => {
  await using emulator = await startEmulator()
  const { data } = (await (
    await postJson(emulator, '/v1/images/generations', { model: MODEL, prompt: 'cat', size: '1024x512' })
  ).json()) as { data: [{ url: string }] }
  const picture = await (await fetch(data[0].url)).bytes()
  const image_url = { url: `data:image/png;base64,${Buffer.from(picture).toString('base64')}` }
  const text = { type: 'text' as const, text: 'What is this?' }
  const promptTokens = async (content: OpenAI.ChatCompletionContentPart[]) => {
    const { usage } = await complete(emulator, { messages: [{ role: 'user', content }] })
    return usage?.prompt_tokens ?? NaN
  }
  const bare = await promptTokens([text])
  expect(await promptTokens([text, { type: 'image_url', image_url }])).toBe(bare + 85 + 2 * 170)
  const low = { ...image_url, detail: 'low' as const }
  expect(await promptTokens([{ type: 'image_url', image_url: low }, text])).toBe(bare + 85)
})
