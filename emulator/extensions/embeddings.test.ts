import { OpenAIEmbeddings } from '@langchain/openai'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator, type InstanceOptions } from '../create-emulator.ts'

const MODEL = 'vendora-v4-flash'
/** Price of the tested model, in units of 0.0001 credit per token. */
const UNITS_PER_TOKEN = 4

function start(options: InstanceOptions = {}): InProcessEmulator {
  return createEmulator({ extensions: ['embeddings'], ...options })
}

function connect({ fetch, keys }: InProcessEmulator, apiKey: string = keys.funded): OpenAI.Embeddings {
  return new OpenAI({ baseURL: 'http://emulator.test/v1', apiKey, fetch, maxRetries: 0 }).embeddings
}

async function embed(emulator: InProcessEmulator, input: OpenAI.EmbeddingCreateParams['input'], fields = {}) {
  const { data } = await connect(emulator).create({ model: MODEL, input, ...fields })
  return data.map(({ embedding }) => embedding)
}

const lengthOf = (vector: readonly number[] = []) => Math.hypot(...vector)

test('responds with 404 to an embeddings request unless the extension is enabled', async () => {
  for (const options of [{}, { extensions: ['responses'] as const }]) {
    const create = connect(createEmulator(options)).create({ model: MODEL, input: 'Hello' })
    await expect(create).rejects.toMatchObject({ status: 404, code: 'unknown_endpoint' })
  }
})

test('returns the same vector of unit length with 1536 components for the same text and model', async () => {
  const [first, other, again] = await embed(start(), ['Hello', 'World', 'Hello'])
  expect(first).toHaveLength(1536)
  expect(lengthOf(first)).toBeCloseTo(1, 6)
  expect(again).toEqual(first)
  expect(other).not.toEqual(first)
  expect(await embed(start({ seed: 7 }), 'Hello')).toEqual([first])
  expect(await embed(start(), 'Hello', { model: 'o3-mini' })).not.toEqual([first])
})

test('sends the same numbers as float and as base64', async () => {
  const emulator = start()
  const base64 = await embed(emulator, 'Hello') // The SDK requests Base64 by default.
  const [floats] = await embed(emulator, 'Hello', { encoding_format: 'float' })
  expect([...new Float32Array(floats ?? [])]).toEqual(base64[0])
})

test('shortens a vector to the requested dimensions, and keeps its length at 1', async () => {
  const emulator = start()
  const [full = []] = await embed(emulator, 'Hello')
  const [short = []] = await embed(emulator, 'Hello', { dimensions: 3 })
  expect(lengthOf(short)).toBeCloseTo(1, 6)
  const scale = lengthOf(full.slice(0, 3))
  for (const [index, component] of short.entries()) expect(component).toBeCloseTo((full[index] ?? NaN) / scale, 5)
})

test('charges the tokens of all embeddings inputs like those of a prompt', async () => {
  const emulator = start()
  const { key } = emulator.createAccount({ credits: '1' })
  const texts = await connect(emulator, key).create({ model: MODEL, input: ['Say hello.', 'Goodbye'] })
  expect(texts.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 })
  const tokens = await connect(emulator, key).create({ model: MODEL, input: [[1, 2], [3]] })
  expect(tokens.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 })
  expect(tokens.data).toHaveLength(2)
  expect((await connect(emulator, key).create({ model: MODEL, input: [1, 2, 3] })).data).toHaveLength(1)
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: 10 * UNITS_PER_TOKEN, heldUnits: 0 })
})

test.each([
  ['input', 'an empty text', { input: '' }],
  ['input', 'an empty list', { input: [] }],
  ['input', 'a fraction as token ID', { input: [1.5] }],
  ['input', 'more than 2048 texts', { input: Array.from({ length: 2049 }, () => 'a') }],
  ['dimensions', '0', { dimensions: 0 }],
  ['encoding_format', 'hex', { encoding_format: 'hex' }],
])('responds with 400 to embeddings requests with an invalid %s: %s', async (param, _, fields) => {
  await expect(embed(start(), 'Hello', fields)).rejects.toMatchObject({ status: 400, param })
})

test('responds with the vectors of a fixture for embeddings, in the requested format', async () => {
  const body = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1, 0] }], model: MODEL }
  const emulator = start({ fixtures: [{ operation: 'embeddings', message: 'Hello', body }] })
  expect(await embed(emulator, 'Hello')).toEqual([[1, 0]])
  expect(await embed(emulator, 'Hello', { encoding_format: 'float' })).toEqual([[1, 0]])
  expect((await embed(emulator, 'World'))[0]).toHaveLength(1536)
})

test('serves embeddings requests of LangChain', async () => {
  const { fetch, keys } = start()
  const configuration = { baseURL: 'http://emulator.test/v1', fetch }
  const embeddings = new OpenAIEmbeddings({ model: MODEL, apiKey: keys.funded, configuration, maxRetries: 0 })
  const vectors = await embeddings.embedDocuments(['Hello', 'World'])
  expect(vectors.map((vector) => vector.length)).toEqual([1536, 1536])
  expect(await embeddings.embedQuery('Hello')).toEqual(vectors[0])
})
