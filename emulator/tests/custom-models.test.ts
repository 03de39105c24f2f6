import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { MODELS } from '../../contract/facts.ts'
import { createEmulator } from '../create-emulator.ts'
import { createInstance } from '../instance.ts'
import { readOptions } from '../options/read-options.ts'
import { createFixedDelay, LATENCY_PROFILES } from '../state/latency.ts'

const BASE_URL = 'http://emulator.test/v1'
const MODELS_GIVEN = [
  { id: 'org/large', price: '0.5' },
  { id: 'gpt-4o', aliasOf: 'vendorc-4o' },
  { id: 'ears', price: '1', operations: ['transcriptions'] },
] as const

function open(options: Parameters<typeof createEmulator>[0] = {}) {
  const emulator = createEmulator({ models: MODELS_GIVEN, answerTokens: 5, ...options })
  const { key } = emulator.createAccount({ credits: '1000' })
  const client = new OpenAI({ baseURL: BASE_URL, apiKey: key, fetch: emulator.fetch, maxRetries: 0 })
  const chat = (model: string) =>
    client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 5 })
  return { emulator, key, client, chat }
}

test('lists custom models after those of the specification', async () => {
  const { client, emulator } = open()
  const { data } = await client.models.list()
  expect(data.map(({ id }) => id)).toEqual([...MODELS.map(({ id }) => id), 'org/large', 'gpt-4o', 'ears'])
  expect(new Set(data.map(({ object, owned_by }) => `${object} ${owned_by}`)).size).toBe(1)
  await emulator.close()
})

test.each([
  ['org/large', 5000],
  ['gpt-4o', 100],
  ['vendorc-4o', 100],
])('charges a chat with %s at its price', async (model, unitsPerToken) => {
  const { chat, emulator, key } = open()
  const completion = await chat(model)
  expect(completion.model).toBe(model)
  const { total_tokens: tokens } = completion.usage ?? { total_tokens: 0 }
  expect(tokens).toBeGreaterThan(0)
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: tokens * unitsPerToken, heldUnits: 0 })
  await emulator.close()
})

test('serves only the operations of a custom model', async () => {
  const { chat, emulator } = open({ options: { capabilities: { chat: ['o3-mini'] } } })
  await expect(chat('ears')).rejects.toThrow("404 The model 'ears' does not serve chat.")
  // The alias serves the same operations as vendorc-4o.
  await expect(chat('gpt-4o')).rejects.toThrow("404 The model 'gpt-4o' does not serve chat.")
  await expect(chat('org/large')).resolves.toMatchObject({ model: 'org/large' })
  await expect(chat('gpt-9')).rejects.toThrow("404 There is no model 'gpt-9'.")
  await emulator.close()
})

test('injects a fault for a custom model, and rejects one for an unknown model', async () => {
  const { chat, client, emulator } = open({ faults: ['model=gpt-4o,times=1,status=503'], allowFaultHeader: true })
  await expect(chat('gpt-4o')).rejects.toThrow('503')
  await expect(chat('gpt-4o')).resolves.toMatchObject({ model: 'gpt-4o' })
  const unknown = '"model" of a fault must be a model ID, not "gpt-9".'
  expect(() => emulator.faults.add('model=gpt-9,status=503')).toThrow(unknown)
  await expect(client.models.list({ headers: { 'x-touchstone-fault': 'model=gpt-9,drop=true' } })).rejects.toThrow(
    unknown,
  )
  expect(() => createEmulator({ faults: ['model=gpt-9,status=503'] })).toThrow(unknown)
  await emulator.close()
})

test('serves a model whose ID is the name of a method, with the latency of chat', async () => {
  const { chat, emulator } = open({
    ...readOptions([['latency', 'o3-mini.ttft=1ms']]),
    models: [{ id: 'toString', price: '1' }],
  })
  await expect(chat('toString')).resolves.toMatchObject({ model: 'toString' })
  await emulator.close()
})

test('gives an alias the latency of its model', () => {
  const slow = { ttft: createFixedDelay(40), itl: createFixedDelay(0) }
  const byModel = { 'vendorc-4o': slow }
  const { settings } = createInstance({ models: MODELS_GIVEN, latency: { ...LATENCY_PROFILES.instant, byModel } })
  expect(settings.latency.byModel).toEqual({ 'vendorc-4o': slow, 'gpt-4o': slow })
  expect(() => createInstance({ latency: { ...LATENCY_PROFILES.instant, byModel: { 'gpt-9': slow } } })).toThrow(
    "There is no model 'gpt-9'; the models are vendora-v4-flash,",
  )
})
