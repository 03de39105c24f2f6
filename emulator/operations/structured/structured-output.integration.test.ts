import OpenAI from 'openai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../start-emulator.ts'
import { callControl, sendChat } from '../../tests/support/requests.ts'

const MODEL = 'vendora-v4-flash'
/** Price of the tested model, in units of 0.0001 credit per token. */
const UNITS_PER_TOKEN = 4
const messages = [{ role: 'user' as const, content: 'How is the weather in Zürich?' }]
const WEATHER = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', minimum: 1, maximum: 7 },
  },
  required: ['city', 'unit'],
  additionalProperties: false,
}
const tools = [
  { type: 'function' as const, function: { name: 'get_weather', parameters: WEATHER } },
  { type: 'function' as const, function: { name: 'now' } },
]

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

function connect(emulator: Emulator, apiKey: string = emulator.keys.funded) {
  return new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey, maxRetries: 0 }).chat.completions
}

type Fields = Omit<Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, 'stream'>

/** Requests the same completion with and without streaming, each with a new account. */
async function completeBothWays(emulator: Emulator, fields: Fields) {
  const request = { model: MODEL, messages, max_tokens: 1000, ...fields }
  const whole = emulator.createAccount({ credits: '10' }).key
  const streaming = emulator.createAccount({ credits: '10' }).key
  const completions = [
    await connect(emulator, whole).create(request),
    await connect(emulator, streaming)
      .stream({ ...request, stream_options: { include_usage: true } })
      .finalChatCompletion(),
  ] as const
  const charged = [whole, streaming].map((key) => emulator.balance(key)?.chargedUnits)
  const [{ usage }] = completions
  expect(charged).toEqual(Array(2).fill((usage?.total_tokens ?? NaN) * UNITS_PER_TOKEN))
  expect(completions[1].usage).toEqual(usage)
  return completions
}

function readCall(choice: OpenAI.ChatCompletion.Choice | undefined) {
  const [call] = choice?.message.tool_calls ?? []
  if (call?.type !== 'function') throw new Error('no call of a function')
  return { id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) as unknown }
}

test('calls the named function with arguments that conform to its schema, streamed and not', async () => {
  await using emulator = await startEmulator()
  const tool_choice = { type: 'function' as const, function: { name: 'get_weather' } }
  const completions = await completeBothWays(emulator, { tools, tool_choice })
  const calls = completions.map(({ choices }) => readCall(choices[0]))
  for (const [index, call] of calls.entries()) {
    expect(call.name).toBe('get_weather')
    expect(call.id).toMatch(/^call_[\da-f]{24}$/)
    expect(ajv.validate(WEATHER, call.arguments)).toBe(true)
    expect(completions[index]?.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
  }
  expect(calls[1]).toEqual(calls[0])
})

test('calls one of the functions if tool_choice is required, depending on the seed', async () => {
  const names = await Promise.all(
    [1, 2, 3, 4].map(async (seed) => {
      await using emulator = await startEmulator({ seed })
      const { choices } = await connect(emulator).create({ model: MODEL, messages, tools, tool_choice: 'required' })
      return readCall(choices[0]).name
    }),
  )
  expect(new Set(names)).toEqual(new Set(['get_weather', 'now']))
})

test('sends the same tool call for the same seed, and different arguments for the next identical request', async () => {
  const read = async () => {
    await using emulator = await startEmulator({ frozenAtUnixSeconds: 1, seed: 3 })
    const request = { model: MODEL, messages, tools, tool_choice: 'required' as const }
    return [await connect(emulator).create(request), await connect(emulator).create(request)]
  }
  const first = await read()
  expect(await read()).toEqual(first)
  expect(readCall(first[0]?.choices[0])).not.toEqual(readCall(first[1]?.choices[0]))
})

test('with tool_choice auto, calls no tool by default, and one per user turn with auto-tool-calls', async () => {
  await using plain = await startEmulator()
  const [completion] = await completeBothWays(plain, { tools })
  expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.any(String) } })

  await using emulator = await startEmulator({ options: { 'auto-tool-calls': 100 } })
  const [requested] = await completeBothWays(emulator, { tools })
  const message = requested.choices[0]?.message
  if (message === undefined) throw new Error('no message')
  const { id } = readCall(requested.choices[0])
  const result = { role: 'tool' as const, tool_call_id: id, content: 'sunny' }
  const [next] = await completeBothWays(emulator, { tools, messages: [...messages, message, result] })
  expect(next.choices[0]?.finish_reason).toBe('stop')
})

