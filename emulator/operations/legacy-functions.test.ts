import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../create-emulator.ts'
import type { InstanceOptions } from '../create-emulator.ts'

type Message = OpenAI.ChatCompletionMessageParam

const REQUEST = {
  model: 'vendora-v4-flash',
  functions: [{ name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }],
}
const QUESTION: Message = { role: 'user', content: 'How is the weather?' }
const CALL = { name: 'get_weather', arguments: '{"city":"Paris"}' }

function connect(options: InstanceOptions = {}) {
  const emulator = createEmulator({ strictFixtures: true, ...options })
  onTestFinished(() => emulator.close())
  const client = new OpenAI({ ...emulator.clientOptions(), maxRetries: 0 })
  return client.chat.completions
}

async function readStream(completions: OpenAI.Chat.Completions, messages: Message[]) {
  const stream = await completions.create({ ...REQUEST, messages, stream: true })
  const call = { name: '', arguments: '' }
  let reason: string | null = null
  for await (const { choices } of stream) {
    call.name += choices[0]?.delta.function_call?.name ?? ''
    call.arguments += choices[0]?.delta.function_call?.arguments ?? ''
    expect(choices[0]?.delta.tool_calls).toBeUndefined()
    reason = choices[0]?.finish_reason ?? reason
  }
  return { call, reason }
}

test('serves the tool loop of a client that sends functions, with and without streaming', async () => {
  const completions = connect({
    fixtures: [
      { toolResult: '21 degrees', toolResultOf: 'get_weather', turn: 2, text: 'It is warm.' },
      {
        tools: ['get_weather'],
        message: 'How is the weather?',
        toolCalls: [
          { name: 'get_weather', arguments: { city: 'Paris' } },
          { name: 'get_weather', arguments: { city: 'Rome' } },
        ],
      },
    ],
  })
  expect(await readStream(completions, [QUESTION])).toEqual({ call: CALL, reason: 'function_call' })
  const first = await completions.create({ ...REQUEST, messages: [QUESTION] })
  expect(first.choices).toEqual([
    {
      index: 0,
      message: { role: 'assistant', content: null, function_call: CALL },
      finish_reason: 'function_call',
    },
  ])
  const result: Message[] = [
    QUESTION,
    { role: 'assistant', content: null, function_call: CALL },
    { role: 'function', name: 'get_weather', content: '21 degrees' },
  ]
  const second = await completions.create({ ...REQUEST, messages: result })
  expect(second.choices[0]?.message).toEqual({ role: 'assistant', content: 'It is warm.' })
  const withoutFunctions = await completions.create({ model: REQUEST.model, messages: result })
  expect(withoutFunctions.choices[0]?.message.content).toBe('It is warm.')
})

test('generates a call of the function that function_call names', async () => {
  const completions = connect({ strictFixtures: false })
  const { choices } = await completions.create({
    ...REQUEST,
    messages: [QUESTION],
    function_call: { name: 'get_weather' },
  })
  expect(choices[0]).toMatchObject({
    message: { content: null, function_call: { name: 'get_weather', arguments: expect.stringContaining('{') } },
    finish_reason: 'function_call',
  })
})

test.each([
  [{ functions: [{}] }, 'functions', "'functions[0].name'"],
  [{ functions: [{ name: '' }] }, 'functions', "'functions[0].name'"],
  [{ functions: [{ name: 'f', parameters: 1 }] }, 'functions', "'functions[0].parameters'"],
  [{ function_call: 'required' }, 'function_call', "'function_call' must be none, auto"],
  [{ function_call: { name: 'other' } }, 'function_call', "'functions' has no such function"],
  [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'functions', "cannot be combined with 'tools'"],
])('rejects %j with 400 and a sentence that names the parameter', async (fields, param, sentence) => {
  const body = { ...REQUEST, messages: [QUESTION], ...fields } as OpenAI.ChatCompletionCreateParamsNonStreaming
  await expect(connect({ strictFixtures: false }).create(body)).rejects.toMatchObject({
    status: 400,
    param,
    message: expect.stringContaining(sentence),
  })
})

test('ignores functions if the option tools ignores tools, and rejects them if it rejects tools', async () => {
  const body = { ...REQUEST, messages: [QUESTION] }
  const ignoring = connect({ strictFixtures: false, options: { tools: 'ignored', 'ignored-fields-header': 'sent' } })
  const { response } = await ignoring.create(body).withResponse()
  expect(response.headers.get('x-touchstone-ignored-fields')).toBe('functions')
  const rejecting = connect({ strictFixtures: false, options: { tools: 'refused' } })
  await expect(rejecting.create(body)).rejects.toMatchObject({ status: 400, param: 'functions' })
})

test('lists tools other than functions and custom tools as ignored, or rejects them', async () => {
  const tool: unknown = { type: 'web_search' }
  const body = { model: REQUEST.model, messages: [QUESTION], tools: [tool as OpenAI.ChatCompletionTool] }
  const listing = connect({ strictFixtures: false, options: { 'ignored-fields-header': 'sent' } })
  const { response } = await listing.create(body).withResponse()
  expect(response.headers.get('x-touchstone-ignored-fields')).toBe('tools.web_search')
  const rejecting = connect({ strictFixtures: false, options: { 'unknown-fields': 'refused' } })
  await expect(rejecting.create(body)).rejects.toMatchObject({ status: 400, param: 'tools' })
})
