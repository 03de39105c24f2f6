import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createVirtualClock } from '../../state/clock.ts'
import { createEmulator, type InProcessEmulator, type InstanceOptions } from '../../create-emulator.ts'

const MODEL = 'vendora-v4-flash'
/** Price of the tested model, in units of 0.0001 credit per token. */
const UNITS_PER_TOKEN = 4
const REQUEST = { model: MODEL, input: 'How is the weather?' }
const WEATHER_TOOL: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
}
/** Scripted steps of an agent: first a message with a function call, then a message without one. */
const STEPS = [
  { text: 'One moment.', toolCalls: [{ name: 'get_weather', arguments: { city: 'Zürich' } }] },
  { text: 'It is sunny.' },
]

function start(options: InstanceOptions = {}): InProcessEmulator {
  return createEmulator({ extensions: ['responses'], answerTokens: 12, ...options })
}

function connect({ fetch, keys }: InProcessEmulator, apiKey: string = keys.funded): OpenAI.Responses {
  return new OpenAI({ baseURL: 'http://emulator.test/v1', apiKey, fetch, maxRetries: 0 }).responses
}

test('responds with 404 to POST /v1/responses unless the extension is enabled', async () => {
  for (const options of [{}, { extensions: ['embeddings'] as const }]) {
    const emulator = createEmulator(options)
    await expect(connect(emulator).create(REQUEST)).rejects.toMatchObject({ status: 404, code: 'unknown_endpoint' })
  }
})

test('generates the same text and usage with and without streaming, and charges this usage', async () => {
  const emulator = start()
  const [first, second] = [emulator.createAccount({ credits: '1' }), emulator.createAccount({ credits: '1' })]
  const whole = await connect(emulator, first.key).create(REQUEST)
  const streamed = await connect(emulator, second.key).stream(REQUEST).finalResponse()
  expect(whole).toMatchObject({ object: 'response', status: 'completed', model: MODEL, output: [{ type: 'message' }] })
  expect(whole.output_text).toMatch(/\w/)
  expect(streamed.output_text).toBe(whole.output_text)
  expect(streamed.id).toBe(whole.id)
  expect(whole.usage?.output_tokens).toBe(12)
  expect(streamed.usage).toEqual(whole.usage)
  for (const { key } of [first, second]) {
    const charged = (whole.usage?.total_tokens ?? NaN) * UNITS_PER_TOKEN
    expect(emulator.balance(key)).toMatchObject({ chargedUnits: charged, heldUnits: 0 })
  }
})

test('sends the events of a text and of a call in the order of the API, with consecutive sequence numbers', async () => {
  const emulator = start({ fixtures: [{ text: 'Hello.', toolCalls: [{ name: 'add', arguments: { a: 1 } }] }] })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await connect(emulator).create({ ...REQUEST, stream: true })) events.push(event)
  const types = events.map(({ type }) => type)
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(types.filter((type) => type === 'response.output_text.delta')).toHaveLength(2)
  expect(events.map((event) => ('sequence_number' in event ? event.sequence_number : NaN))).toEqual([...events.keys()])
  const deltas = events.flatMap((event) => (event.type === 'response.function_call_arguments.delta' ? event.delta : []))
  expect(deltas.length).toBeGreaterThan(3)
  expect(deltas.join('')).toBe('{"a":1}')
  expect(events.at(-1)).toMatchObject({
    response: { status: 'completed', output: [{ type: 'message' }, { name: 'add', arguments: '{"a":1}' }] },
  })
})

test('runs a tool loop scripted by a chat fixture, with all items in each request', async () => {
  const emulator = start({
    fixtures: [{ system: 'Be brief.', tools: ['get_weather'], steps: STEPS }],
    strictFixtures: true,
  })
  const request = { model: MODEL, instructions: 'Be brief.', tools: [WEATHER_TOOL] }
  for (let run = 0; run < 2; run += 1) {
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
    ]
    const first = await connect(emulator)
      .stream({ ...request, input })
      .finalResponse()
    const call = first.output.find((item) => item.type === 'function_call')
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Zürich"}', status: 'completed' })
    const replayed = first.output.filter((item) => item.type === 'message' || item.type === 'function_call')
    input.push(...replayed, { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'sun' })
    expect((await connect(emulator).create({ ...request, input })).output_text).toBe('It is sunny.')
  }
})

