import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'
import { sendChat, parseChunks, postJson } from './support/requests.ts'

interface Completion {
  choices: [{ message: { content: string }; finish_reason: string }]
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
}

test('charges a completion for its tokens at the price of its model, to the unit', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '100' })
  const response = await sendChat(emulator, { model: 'vendorc-4o' }, { key })
  const { usage } = (await response.json()) as Completion
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
  expect(emulator.balance(key)).toEqual({
    startUnits: 1_000_000,
    availableUnits: 1_000_000 - usage.total_tokens * 100,
    heldUnits: 0,
    chargedUnits: usage.total_tokens * 100,
  })
})

test('charges a stream like the same completion without streaming, and sends the same text', async () => {
  await using emulator = await startEmulator()
  const [one, two] = [emulator.createAccount({ credits: '10' }), emulator.createAccount({ credits: '10' })]
  const whole = (await (await sendChat(emulator, {}, one)).json()) as Completion
  const streamed = await (
    await sendChat(emulator, { stream: true, stream_options: { include_usage: true } }, two)
  ).text()
  const chunks = parseChunks(streamed)
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
  expect(text).toBe(whole.choices[0].message.content)
  expect(chunks.at(-1)?.usage).toEqual(whole.usage)
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe(whole.choices[0].finish_reason)
  expect(streamed.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(emulator.balance(two.key)).toEqual(emulator.balance(one.key))
})

test('truncates a completion at exactly max_tokens with the finish reason length', async () => {
  await using emulator = await startEmulator({ answerTokens: 'fill' })
  const { choices, usage } = (await (await sendChat(emulator, { max_tokens: 7 })).json()) as Completion
  expect(usage.completion_tokens).toBe(7)
  expect(choices[0].finish_reason).toBe('length')
})

test('charges nothing for error responses', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '0.1', rateLimit: { requestsPerMinute: 1, burst: 3 } })
  const statuses = [
    (await sendChat(emulator, { temperature: 3 }, { key })).status,
    (await sendChat(emulator, { model: 'nobody' }, { key })).status,
    (await sendChat(emulator, { max_tokens: 1000 }, { key })).status,
    (await sendChat(emulator, { max_tokens: 1 }, { key })).status,
  ]
  expect(statuses).toEqual([400, 404, 402, 429])
  expect(emulator.balance(key)).toMatchObject({ availableUnits: 1000, chargedUnits: 0, heldUnits: 0 })
})

test('serves only as many of twenty parallel requests as the credits can hold', async () => {
  await using emulator = await startEmulator({ answerTokens: 'fill' })
  const probe = (await (await sendChat(emulator, { max_tokens: 50 })).json()) as Completion
  const costUnits = probe.usage.total_tokens * 4
  const { key } = emulator.createAccount({ credits: String((costUnits * 6 + costUnits - 1) / 10_000) })
  const responses = await Promise.all(Array.from({ length: 20 }, () => sendChat(emulator, { max_tokens: 50 }, { key })))
  const statuses = responses.map((response) => response.status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(6)
  expect(statuses.filter((status) => status === 402)).toHaveLength(14)
  expect(emulator.balance(key)).toMatchObject({
    chargedUnits: costUnits * 6,
    heldUnits: 0,
    availableUnits: costUnits - 1,
  })
})

test('states the required and the available credits in a 402', async () => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '0.01' })
  const response = await postJson(
    emulator,
    '/v1/images/generations',
    { model: 'vendora-v4-flash', prompt: 'cat' },
    { key },
  )
  expect(response.status).toBe(402)
  const { error } = (await response.json()) as { error: object }
  expect(error).toMatchObject({ code: 'insufficient_credits', needed: '0.1028', available: '0.01' })
})

test('charges an aborted stream for the tokens already sent, and releases the remaining credits', async () => {
  await using emulator = await startEmulator({ answerTokens: 'fill' })
  const { key } = emulator.createAccount({ credits: '1000' })
  const body = JSON.stringify({
    model: 'vendora-v4-flash',
    messages: [{ role: 'user', content: 'Say hello.' }],
    max_tokens: 100_000,
    stream: true,
  })
  const socket = connect(emulator.port, '127.0.0.1')
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await new Promise((resolve) => socket.once('data', resolve))
  expect(emulator.balance(key)?.heldUnits).toBeGreaterThan(0)
  socket.destroy()
  await expect.poll(() => emulator.balance(key)?.heldUnits).toBe(0)
  const charged = emulator.balance(key)?.chargedUnits ?? 0
  expect(charged).toBeGreaterThan(0)
  // The charge is small, because the socket buffers accepted only a small part of the stream.
  expect(charged).toBeLessThan(100_000 * 4)
})
