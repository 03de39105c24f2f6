import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { sendChat, postJson, transcribe } from './support/requests.ts'

/** 200 requests to all operations. Some are identical; their responses may arrive in any order. */
const REQUESTS: ((emulator: Emulator) => Promise<Response>)[] = Array.from({ length: 200 }, (_, index) => {
  const topic = `topic ${index % 40}`
  switch (index % 5) {
    case 0:
      return (emulator) => sendChat(emulator, { messages: [{ role: 'user', content: topic }] })
    case 1:
      return (emulator) => sendChat(emulator, { messages: [{ role: 'user', content: topic }], stream: true })
    case 2:
      return (emulator) => postJson(emulator, '/v1/images/generations', { model: 'vendorc-4o', prompt: topic, n: 2 })
    case 3:
      return (emulator) => postJson(emulator, '/v1/audio/speech', { model: 'vendorc-4o', input: topic })
    default:
      return (emulator) => transcribe(emulator, new Uint8Array(64_000).fill(index % 40))
  }
})

const SCHEMA = {
  type: 'object',
  required: ['name', 'numbers'],
  properties: { name: { type: 'string' }, numbers: { type: 'array', items: { type: 'integer' }, maxItems: 4 } },
}
const TOOLS = ['one', 'two'].map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } }))

/** 60 requests for tool calls and JSON, with and without streaming. Some are identical. */
const STRUCTURED_REQUESTS: typeof REQUESTS = Array.from({ length: 60 }, (_, index) => {
  const messages = [{ role: 'user', content: `topic ${index % 40}` }]
  const fields = [
    { tools: TOOLS, tool_choice: 'required' },
    { tools: TOOLS, tool_choice: { type: 'function', function: { name: 'two' } } },
    { tools: TOOLS },
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } } },
    { response_format: { type: 'json_object' }, n: 2 },
  ][index % 5]
  return (emulator) => sendChat(emulator, { ...fields, messages, stream: index % 40 < 20 })
})

/** Collects the response to each request, in the order of `requests`. Sorts the responses to identical requests. */
async function collectResponses(order: readonly number[], seed: number, requests = REQUESTS): Promise<string[]> {
  const options = { 'auto-tool-calls': 50 }
  await using emulator = await startEmulator({ seed, options, publicUrl: 'http://emulator.test' })
  const bodies = new Map<number, string>()
  await Promise.all(
    order.map(async (index) => {
      const response = await requests[index]?.(emulator)
      const bytes = Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer())
      bodies.set(index, `${response?.status} ${bytes.toString('latin1').replaceAll(/"created":\d+/g, '"created":0')}`)
    }),
  )
  const kinds = new Map<number, string[]>()
  for (const [index, body] of bodies) kinds.set(index % 40, [...(kinds.get(index % 40) ?? []), body])
  return [...kinds].toSorted(([a], [b]) => a - b).flatMap(([, alike]) => alike.toSorted())
}

const inOrder = REQUESTS.map((_, index) => index)

test('sends the same bytes for the same seed, regardless of the order of 200 concurrent requests', async () => {
  const expected = await collectResponses(inOrder, 7)
  expect(expected).toHaveLength(200)
  expect(expected.every((respond) => respond.startsWith('200 '))).toBe(true)
  const shuffles = fc.shuffledSubarray(inOrder, { minLength: 200 })
  await fc.assert(
    fc.asyncProperty(shuffles, async (order) => {
      expect(await collectResponses(order, 7)).toEqual(expected)
    }),
    { numRuns: 1, seed: 1 },
  )
})

test('sends the same bytes of tool calls and JSON for the same seed, regardless of the order', async () => {
  const order = STRUCTURED_REQUESTS.map((_, index) => index)
  const expected = await collectResponses(order, 7, STRUCTURED_REQUESTS)
  expect(expected.filter((result) => !result.startsWith('200 '))).toEqual([])
  expect(expected.filter((response) => response.includes('"tool_calls"')).length).toBeGreaterThan(25)
  expect(await collectResponses(order.toReversed(), 7, STRUCTURED_REQUESTS)).toEqual(expected)
  const others = await collectResponses(order, 8, STRUCTURED_REQUESTS)
  expect(others.filter((response, index) => response === expected[index])).toEqual([])
})

test('generates different responses with a different seed', async () => {
  const [one, two] = [await collectResponses(inOrder, 7), await collectResponses(inOrder, 8)]
  expect(one.filter((response, index) => response === two[index])).toEqual([])
})

test('generates a different response to a repeated request, but the first response again for another account', async () => {
  await using emulator = await startEmulator({ frozenAtUnixSeconds: 1_750_000_000 })
  const { key } = emulator.createAccount({ credits: '10' })
  const first = await (await sendChat(emulator)).text()
  const second = await (await sendChat(emulator)).text()
  expect(second).not.toBe(first)
  expect(await (await sendChat(emulator, {}, { key })).text()).toBe(first)
})

test('does not increment the request counter for a rejected request', async () => {
  await using emulator = await startEmulator({ frozenAtUnixSeconds: 1_750_000_000 })
  // These credits suffice for a single completion of 256 tokens.
  const { key } = emulator.createAccount({ credits: '0.5' })
  const rejected = await sendChat(emulator, { max_tokens: 2000 }, { key })
  expect(rejected.status).toBe(402)
  const first = await (await sendChat(emulator)).text()
  expect(await (await sendChat(emulator, {}, { key })).text()).toBe(first)
})