test('counts a turn once if its text follows its call', async () => {
  const emulator = start({ fixtures: [{ steps: STEPS }], strictFixtures: true })
  const input: OpenAI.Responses.ResponseInput = [
    { role: 'user', content: 'Weather?' },
    { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Rome"}' },
    { role: 'assistant', content: 'One moment.' },
    { type: 'function_call_output', call_id: 'call_1', output: 'sun' },
  ]
  expect((await connect(emulator).create({ ...REQUEST, input })).output_text).toBe('It is sunny.')
})

test.each(['previous_response_id', 'item_reference'])('continues a stored conversation by %s', async (way) => {
  const emulator = start({
    fixtures: [{ toolResultOf: 'get_weather', message: 'Weather?', text: 'Yes.' }, { steps: STEPS }],
  })
  const first = await connect(emulator).create({ model: MODEL, input: 'Weather?' })
  const call = first.output.find((item) => item.type === 'function_call')
  const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'sun' }
  const references = first.output.map(({ id = '' }) => ({ type: 'item_reference' as const, id }))
  const next =
    way === 'item_reference'
      ? { input: [{ role: 'user' as const, content: 'Weather?' }, ...references, output] }
      : { input: [output], previous_response_id: first.id }
  const second = await connect(emulator).create({ model: MODEL, ...next })
  expect(second.output_text).toBe('Yes.')
  expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.total_tokens ?? NaN)
})

test('does not find a response that was not stored, belongs to another account, or preceded a reset', async () => {
  const emulator = start()
  const { key } = emulator.createAccount({ credits: '1' })
  const stored = await connect(emulator).create(REQUEST)
  const unstored = await connect(emulator).create({ ...REQUEST, store: false })
  const isFound = async (id: string, by?: string) => {
    const create = connect(emulator, by).create({ ...REQUEST, previous_response_id: id })
    const [result] = await Promise.allSettled([create])
    if (result.status === 'rejected') {
      expect(result.reason).toMatchObject({ status: 400, param: 'previous_response_id' })
    }
    return result.status === 'fulfilled'
  }
  expect(await isFound(stored.id)).toBe(true)
  expect(await isFound(unstored.id)).toBe(false)
  expect(await isFound(stored.id, key)).toBe(false)
  emulator.reset()
  expect(await isFound(stored.id)).toBe(false)
})

test('generates a call for tool_choice required, and JSON for a schema', async () => {
  const emulator = start()
  const called = await connect(emulator).create({ ...REQUEST, tools: [WEATHER_TOOL], tool_choice: 'required' })
  const [call] = called.output
  expect(call).toMatchObject({ type: 'function_call', name: 'get_weather' })
  expect(JSON.parse(call?.type === 'function_call' ? call.arguments : '')).toEqual({ city: expect.any(String) })
  const format = { type: 'json_schema' as const, name: 'place', schema: WEATHER_TOOL.parameters ?? {} }
  const structured = await connect(emulator).create({ ...REQUEST, text: { format } })
  expect(JSON.parse(structured.output_text)).toEqual({ city: expect.any(String) })
  expect(structured.text).toEqual({ format })
})

test('truncates a response at max_output_tokens with the status incomplete', async () => {
  const emulator = start({ fixtures: [STEPS[0] ?? {}] })
  const request = { ...REQUEST, max_output_tokens: 6 }
  for (const response of [
    await connect(emulator).create(request),
    await connect(emulator).stream(request).finalResponse(),
  ]) {
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [
        { type: 'message', status: 'completed' },
        { type: 'function_call', status: 'incomplete', arguments: '{"' },
      ],
      usage: { output_tokens: 6 },
    })
  }
})

test('renders a completion object of a fixture as a response, with its usage', async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  const body = { choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }], usage }
  const emulator = start({ fixtures: [{ body }] })
  const { key } = emulator.createAccount({ credits: '1' })
  const whole = await connect(emulator, key).create(REQUEST)
  const streamed = await connect(emulator, key).stream(REQUEST).finalResponse()
  for (const response of [whole, streamed]) {
    expect(response).toMatchObject({ output_text: 'Hello.', usage: { input_tokens: 3, output_tokens: 4 } })
  }
  expect(emulator.balance(key)?.chargedUnits).toBe(2 * 7 * UNITS_PER_TOKEN)
})

test('charges an aborted stream for the prompt and the tokens already sent, and nothing for an injected status', async () => {
  const clock = createVirtualClock()
  const emulator = start({
    clock,
    latency: { ...SLOW_STREAM },
    faults: ['operation=responses,header=x-fail,status=500'],
  })
  const { key } = emulator.createAccount({ credits: '1' })
  await expect(connect(emulator, key).create(REQUEST, { headers: { 'x-fail': '1' } })).rejects.toMatchObject({
    status: 500,
  })
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: 0, heldUnits: 0 })
  const stream = await connect(emulator, key).create({ ...REQUEST, stream: true })
  clock.advance(200)
  let tokens = 0
  for await (const { type } of stream) {
    if (type === 'response.output_text.delta') tokens += 1
    if (tokens === 3) break
  }
  await expect.poll(() => emulator.balance(key)?.heldUnits).toBe(0)
  clock.run()
  const { usage } = await connect(emulator).create(REQUEST)
  const charged = (emulator.balance(key)?.chargedUnits ?? NaN) / UNITS_PER_TOKEN - (usage?.input_tokens ?? NaN)
  expect(charged).toBe(3)
})

