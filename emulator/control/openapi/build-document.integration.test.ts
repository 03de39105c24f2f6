import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MODELS, OPERATIONS, PARAMETERS, ERROR_STATUSES } from '../../../contract/facts.ts'
import { OPTIONAL_FIELDS } from '../../operations/optional-fields.ts'
import { startEmulator, type EmulatorOptions } from '../../start-emulator.ts'
import { postJson, transcribe, callControl } from '../../tests/support/requests.ts'

const ajv = new Ajv2020({ strict: false, logger: false }) // Strict mode rejects formats that ajv cannot check.

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator(options)
  const { json } = await callControl(emulator, '/openapi.json')
  return { emulator, document: json, [Symbol.asyncDispose]: () => emulator.close() }
}

test('describes every operation of the specification with its parameters and statuses', async () => {
  await using running = await start()
  const { document } = running
  expect(document.openapi).toBe('3.1.0')
  const described = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  )
  expect(described).toEqual(Object.entries(OPERATIONS).map(([id, { method, path }]) => `${id} ${method} ${path}`))
  for (const { path, method } of Object.values(OPERATIONS)) {
    const { responses } = document.paths[path][method.toLowerCase()]
    expect(Object.keys(responses)).toEqual(['200', ...ERROR_STATUSES.map(({ code }) => String(code))])
  }
  const chat = document.paths['/v1/chat/completions'].post.requestBody.content['application/json'].schema
  const optional = Object.keys(OPTIONAL_FIELDS.chat)
  expect(Object.keys(chat.properties)).toEqual([...PARAMETERS.chat.map(({ name }) => name), ...optional])
  expect(chat.required).toEqual(['model', 'messages'])
  expect(chat.properties.model.enum).toEqual(MODELS.map(({ id }) => id))
  expect(chat.properties.max_tokens.anyOf[0]).toEqual({ type: 'integer', minimum: 1, maximum: 131_072, default: 256 })
})

const text = fc.constantFrom('hello', '', 'a b')
const odd = fc.constantFrom<unknown>(null, true, 1.5, -1, 0, 3, 1e9, 'x', '5', [], {}, undefined)
const parts = fc.array(fc.oneof(fc.record({ type: fc.constant('text'), text }), odd), { maxLength: 2 })
const message = fc.oneof(
  { weight: 3, arbitrary: fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', 'king'), content: text }) },
  fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.oneof(parts, odd) }, { requiredKeys: ['role'] }),
  odd,
)
const model = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('o3-mini', 'vendorc-4o') }, odd)
const mostly = (value: fc.Arbitrary<unknown>) => fc.oneof({ weight: 4, arbitrary: value }, odd)

const tool = fc.record({
  type: fc.constantFrom('function', 'custom', 'web_search'),
  function: fc.oneof(fc.record({ name: text, parameters: fc.constantFrom(null, {}, { type: 'object' }) }), odd),
  custom: fc.oneof(fc.record({ name: text }), odd),
})

/** Values of optional chat fields. Another test covers `tool_choice` values that name functions. */
const optionalChatFields = {
  max_completion_tokens: mostly(fc.integer({ min: -1, max: 400 })),
  n: mostly(fc.integer({ min: -1, max: 12 })),
  stop: mostly(fc.oneof(text, fc.array(text, { maxLength: 3 }))),
  seed: mostly(fc.integer()),
  logprobs: mostly(fc.boolean()),
  top_logprobs: mostly(fc.integer({ min: -1, max: 22 })),
  tools: mostly(fc.array(fc.oneof(tool, odd), { maxLength: 2 })),
  tool_choice: fc.constantFrom<unknown>('none', 'auto', null, 5, {}, 'any'),
  parallel_tool_calls: odd,
  response_format: mostly(
    fc.record({
      type: fc.constantFrom('text', 'json_object', 'json_schema', 'xml'),
      json_schema: fc.constantFrom<unknown>({ schema: { type: 'object' } }, { name: 'x' }, null),
    }),
  ),
}

