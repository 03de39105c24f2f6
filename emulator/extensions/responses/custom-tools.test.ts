import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator } from '../../create-emulator.ts'

/** Price of the tested model, in units of 0.0001 credit per token. */
const UNITS_PER_TOKEN = 4
const PATCH_TOOL: OpenAI.Responses.CustomTool = { type: 'custom', name: 'patch', description: 'Applies a patch.' }
const REQUEST = { model: 'vendora-v4-flash', input: 'Change the file.', tools: [PATCH_TOOL] }

function connect({ fetch, keys }: InProcessEmulator, apiKey: string = keys.funded): OpenAI.Responses {
  return new OpenAI({ baseURL: 'http://emulator.test/v1', apiKey, fetch, maxRetries: 0 }).responses
}

test('streams the call of a custom tool with its input as text, and continues after its output', async () => {
  const patch = '*** Begin Patch\n+ "one"\n'
  const emulator = createEmulator({
    extensions: ['responses'],
    fixtures: [{ tools: ['patch'], steps: [{ toolCalls: [{ name: 'patch', arguments: patch }] }, { text: 'Done.' }] }],
    strictFixtures: true,
  })
  const { key } = emulator.createAccount({ credits: '1' })
  const stream = connect(emulator, key).stream(REQUEST)
  const types: string[] = []
  const deltas: string[] = []
  stream.on('event', ({ type }) => types.push(type))
  stream.on('response.custom_tool_call_input.delta', ({ delta }) => deltas.push(delta))
  const streamed = await stream.finalResponse()
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(deltas.length).toBeGreaterThan(3)
  expect(deltas.join('')).toBe(patch)
  expect(streamed.usage?.output_tokens).toBe(deltas.length + 1)
  expect(emulator.balance(key)?.chargedUnits).toBe((streamed.usage?.total_tokens ?? NaN) * UNITS_PER_TOKEN)

  const whole = await connect(emulator).create(REQUEST)
  expect(whole.output).toEqual(streamed.output)
  const [call] = whole.output
  expect(call).toMatchObject({ type: 'custom_tool_call', name: 'patch', input: patch, status: 'completed' })
  const output: OpenAI.Responses.ResponseInputItem = {
    type: 'custom_tool_call_output',
    call_id: call?.type === 'custom_tool_call' ? call.call_id : '',
    output: 'Patched.',
  }
  const next = await connect(emulator).create({ ...REQUEST, previous_response_id: whole.id, input: [output] })
  expect(next.output_text).toBe('Done.')
})

test.each(['required' as const, { type: 'custom' as const, name: 'patch' }])(
  'generates the call of a custom tool for tool_choice %j',
  async (choice) => {
    const emulator = createEmulator({ extensions: ['responses'], options: { 'unknown-fields': 'refused' } })
    const { output } = await connect(emulator).create({ ...REQUEST, tool_choice: choice })
    expect(output).toMatchObject([{ type: 'custom_tool_call', name: 'patch', input: expect.stringMatching(/\S/) }])
  },
)