test('calls tools as often as auto-tool-calls specifies', async () => {
  await using emulator = await startEmulator({ options: { 'auto-tool-calls': 30 } })
  const reasons = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const { choices } = await connect(emulator).create({ model: MODEL, messages, tools })
      return choices[0]?.finish_reason
    }),
  )
  const calls = reasons.filter((reason) => reason === 'tool_calls').length
  expect(calls).toBeGreaterThan(5)
  expect(calls).toBeLessThan(35)
})

test('never calls a tool with tool_choice none', async () => {
  await using emulator = await startEmulator({ options: { 'auto-tool-calls': 100 } })
  const [completion] = await completeBothWays(emulator, { tools, tool_choice: 'none' })
  expect(completion.choices[0]?.finish_reason).toBe('stop')
})

const NODE = {
  type: 'object',
  properties: { value: { type: 'number' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
  required: ['value', 'next'],
  additionalProperties: false,
}
const SCHEMAS: readonly [name: string, schema: Record<string, unknown>][] = [
  ['an object', WEATHER],
  ['a linked list', { $defs: { node: NODE }, $ref: '#/$defs/node' }],
  [
    'a tree',
    {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['name', 'children'],
      additionalProperties: false,
    },
  ],
  [
    'formats and patterns',
    {
      type: 'object',
      properties: {
        id: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' },
        email: { type: 'string', format: 'email' },
        at: { type: 'string', format: 'date-time' },
        on: { type: 'string', format: 'date' },
        uuid: { type: 'string', format: 'uuid' },
        step: { type: 'number', multipleOf: 0.25, minimum: 1, maximum: 2 },
      },
      required: ['id', 'email', 'at', 'on', 'uuid', 'step'],
    },
  ],
  [
    'nested references',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.com/order',
      definitions: {
        a: { type: 'object', properties: { b: { $ref: '#/definitions/b' } }, required: ['b'] },
        b: { type: 'object', properties: { c: { $ref: '#/definitions/c' } }, required: ['c'] },
        c: { type: 'object', properties: { d: { $ref: '#/definitions/d' } }, required: ['d'] },
        d: { type: 'object', properties: { e: { type: 'string' } }, required: ['e'] },
      },
      $ref: '#/definitions/a',
    },
  ],
  [
    'unions, tuples and many items at most',
    {
      type: 'object',
      properties: {
        pet: {
          oneOf: [
            { type: 'object', properties: { kind: { const: 'cat' }, lives: { type: 'integer' } }, required: ['kind'] },
            { type: 'object', properties: { kind: { const: 'dog' }, bark: { type: 'string' } }, required: ['kind'] },
          ],
        },
        point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, minItems: 2 },
        tags: { type: 'array', items: { type: 'string', maxLength: 100_000 }, maxItems: 100_000 },
        unique: { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 3 },
        none: { type: ['string', 'null'] },
      },
      required: ['pet', 'point', 'tags', 'unique', 'none'],
    },
  ],
]

test.each(SCHEMAS)('sends JSON that conforms to a schema of %s for every seed', async (_, schema) => {
  const { $schema: _dialect, ...compiled } = schema
  const validate = new Ajv2020({ strict: false })
  addFormats.default(validate)
  const isValid = validate.compile(compiled)
  await using emulator = await startEmulator()
  for (let round = 0; round < 2; round += 1) {
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'answer', strict: true, schema } }
    const [whole, streamed] = await completeBothWays(emulator, { response_format, seed: round })
    const [choice] = whole.choices
    expect(choice?.finish_reason).toBe('stop')
    expect(isValid(JSON.parse(choice?.message.content ?? ''))).toBe(true)
    expect(streamed.choices[0]?.message.content).toBe(choice?.message.content)
  }
})

test('sends a JSON object for json_object', async () => {
  await using emulator = await startEmulator()
  const [completion] = await completeBothWays(emulator, { response_format: { type: 'json_object' } })
  expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ answer: expect.stringMatching(/\S/) })
})

test('prefers JSON that fits into max_tokens, and truncates other JSON with the finish reason length', async () => {
  const long = { type: 'object', properties: { list: { type: 'array', items: WEATHER } }, required: ['list'] }
  const schema = { ...long, properties: { ...long.properties, note: { type: 'string' } } }
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'answer', schema } }
  await using emulator = await startEmulator()
  for (let seed = 0; seed < 3; seed += 1) {
    const [fitting] = await completeBothWays(emulator, { response_format, seed, max_tokens: 30 })
    expect(fitting.choices[0]?.finish_reason).toBe('stop')
    expect(() => JSON.parse(fitting.choices[0]?.message.content ?? '')).not.toThrow()
  }
  const cut = await connect(emulator).create({ model: MODEL, messages, response_format, max_tokens: 3 })
  expect(cut.choices[0]?.finish_reason).toBe('length')
  expect(cut.usage?.completion_tokens).toBe(3)
})

