import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../create-emulator.ts'
import type { EmulatorOptions } from '../../options/emulator-options.ts'

const REQUEST = { model: 'vendora-v4-flash', input: 'Hello.' }

function start(options: Partial<EmulatorOptions> = {}) {
  const emulator = createEmulator({ extensions: ['responses'], ...options })
  onTestFinished(() => emulator.close())
  const { key } = emulator.createAccount({ credits: '1' })
  const connect = (apiKey: string) => new OpenAI({ ...emulator.clientOptions(apiKey), maxRetries: 0 })
  return { emulator, key, connect, responses: connect(key).responses }
}

test('returns a stored response without a charge, with and without streaming', async () => {
  const { emulator, key, responses } = start({ strictFixtures: true, fixtures: [{ text: 'Hi!' }] })
  const whole = await responses.create(REQUEST)
  const streamed = await responses.stream(REQUEST).finalResponse()
  const charged = emulator.balance(key)?.chargedUnits
  expect(await responses.retrieve(whole.id)).toEqual(whole)
  expect(await responses.retrieve(streamed.id)).toMatchObject({ status: 'completed', output_text: 'Hi!' })
  expect(emulator.balance(key)).toMatchObject({ chargedUnits: charged, heldUnits: 0 })
})

test('returns a stored response for a path with a trailing slash if the emulator accepts one', async () => {
  const { emulator, key, responses } = start({ options: { 'trailing-slash': 'same' } })
  const { id } = await responses.create(REQUEST)
  const headers = { authorization: `Bearer ${key}` }
  const get = async (path: string): Promise<unknown> => {
    const response = await emulator.fetch(`http://emulator.test/v1/responses/${id}${path}`, { headers })
    return response.json()
  }
  expect(await get('/')).toMatchObject({ object: 'response', id })
  expect(await get('/input_items/')).toMatchObject({ object: 'list' })
})

test('deletes a stored response, which later requests then cannot continue', async () => {
  const { responses } = start()
  const { id, output } = await responses.create(REQUEST)
  await responses.delete(id)
  await expect(responses.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'response_not_found' })
  const next = { ...REQUEST, previous_response_id: id }
  await expect(responses.create(next)).rejects.toMatchObject({ status: 400, param: 'previous_response_id' })
  const reference = { type: 'item_reference' as const, id: output[0]?.id ?? '' }
  await expect(responses.create({ ...REQUEST, input: [reference] })).rejects.toMatchObject({ status: 400 })
})

test('returns 404 for responses of other accounts, unstored responses, and after a reset', async () => {
  const { emulator, connect, responses } = start()
  const { id } = await responses.create(REQUEST)
  const unstored = await responses.create({ ...REQUEST, store: false })
  await expect(connect(emulator.keys.funded).responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
  await expect(responses.retrieve(unstored.id)).rejects.toMatchObject({ status: 404 })
  const later = await connect(emulator.keys.funded).responses.create(REQUEST)
  emulator.reset()
  await expect(connect(emulator.keys.funded).responses.retrieve(later.id)).rejects.toMatchObject({ status: 404 })
})

test('lists the input items of a response in pages, newest first by default', async () => {
  const { responses } = start()
  const first = await responses.create(REQUEST)
  const input: OpenAI.Responses.ResponseInput = [
    { type: 'item_reference', id: first.output[0]?.id ?? '' },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: '3' },
    { role: 'user', content: 'Thanks.' },
  ]
  const { id } = await responses.create({ ...REQUEST, input })
  const items: unknown[] = []
  for await (const item of responses.inputItems.list(id, { order: 'asc', limit: 2 })) items.push(item)
  expect(items).toMatchObject([
    { id: first.output[0]?.id, type: 'message', role: 'assistant' },
    { id: 'fc_1', name: 'add' },
    { type: 'function_call_output', output: '3' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
  ])
  const newest = await responses.inputItems.list(id)
  expect(newest.data).toEqual(items.toReversed())
  const [text] = (await responses.inputItems.list(first.id)).data
  expect(text).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] })
})

test('rejects an invalid page of input items, and the stream of a stored response', async () => {
  const { responses } = start()
  const { id } = await responses.create(REQUEST)
  for (const [query, param] of [
    [{ limit: 0 }, 'limit'],
    [{ after: 'item_unknown' }, 'after'],
  ] as const) {
    await expect(responses.inputItems.list(id, query)).rejects.toMatchObject({ status: 400, param })
  }
  await expect(responses.retrieve(id, { stream: true })).rejects.toMatchObject({ status: 400, param: 'stream' })
})

test('has no endpoint for stored responses without the extension', async () => {
  const { responses } = start({ extensions: [] })
  await expect(responses.retrieve('resp_1')).rejects.toMatchObject({ status: 404, code: 'unknown_endpoint' })
})

test('injects faults with operation=stored-responses into reads, not into new responses', async () => {
  const { responses } = start({ faults: ['operation=stored-responses,status=500,times=1'] })
  const { id } = await responses.create(REQUEST)
  await expect(responses.retrieve(id)).rejects.toMatchObject({ status: 500 })
  expect((await responses.retrieve(id)).id).toBe(id)
})
