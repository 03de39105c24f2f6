import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator } from '../../create-emulator.ts'

const SEARCH: OpenAI.Responses.ToolSearchTool = { type: 'tool_search', execution: 'client', description: 'Find tools.' }
const WEATHER: OpenAI.Responses.NamespaceTool = {
  type: 'namespace',
  name: 'weather',
  description: 'Weather.',
  tools: [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }],
}
const QUESTION = { role: 'user', content: 'Is it warm?' } as const
const REQUEST = { model: 'vendora-v4-flash', tools: [SEARCH] }

function connect({ fetch, keys }: InProcessEmulator): OpenAI.Responses {
  return new OpenAI({ baseURL: 'http://emulator.test/v1', apiKey: keys.funded, fetch, maxRetries: 0 }).responses
}

/** Creates the result of a tool search. */
function loadTools(callId: string | null, tools: OpenAI.Responses.Tool[]): OpenAI.Responses.ResponseInputItem {
  return { type: 'tool_search_output', execution: 'client', call_id: callId, tools }
}

test.each([false, true])('serves a tool search that the client executes, with streaming: %s', async (isStream) => {
  const emulator = createEmulator({
    extensions: ['responses'],
    options: { 'unknown-fields': 'refused' },
    fixtures: [
      {
        message: QUESTION.content,
        steps: [
          { toolCalls: [{ name: 'tool_search', arguments: { query: 'weather' } }] },
          { toolCalls: [{ name: 'get_weather' }] },
          { toolCalls: [{ name: 'get_weather' }] },
          { text: 'Yes.' },
        ],
      },
    ],
    strictFixtures: true,
  })
  const send = async (input: OpenAI.Responses.ResponseInput) => {
    const request = { ...REQUEST, input, store: false }
    return isStream ? connect(emulator).stream(request).finalResponse() : connect(emulator).create(request)
  }
  const { output: searches } = await send([QUESTION])
  expect(searches).toMatchObject([
    { type: 'tool_search_call', execution: 'client', status: 'completed', arguments: { query: 'weather' } },
  ])
  const [search] = searches
  if (search?.type !== 'tool_search_call') throw new Error('The search is missing.')
  const found = loadTools(search.call_id, [WEATHER])
  const { output: calls } = await send([QUESTION, search, found])
  expect(calls).toMatchObject([{ type: 'function_call', name: 'get_weather', namespace: 'weather' }])
  // A second search finds the same tool again.
  const searched = [QUESTION, search, found, { ...search, call_id: 'call_2' }, loadTools('call_2', [WEATHER])]
  const { output: laterCalls } = await send(searched)
  const [call] = laterCalls
  expect(call).toMatchObject({ type: 'function_call', name: 'get_weather', namespace: 'weather' })
  if (call?.type !== 'function_call') throw new Error('The call is missing.')
  const result = { type: 'function_call_output', call_id: call.call_id, output: '21 degrees' } as const
  expect((await send([...searched, call, result])).output_text).toBe('Yes.')
})

test('charges a tool search for its tokens', async () => {
  const emulator = createEmulator({
    extensions: ['responses'],
    fixtures: [{ toolCalls: [{ name: 'tool_search', arguments: { query: 'weather' } }] }],
  })
  const { usage } = await connect(emulator)
    .stream({ ...REQUEST, input: [QUESTION] })
    .finalResponse()
  const charged = Number(emulator.balance(emulator.keys.funded)?.chargedUnits)
  expect(charged).toBe((usage?.total_tokens ?? NaN) * 4)
  expect(usage?.output_tokens).toBeGreaterThan(1)
})

test('continues a stored conversation after a tool search', async () => {
  const emulator = createEmulator({
    extensions: ['responses'],
    fixtures: [{ message: QUESTION.content, steps: [{ toolCalls: [{ name: 'tool_search' }] }, { text: 'No tools.' }] }],
    strictFixtures: true,
  })
  const first = await connect(emulator).create({ ...REQUEST, input: [QUESTION] })
  const [search] = first.output
  if (search?.type !== 'tool_search_call') throw new Error('The search is missing.')
  const found = loadTools(search.call_id, [])
  const second = await connect(emulator).create({ ...REQUEST, input: [found], previous_response_id: first.id })
  expect(second.output_text).toBe('No tools.')
})

test('offers the tools of earlier searches in later requests with previous_response_id', async () => {
  const { name } = WEATHER
  const call = { toolCalls: [{ name: 'get_weather' }] }
  const emulator = createEmulator({
    extensions: ['responses'],
    fixtures: [
      { message: QUESTION.content, steps: [{ toolCalls: [{ name: 'tool_search' }] }, call] },
      { message: 'And now?', tools: ['get_weather'], ...call },
    ],
    strictFixtures: true,
  })
  const { keys, fetch } = emulator
  const openai = new OpenAI({ baseURL: 'http://emulator.test/v1', apiKey: keys.funded, fetch, maxRetries: 0 })
  const search = await openai.responses.create({ ...REQUEST, input: [QUESTION] })
  const [item] = search.output
  if (item?.type !== 'tool_search_call') throw new Error('The search is missing.')
  const found = await openai.responses.create({
    ...REQUEST,
    input: [loadTools(item.call_id, [WEATHER])],
    previous_response_id: search.id,
  })
  const later = await openai.responses.create({ ...REQUEST, input: 'And now?', previous_response_id: found.id })
  const expected = [{ type: 'function_call', name: 'get_weather', namespace: name }]
  expect([found.output, later.output]).toMatchObject([expected, expected])
  // The tools belong to the conversation, not to the account.
  await expect(openai.responses.create({ ...REQUEST, input: 'And now?' })).rejects.toMatchObject({
    status: 400,
    code: 'no_fixture',
  })
})

test('ignores a tool search that the service executes', async () => {
  const emulator = createEmulator({ extensions: ['responses'], options: { 'ignored-fields-header': 'sent' } })
  const request = { ...REQUEST, tools: [{ type: 'tool_search' as const }], input: [QUESTION] }
  const { response } = await connect(emulator).create(request).withResponse()
  expect(response.headers.get('x-touchstone-ignored-fields')).toContain('tools.tool_search')
})