/** A valid request body for each operation, and valid and invalid values for each field. */
const REQUESTS = {
  chat: {
    served: { model: 'o3-mini', messages: [{ role: 'user', content: 'hi' }] },
    edges: [
      { messages: [{ role: 'user' }] },
      { messages: [{ role: 'assistant' }] },
      { max_tokens: 131_072 },
      { n: 0 },
      { stop: Array(17).fill('x') },
      { tools: [{ type: 'function', function: { name: 'f', parameters: 1 } }] },
      { tools: [{ type: 'web_search' }], tool_choice: 'auto' },
      { tools: [{ type: 'custom' }] },
    ],
    fields: {
      model,
      messages: mostly(fc.array(message, { maxLength: 3 })),
      max_tokens: mostly(fc.integer({ min: -1, max: 400 })),
      temperature: mostly(fc.double({ min: -1, max: 3, noNaN: true })),
      stream: mostly(fc.boolean()),
      stranger: odd,
      ...optionalChatFields,
    },
  },
  images: {
    served: { model: 'vendorc-4o', prompt: 'a hill', size: '1x1' },
    edges: [{ size: '4096x4096' }, { size: '1x4097' }, { n: 10 }, { n: 11 }],
    fields: {
      model,
      prompt: mostly(text),
      n: mostly(fc.integer({ min: -1, max: 12 })),
      response_format: mostly(fc.constantFrom('url', 'b64_json', 'png')),
      size: mostly(fc.constantFrom('1x1', '4096x4096', '4097x1', '0x5', '05x5', '99x100', '3999x4000', '5X5', '1x1 ')),
    },
  },
  speech: {
    served: { model: 'o3-mini', input: 'hi', voice: 'hello' },
    edges: [{ voice: '' }, { input: '' }],
    fields: {
      model,
      input: mostly(text),
      voice: mostly(text),
      response_format: mostly(fc.constantFrom('mp3', 'wav', 'flac')),
      speed: mostly(fc.double({ min: 0, max: 5, noNaN: true })),
    },
  },
} as const

/** Generates variants of the valid request body in which up to two fields are changed or removed. */
function bodies(operation: keyof typeof REQUESTS): fc.Arbitrary<Record<string, unknown>> {
  const { served, fields } = REQUESTS[operation]
  const other = Object.entries(fields).map(([name, value]) => fc.tuple(fc.constant(name), value))
  return fc
    .array(fc.oneof(...other), { maxLength: 2 })
    .map((changes): Record<string, unknown> => ({ ...served, ...Object.fromEntries(changes) }))
}

const OPTIONS = [
  ['with the default options', {}],
  [
    'with strict options',
    {
      'unknown-fields': 'refused',
      'null-fields': 'refused',
      roles: 'documented',
      tools: 'refused',
      'speech-format': 'ignored',
      'content-parts': 'refused',
      'most-n': 4,
      'most-max-tokens': 256,
      'most-messages': 2,
      sizes: ['1x1', '99x100'],
      voices: ['hello'],
      capabilities: { images: ['vendorc-4o'] },
    },
  ],
  ['with permissive options', { 'empty-messages': 'accepted', 'empty-text': 'accepted', roles: 'any', 'least-n': 0 }],
] as const

test.each(OPTIONS)('%s, the document allows a request exactly if the emulator accepts it', async (_name, options) => {
  await using running = await start({ options })
  const { emulator, document } = running
  for (const operation of ['chat', 'images', 'speech'] as const) {
    const { path } = OPERATIONS[operation]
    const isAllowed = ajv.compile(document.paths[path].post.requestBody.content['application/json'].schema)
    const seen = { allowed: 0, refused: 0 }
    const { served, edges } = REQUESTS[operation]
    const examples = edges.map((edge): [Record<string, unknown>] => [{ ...served, ...edge }])
    await fc.assert(
      fc.asyncProperty(bodies(operation), async (body) => {
        const sent: unknown = JSON.parse(JSON.stringify(body)) // Removes undefined properties, as in a request.
        const response = await postJson(emulator, path, sent)
        await response.arrayBuffer()
        const expected = isAllowed(sent)
        seen[expected ? 'allowed' : 'refused'] += 1
        expect([response.status === 200, response.status]).toEqual([expected, response.status])
      }),
      { numRuns: 150, seed: 7, examples },
    )
    expect(Math.min(seen.allowed, seen.refused)).toBeGreaterThan(5)
  }
})

test('describes the responses for each value of the option error-body', async () => {
  for (const errorBody of ['sdk', 'detail'] as const) {
    await using running = await start({ options: { 'error-body': errorBody } })
    const { emulator, document } = running
    const check = async (response: Response) => {
      const path = new URL(response.url).pathname
      const item = document.paths[path]
      const { schema } = (item.get ?? item.post).responses[response.status].content['application/json']
      expect(response.headers.get('content-type')).toBe('application/json')
      const body: unknown = JSON.parse(await response.text())
      expect([ajv.validate(schema, body), ajv.errorsText(), body]).toEqual([true, 'No errors', body])
    }
    const chat = { model: 'o3-mini', messages: [{ role: 'user', content: 'hi' }] }
    await check(
      await fetch(`${emulator.url}/v1/models`, { headers: { authorization: `Bearer ${emulator.keys.funded}` } }),
    )
    await check(await fetch(`${emulator.url}/v1/models`))
    await check(await postJson(emulator, '/v1/chat/completions', chat))
    await check(await postJson(emulator, '/v1/chat/completions', { ...chat, temperature: 7 }))
    await check(await postJson(emulator, '/v1/chat/completions', chat, { key: emulator.keys.noCredits }))
    await check(await postJson(emulator, '/v1/images/generations', { model: 'o3-mini', prompt: 'a' }))
    await check(await transcribe(emulator, new Uint8Array(100)))
  }
})
