import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createEmulator } from '../../create-emulator.ts'
import type { FixtureResponse } from '../../scripting/fixtures/fixture.ts'
import { parseChunks } from '../../tests/support/requests.ts'
import { createVirtualClock } from '../../state/clock.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../../state/latency.ts'

const LATENCY = { ...LATENCY_PROFILES.instant, chat: { ttft: createFixedDelay(100), itl: createFixedDelay(100) } }
const CALLS = [
  { name: 'one', arguments: { a: 1 } },
  { name: 'two', arguments: { b: 2 } },
]

async function ask(fixture: FixtureResponse, fields: object = {}): Promise<Response> {
  const emulator = createEmulator({ fixtures: [fixture] })
  return send(emulator, fields)
}

function send({ fetch, keys }: ReturnType<typeof createEmulator>, fields: object = {}): Promise<Response> {
  const body = { model: 'o3-mini', messages: [{ role: 'user', content: 'Go.' }], stream: true, ...fields }
  const headers = { authorization: `Bearer ${keys.funded}` }
  return fetch('http://emulator/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify(body) })
}

async function readDeltas(response: Response): Promise<unknown[]> {
  return parseChunks(await response.text()).flatMap(({ choices }) => choices.map(({ delta }) => delta))
}

/**
 * Sends a stream with a delay of 100 ms before each token.
 * @returns each event with the time at which it arrived, in milliseconds
 */
async function readTimes(fixture: FixtureResponse, untilMs: number): Promise<[ms: number, event: string][]> {
  const clock = createVirtualClock()
  const response = await send(createEmulator({ fixtures: [fixture], clock, latency: LATENCY }))
  const events: [ms: number, event: string][] = []
  const reading = (async () => {
    for await (const bytes of response.body ?? []) {
      const text = Buffer.from(bytes).toString()
      for (const event of text.split('\n\n').filter(Boolean)) events.push([clock.nowMs(), event])
    }
  })()
  while (clock.nowMs() < untilMs) {
    clock.advance(10)
    await nextTurn()
  }
  await reading
  return events
}

test('sends several tokens in a chunk, but no chunk with two parts of the message', async () => {
  const options = { 'tokens-per-chunk': 3 }
  const deltas = await readDeltas(await ask({ reasoning: 'a b', text: 'c d e f', toolCalls: CALLS, options }))
  expect(deltas).toEqual([
    { role: 'assistant', content: null },
    { reasoning_content: 'a b' },
    { content: 'c d e' },
    { content: ' f' },
    { tool_calls: [{ index: 0, id: expect.any(String), type: 'function', function: { name: 'one', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"a' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '":1' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '}' } }] },
    { tool_calls: [{ index: 1, id: expect.any(String), type: 'function', function: { name: 'two', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{"b' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '":2' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '}' } }] },
    {},
  ])
})

test('interleaves the arguments of parallel tool calls', async () => {
  const options = { 'tool-call-order': 'interleaved', 'delta-role': 'none' } as const
  const text = await (await ask({ toolCalls: CALLS, options })).text()
  const indexes = [...text.matchAll(/"tool_calls":\[\{"index":(\d)/g)].map(([, index]) => Number(index))
  expect(indexes).toEqual(Array.from({ length: 16 }, (_, position) => position % 2))
})

test.each(['reasoning', 'reasoning_content'] as const)('sends the reasoning in the field %s', async (reasoning) => {
  const fixture = { reasoning: 'Hm.', text: 'Yes', options: { reasoning } }
  expect(await readDeltas(await ask(fixture))).toEqual([
    { role: 'assistant', content: null },
    { [reasoning]: 'Hm' },
    { [reasoning]: '.' },
    { content: 'Yes' },
    {},
  ])
  const { choices } = JSON.parse(await (await ask(fixture, { stream: false })).text())
  expect(choices[0].message).toEqual({ role: 'assistant', content: 'Yes', [reasoning]: 'Hm.' })
})

test('is silent while the model reasons, if the reasoning is hidden', async () => {
  const fixture = { reasoning: 'One two three four.', text: 'Yes no', options: { reasoning: 'hidden' } } as const
  const events = await readTimes(fixture, 1000)
  expect(events.map(([ms]) => ms)).toEqual([600, 600, 700, 700, 700])
  const { choices, usage } = JSON.parse(await (await ask(fixture, { stream: false })).text())
  expect(choices[0].message).toEqual({ role: 'assistant', content: 'Yes no' })
  expect(usage).toMatchObject({ completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 5 } })
})

test.each(['hidden', 'reasoning_content'] as const)(
  'reaches max_tokens before any text, with reasoning=%s',
  async (reasoning) => {
    const emulator = createEmulator({ options: { reasoning, 'reasoning-tokens': 30 } })
    const { choices, usage } = JSON.parse(await (await send(emulator, { stream: false, max_tokens: 20 })).text())
    expect(choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'length' })
    expect(usage).toMatchObject({ completion_tokens: 20, completion_tokens_details: { reasoning_tokens: 20 } })
    const chunks = parseChunks(await (await send(emulator, { max_tokens: 20 })).text())
    expect(chunks.filter(({ choices: [choice] }) => choice?.delta.content)).toEqual([])
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length')
  },
)

test('generates reasoning only for the models that section 2.1 describes as reasoning models', async () => {
  const emulator = createEmulator({ options: { reasoning: 'reasoning' } })
  const hasReasoning = async (model: string) =>
    (await (await send(emulator, { stream: false, model })).text()).includes('"reasoning"')
  expect(await hasReasoning('vendora-v4-pro')).toBe(true)
  expect(await hasReasoning('vendorc-4o')).toBe(false)
})

test.each([
  ['comment', ': heartbeat'],
  ['empty-delta', '"choices":[{"index":0,"delta":{},"finish_reason":null}]}'],
  ['no-choices', '"choices":[]}'],
] as const)('sends a heartbeat (%s) after each silence, and none while tokens flow', async (heartbeat, text) => {
  const options = { reasoning: 'hidden', heartbeat, 'heartbeat-ms': 150 } as const
  const events = await readTimes({ reasoning: 'a b c d', text: 'e f', options }, 1000)
  expect(events.filter(([, event]) => event.endsWith(text)).map(([ms]) => ms)).toEqual([150, 300, 450])
  expect(events.map(([ms]) => ms)).toEqual([150, 300, 450, 500, 500, 600, 600, 600])
})

test('counts the usage up to each chunk with stream-usage=each', async () => {
  const options = { 'stream-usage': 'each' } as const
  const chunks = parseChunks(await (await ask({ text: 'a b c', options })).text())
  expect(chunks.map(({ usage }) => (usage as { completion_tokens: number }).completion_tokens)).toEqual([0, 1, 2, 3, 3])
})

test.each([
  ['each', [0, 0, 1, 2, 3, 4, 4, 4]],
  ['last', [4]],
] as const)('counts the tokens of all choices once with stream-usage=%s', async (rule, expected) => {
  const fields = { n: 2, max_tokens: 2 }
  const chunks = parseChunks(await (await ask({ text: 'a b', options: { 'stream-usage': rule } }, fields)).text())
  const usage = chunks.flatMap((chunk) => (chunk.usage as { completion_tokens: number } | undefined) ?? [])
  expect(usage.map(({ completion_tokens: tokens }) => tokens)).toEqual(expected)
})

test('sends the finish reason in the last chunk with content with finish-reason-place=last-content', async () => {
  const options = { 'finish-reason-place': 'last-content', 'stream-usage': 'last' } as const
  const read = async (fixture: object) => {
    const text = await (await ask({ ...fixture, options })).text()
    const chunks = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json))
    return chunks.at(-1)
  }
  expect(await read({ text: 'c d' })).toMatchObject({
    choices: [{ delta: { content: ' d' }, finish_reason: 'stop' }],
    usage: { completion_tokens: 2 },
  })
  const { choices } = await read({ toolCalls: CALLS })
  expect(choices).toEqual([
    { index: 0, delta: { tool_calls: [{ index: 1, function: { arguments: '}' } }] }, finish_reason: 'tool_calls' },
  ])
  // Without content, the finish reason needs a chunk of its own.
  expect((await read({ text: '' })).choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }])
})

test('omits the space of each field with field-space=none', async () => {
  const options = { 'field-space': 'none', 'event-fields': 'id' } as const
  const text = await (await ask({ text: 'a', options })).text()
  expect(text).toMatch(/^id:0\ndata:\{[^]*data:\[DONE\]\n\n$/)
  expect(text).not.toMatch(/^\w+: /m)
})

test('adds id and retry to events, and pads the first event with content', async () => {
  const options = { 'event-fields': 'id-and-retry', 'padding-bytes': 70_000 } as const
  const events = (await (await ask({ text: 'a b', options })).text()).split('\n\n')
  expect(events.map((event) => event.slice(0, event.indexOf('data:')))).toEqual([
    'id: 0\nretry: 3000\n',
    'id: 1\n',
    'id: 2\n',
    'id: 3\n',
    'id: 4\n',
    '',
  ])
  expect(events.map(({ length }) => length > 65_536)).toEqual([false, true, false, false, false, false])
})

test.each([
  [{ 'tokens-per-chunk': '4' }, 'The option "tokens-per-chunk" must be a number, not a string.'],
  [{ 'delta-role': 'often' }, "The option 'delta-role' must be first or each or none, not 'often'."],
  [{ cors: 'any' }, 'Its "options" have no option "cors".'],
])('rejects the options %j of a fixture', (options, sentence) => {
  const fixtures = [{ text: 'a', options }] as never // Programs in JavaScript can pass any value.
  expect(() => createEmulator({ fixtures })).toThrow(sentence)
})

test.each(['hidden', 'reasoning'] as const)(
  'a stream with %s reasoning has the log probabilities of the response without streaming',
  async (reasoning) => {
    const fixture = { reasoning: 'Two words.', text: 'One more word.', options: { reasoning } }
    const fields = { logprobs: true, top_logprobs: 2 }
    const { choices } = JSON.parse(await (await ask(fixture, { ...fields, stream: false })).text())
    const events = (await (await ask(fixture, fields)).text()).matchAll(/^data: (\{.*)$/gm)
    const streamed = [...events].flatMap(([, data = '']) => JSON.parse(data).choices[0]?.logprobs?.content ?? [])
    expect(streamed).toEqual(choices[0].logprobs.content)
  },
)
