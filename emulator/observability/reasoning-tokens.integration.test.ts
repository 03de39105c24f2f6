import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashRequest } from '../scripting/fixtures/request-identity.ts'
import { parseLatency } from '../options/parse-latency.ts'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { createVirtualClock } from '../state/clock.ts'
import { callControl, postJson, sendChat } from '../tests/support/requests.ts'

const MODEL = 'vendora-reasoner'
/** A message of five tokens of reasoning and four tokens of text. */
const FIXTURE = { model: MODEL, reasoning: 'I must look first.', text: 'It is sunny.' }

/** Returns the number of reasoning tokens of each log entry, after `count` requests have ended. */
async function readReasoningTokens(emulator: Emulator, count: number) {
  await expect.poll(() => emulator.requests().length).toBe(count)
  return emulator.requests().map(({ reasoningTokens }) => reasoningTokens)
}

test('logs and counts the reasoning tokens of chats and responses, with and without streaming', async () => {
  await using emulator = await startEmulator({ fixtures: [FIXTURE], extensions: ['responses'] })
  for (const stream of [false, true]) {
    await (await sendChat(emulator, { model: MODEL, stream })).text()
    await (await postJson(emulator, '/v1/responses', { model: MODEL, input: 'Hello.', stream })).text()
    await (await sendChat(emulator, { model: 'o3-mini', stream })).text()
  }
  expect(await readReasoningTokens(emulator, 6)).toEqual([5, 5, undefined, 5, 5, undefined])
  expect(emulator.requests()[2]).not.toHaveProperty('reasoningTokens')
  const { text } = await callControl(emulator, '/metrics')
  expect(text.match(/^touchstone_reasoning_tokens_total.*$/gm)).toEqual([
    'touchstone_reasoning_tokens_total{model="vendora-reasoner"} 20',
  ])
})

test('logs hidden reasoning tokens, also of a stream that ends before the text', async () => {
  const options = { reasoning: 'hidden', 'reasoning-tokens': 30, 'tokens-per-chunk': 4 } as const
  await using emulator = await startEmulator({ options, faults: ['ordinal=2,cutAfterEvents=2'] })
  for (const stream of [false, true, true]) {
    await (await sendChat(emulator, { model: MODEL, stream })).text().catch(() => undefined)
  }
  expect(await readReasoningTokens(emulator, 3)).toEqual([30, 30, 30])
})

test('logs the reasoning tokens that the usage of a completion with several choices names', async () => {
  await using emulator = await startEmulator({ fixtures: [FIXTURE] })
  const usage = JSON.parse(await (await sendChat(emulator, { model: MODEL, n: 2 })).text()).usage
  await (await sendChat(emulator, { model: MODEL, n: 2, stream: true })).text()
  const { reasoning_tokens: tokens } = usage.completion_tokens_details
  expect(await readReasoningTokens(emulator, 2)).toEqual([tokens, tokens])
})

test.each([
  ['cutAfterEvents=3', false, 2],
  ['errorAfterEvents=3', false, 2],
  ['cutAfterEvents=8', false, 5],
  ['cutAfterEvents=6', true, 2], // Four events precede the first delta.
])('logs only the reasoning tokens sent before %s (extension responses: %s)', async (fault, isResponse, expected) => {
  await using emulator = await startEmulator({ fixtures: [FIXTURE], extensions: ['responses'], faults: [fault] })
  const response = isResponse
    ? await postJson(emulator, '/v1/responses', { model: MODEL, input: 'Hello.', stream: true })
    : await sendChat(emulator, { model: MODEL, stream: true })
  await response.text().catch(() => undefined)
  expect(await readReasoningTokens(emulator, 1)).toEqual([expected])
})

test('logs the reasoning tokens that were due when a client left before a complete response', async () => {
  const clock = createVirtualClock()
  const latency = parseLatency('ttft=100ms,itl=20ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using emulator = await startEmulator({ clock, latency, fixtures: [FIXTURE] })
  const controller = new AbortController()
  const pending = sendChat(emulator, { model: MODEL }, { signal: controller.signal })
  await expect.poll(() => emulator.activeRequests()).toBe(1)
  clock.advance(145)
  controller.abort()
  await expect(pending).rejects.toThrow('abort')
  expect(await readReasoningTokens(emulator, 1)).toEqual([3])
})

test('logs the reasoning tokens that the usage of a recording names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-reasoning-'))
  const usage = { total_tokens: 20, completion_tokens_details: { reasoning_tokens: 7 } }
  const messages = [{ role: 'user', content: 'Hi.' }]
  const event = (data: object) => ({ atMs: 0, text: `data: ${JSON.stringify(data)}\n\n` })
  const delta = (fields: object) => event({ choices: [{ delta: fields }] })
  const events = [delta({ reasoning_content: 'I must' }), delta({ content: 'Sunny today.' }), event({ usage })]
  for (const [name, stream, body] of [
    ['whole', false, { text: JSON.stringify({ choices: [{ message: { content: 'Sunny today.' } }], usage }) }],
    ['stream', true, { events }],
  ] as const) {
    const request = { model: MODEL, messages, stream }
    const recording = {
      version: 1,
      operation: 'chat',
      requestHash: hashRequest('chat', { values: request }),
      request: { method: 'POST', path: '/v1/chat/completions', body: request },
      response: { status: 200, headers: {}, totalMs: 0, ...body },
    }
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(recording))
  }
  await using emulator = await startEmulator({ replay: folder, faults: ['ordinal=2,cutAfterEvents=2'] })
  for (const stream of [false, true, true]) {
    await (await sendChat(emulator, { model: MODEL, messages, stream })).text().catch(() => undefined)
  }
  expect(await readReasoningTokens(emulator, 3)).toEqual([7, 7, 2])
})
