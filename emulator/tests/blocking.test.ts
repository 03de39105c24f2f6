import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createEmulator } from '../create-emulator.ts'

const MODEL = 'vendora-v4-flash'
const messages = [{ role: 'user', content: 'Say hello.' }]
const chatWith = (schema: object) => ({
  model: MODEL,
  messages,
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
})

const items = { type: 'array', minItems: 300, items: { type: 'integer' } }

test.each([
  ['a schema that requires many values', '/chat/completions', chatWith({ type: 'array', minItems: 300, items })],
  [
    'many vectors',
    '/embeddings',
    { model: MODEL, dimensions: 3072, input: Array.from({ length: 100 }, (_, index) => `Text ${index}.`) },
  ],
  [
    'several large images',
    '/images/generations',
    { model: MODEL, prompt: 'A boat.', n: 4, size: '1024x1024', response_format: 'b64_json' },
  ],
])('serves other requests before the response to a request for %s is complete', async (_name, path, body) => {
  await using emulator = createEmulator({ extensions: ['embeddings'] })
  const { baseURL, apiKey } = emulator.clientOptions()
  const finished: string[] = []
  const send = async (name: string, to: string, fields: object) => {
    const headers = { authorization: `Bearer ${apiKey}` }
    const response = await emulator.fetch(baseURL + to, { method: 'POST', headers, body: JSON.stringify(fields) })
    await response.text()
    finished.push(name)
  }
  // Loads the code for the request.
  await send('first', '/chat/completions', chatWith({ type: 'boolean' }))
  await send('first', '/embeddings', { model: MODEL, input: 'a' })
  await send('first', '/images/generations', { model: MODEL, prompt: 'a', size: '1x1', response_format: 'b64_json' })
  const long = send('long', path, body)
  for (let turn = 0; turn < 4; turn += 1) await setImmediate() // The emulator starts the long request.
  await Promise.all([
    send('chat', '/chat/completions', { model: MODEL, messages }),
    send('chat', '/chat/completions', { model: MODEL, messages, stream: true }),
  ])
  await long
  expect(finished.slice(3)).toEqual(['chat', 'chat', 'long'])
})