test.each([
  ['more items than the bound', { type: 'array', minItems: 1e8, items: {} }, "has 'minItems': 100000000"],
  ['a reference to another host', { $ref: 'http://127.0.0.1:1/x' }, 'cannot be compiled'],
  ['a contradiction', { type: 'integer', minimum: 5, maximum: 1 }, 'yields no conforming value'],
])('rejects a schema with %s with 400 and charges nothing', async (_, schema, sentence) => {
  await using emulator = await startEmulator()
  const { key } = emulator.createAccount({ credits: '10' })
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'answer', schema } }
  const error = await connect(emulator, key)
    .create({ model: MODEL, messages, response_format })
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 400, param: 'response_format', message: expect.stringContaining(sentence) })
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: 0, heldUnits: 0 })
})

test.each([
  ['tools', { tools: [{ type: 'function' }] }, "'tools[0].function' must be an object"],
  ['tool_choice', { tools, tool_choice: { type: 'function', function: { name: 'no' } } }, 'has no such function'],
  ['response_format', { response_format: { type: 'xml' } }, 'text, json_object or json_schema'],
])('rejects an invalid %s with 400: %o', async (param, fields, sentence) => {
  await using emulator = await startEmulator()
  // Widens the parameter type, because the SDK's types do not allow these requests.
  const create = connect(emulator).create as (request: object) => Promise<unknown>
  const error = await create
    .call(connect(emulator), { model: MODEL, messages, ...fields })
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 400, param, message: expect.stringContaining(sentence) })
})

test('counts tool definitions, schemas and earlier tool calls as prompt tokens, unless tool-tokens is free', async () => {
  const promptTokens = async (emulator: Emulator, fields: Fields) => {
    const { usage } = await connect(emulator).create({ model: MODEL, messages, ...fields })
    return usage?.prompt_tokens ?? NaN
  }
  const call = {
    id: 'call_1',
    type: 'function' as const,
    function: { name: 'get_weather', arguments: '{"city":"Bern"}' },
  }
  const history = [...messages, { role: 'assistant' as const, tool_calls: [call] }]
  const uncalled = [...messages, { role: 'assistant' as const, content: null }]
  await using emulator = await startEmulator()
  await using free = await startEmulator({ options: { 'tool-tokens': 'free' } })
  const bare = await promptTokens(emulator, {})
  expect(await promptTokens(emulator, { tools })).toBeGreaterThan(bare + 40)
  expect(await promptTokens(free, { tools })).toBe(bare)
  expect(await promptTokens(emulator, { messages: history })).toBe(
    (await promptTokens(emulator, { messages: uncalled })) + 10,
  )
  expect(await promptTokens(free, { messages: history })).toBe(await promptTokens(free, { messages: uncalled }))
})

test('lets a fixture respond to a request whose schema is not supported', async () => {
  await using emulator = await startEmulator({ fixtures: [{ json: { a: 1 } }] })
  const schema = { type: 'array', minItems: 1e8 }
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'answer', schema } }
  const { choices } = await connect(emulator).create({ model: MODEL, messages, response_format })
  expect(choices[0]?.message.content).toBe('{"a":1}')
})

test.each(['on', 'off'] as const)(
  'ends the generation for a client that disconnects, without a charge, with the fast path %s',
  async (fastPath) => {
    await using emulator = await startEmulator({ fastPath })
    const chatWith = (schema: object, signal?: AbortSignal) => {
      const format = { type: 'json_schema', json_schema: { name: 'value', schema } }
      return sendChat(emulator, { response_format: format }, signal === undefined ? {} : { signal })
    }
    const controller = new AbortController()
    const endless = { title: `endless ${fastPath}`, const: `${'a'.repeat(40)}!`, pattern: '^(a+)+$' }
    const pending = chatWith(endless, controller.signal)
    await expect.poll(() => callControl(emulator, '/health').then(({ json }) => json.inFlight)).toBe(1)
    controller.abort()
    await expect(pending).rejects.toThrow('abort')
    const response = await chatWith({ const: 7 })
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: '7' } }] })
    expect(emulator.requests()).toMatchObject([
      { status: null, clientLeft: true, refused: null, charged: '0' },
      { status: 200, clientLeft: false },
    ])
    expect(emulator.balance(emulator.keys.funded)).toMatchObject({ heldUnits: 0 })
  },
)
