import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator } from '../../create-emulator.ts'

const LOOKUP: OpenAI.Responses.NamespaceTool.Function = {
  type: 'function',
  name: 'lookup',
  parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
}
const CRM: OpenAI.Responses.NamespaceTool = {
  type: 'namespace',
  name: 'crm',
  description: 'Customers.',
  tools: [LOOKUP, { type: 'custom', name: 'query' }],
}
const REQUEST = { model: 'vendora-v4-flash', input: 'Find customer 7.', tools: [CRM] }

function connect({ fetch, keys }: InProcessEmulator): OpenAI.Responses {
  return new OpenAI({ baseURL: 'http://emulator.test/v1', apiKey: keys.funded, fetch, maxRetries: 0 }).responses
}

test('names the namespace of called tools, with and without streaming', async () => {
  const calls = [
    { name: 'lookup', arguments: { id: 7 } },
    { name: 'query', arguments: 'all' },
  ]
  const emulator = createEmulator({
    extensions: ['responses'],
    options: { 'unknown-fields': 'refused' },
    fixtures: [{ tools: ['lookup', 'query'], steps: [{ toolCalls: calls }, { text: 'Found.' }] }],
    strictFixtures: true,
  })
  const expected = [
    { type: 'function_call', name: 'lookup', namespace: 'crm', arguments: '{"id":7}' },
    { type: 'custom_tool_call', name: 'query', namespace: 'crm', input: 'all' },
  ]
  const whole = await connect(emulator).create(REQUEST)
  expect(whole.output).toMatchObject(expected)
  const added: OpenAI.Responses.ResponseOutputItem[] = []
  const stream = connect(emulator).stream(REQUEST)
  stream.on('response.output_item.added', ({ item }) => added.push(item))
  expect((await stream.finalResponse()).output).toMatchObject(expected)
  expect(added).toMatchObject([
    { name: 'lookup', namespace: 'crm' },
    { name: 'query', namespace: 'crm' },
  ])

  const [call, query] = whole.output
  if (call?.type !== 'function_call' || query?.type !== 'custom_tool_call') throw new Error('The calls are missing.')
  const input: OpenAI.Responses.ResponseInput = [
    { role: 'user', content: REQUEST.input },
    call,
    query,
    { type: 'function_call_output', call_id: call.call_id, output: 'Ada' },
    { type: 'custom_tool_call_output', call_id: query.call_id, output: 'Ada' },
  ]
  expect((await connect(emulator).create({ ...REQUEST, input })).output_text).toBe('Found.')
})

test('distinguishes tools of the same name by their namespaces', async () => {
  const tools = [CRM, { ...CRM, name: 'shop' }, { ...LOOKUP, strict: false, parameters: {} }]
  const emulator = createEmulator({
    extensions: ['responses'],
    fixtures: [{ toolCalls: [{ name: 'shop.lookup' }, { name: 'lookup' }] }],
  })
  const { output } = await connect(emulator).create({ ...REQUEST, tools })
  expect(output).toMatchObject([{ name: 'lookup', namespace: 'shop' }, { name: 'lookup' }])
  expect(output[1]).not.toHaveProperty('namespace')
})

test('generates arguments for a required tool of a namespace', async () => {
  const emulator = createEmulator({ extensions: ['responses'] })
  const request = { ...REQUEST, tools: [{ ...CRM, tools: [LOOKUP] }], tool_choice: 'required' as const }
  const [call] = (await connect(emulator).create(request)).output
  expect(call).toMatchObject({ type: 'function_call', name: 'lookup', namespace: 'crm' })
  const json: unknown = call?.type === 'function_call' ? JSON.parse(call.arguments) : undefined
  expect(json).toEqual({ id: expect.any(Number) })
})

test.each([
  [{ type: 'namespace' }, "'tools[0].name'"],
  [{ type: 'namespace', name: 'crm' }, "'tools[0].tools'"],
  [{ type: 'namespace', name: 'crm', tools: [{ type: 'function' }] }, "'tools[0].tools[0].name'"],
])('rejects the invalid namespace %j', async (tool, place) => {
  const emulator = createEmulator({ extensions: ['responses'] })
  const response = await emulator.fetch('http://emulator.test/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.keys.funded}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...REQUEST, tools: [tool] }),
  })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(place)
})