/** Latency of a stream whose second token is due after the client has aborted the stream. */
const SLOW_STREAM = {
  chat: { ttft: { p50Ms: 0, p99Ms: 0 }, itl: { p50Ms: 100, p99Ms: 100 } },
  total: {
    models: { p50Ms: 0, p99Ms: 0 },
    images: { p50Ms: 0, p99Ms: 0 },
    transcriptions: { p50Ms: 0, p99Ms: 0 },
    speech: { p50Ms: 0, p99Ms: 0 },
  },
  slowdownPerRequest: 0,
}

test.each([
  [{ background: true }, 'background'],
  [
    {
      input: [
        { type: 'computer_call_output' as const, call_id: 'c', output: { type: 'computer_screenshot' as const } },
      ],
    },
    'input',
  ],
  [{ input: [{ type: 'item_reference' as const, id: 'msg_unknown' }] }, 'input'],
  [{ temperature: 3 }, 'temperature'],
  [{ previous_response_id: 'resp_unknown' }, 'previous_response_id'],
])('rejects %j with 400 and a sentence that names the parameter', async (fields, param) => {
  const emulator = start()
  const { key } = emulator.createAccount({ credits: '1' })
  const error: unknown = await connect(emulator, key)
    .create({ ...REQUEST, ...fields })
    .catch((cause: unknown) => cause)
  expect(error).toMatchObject({ status: 400, param, message: expect.stringContaining(`'${param}`) })
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: 0, heldUnits: 0 })
})

test.each(['auto', 'required'] as const)(
  'lists tools other than functions and custom tools as ignored with tool_choice %s',
  async (choice) => {
    const emulator = start({ fixtures: [{ tools: ['get_weather'], text: 'With function.' }, { text: 'Without.' }] })
    const request = { ...REQUEST, tool_choice: choice }
    const tools = [
      { type: 'web_search' as const },
      { type: 'code_interpreter' as const, container: { type: 'auto' as const } },
    ]
    const responses = [
      await connect(emulator).create({ ...request, tools }),
      await connect(emulator).create({ ...request, tools: [...tools, WEATHER_TOOL] }),
    ]
    expect(responses.map((response) => response.output_text)).toEqual(['Without.', 'With function.'])
    expect(responses[0]).toMatchObject({ tools, tool_choice: choice })
  },
)

test('lists a tool_choice that names a tool without effect as ignored, and rejects one that is not in tools', async () => {
  const emulator = start({ fixtures: [{ text: 'No search.' }] })
  const { key } = emulator.createAccount({ credits: '1' })
  const request = { ...REQUEST, tool_choice: { type: 'web_search_preview' as const } }
  const tools = [{ type: 'web_search_preview' as const }, WEATHER_TOOL]
  const response = await connect(emulator, key).create({ ...request, tools })
  expect(response).toMatchObject({ output_text: 'No search.', tool_choice: { type: 'web_search_preview' } })
  expect(emulator.requests(key)[0]?.ignoredFields).toEqual(['tools.web_search_preview', 'tool_choice'])
  const rejected = connect(emulator, key).create({ ...request, tools: [WEATHER_TOOL] })
  await expect(rejected).rejects.toMatchObject({ status: 400, param: 'tool_choice' })
})

test('accepts the calls of tools other than functions in the input', async () => {
  const emulator = start({ fixtures: [{ toolResult: 'Done.', toolResultOf: 'patch', text: 'Patched.' }] })
  const input: OpenAI.Responses.ResponseInput = [
    { role: 'user', content: 'Patch it.' },
    {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'a', queries: ['a'] },
    },
    { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'docs', tools: [] },
    { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'docs', name: 'search', arguments: '{}' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
    { type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'search', arguments: '{}', output: 'Found.' },
    { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '*** Begin' },
    { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done.' },
  ]
  expect((await connect(emulator).create({ ...REQUEST, input })).output_text).toBe('Patched.')
})

test('rejects unknown fields if an option is set, but never known fields', async () => {
  const emulator = start({ options: { 'unknown-fields': 'refused' } })
  const request = { ...REQUEST, tools: [WEATHER_TOOL], reasoning: { effort: 'low' as const }, metadata: { a: 'b' } }
  expect(await connect(emulator).create(request)).toMatchObject({ metadata: { a: 'b' }, status: 'completed' })
  const unknown = { ...request, nonsense: 1 }
  await expect(connect(emulator).create(unknown)).rejects.toMatchObject({ status: 400, param: 'nonsense' })
})

test.each([['sk-svc-touchstone-empty', 402]])('responds to the key %s with %i, like chat', async (key, status) => {
  await expect(connect(start(), key).create({ ...REQUEST, stream: true })).rejects.toMatchObject({ status })
})
