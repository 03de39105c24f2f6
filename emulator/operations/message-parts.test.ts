import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createEmulator } from '../create-emulator.ts'

const REQUEST = {
  model: 'o3-mini',
  messages: [{ role: 'user' as const, content: 'Patch it.' }],
  tools: [{ type: 'custom' as const, custom: { name: 'patch' } }],
}

test('renders the scripted call of a custom tool with its input as text, with and without streaming', async () => {
  const call = { id: 'call_1', name: 'patch', arguments: '*** Begin' }
  const { fetch, keys } = createEmulator({ fixtures: [{ tools: ['patch'], toolCalls: [call] }], strictFixtures: true })
  const { completions } = new OpenAI({ baseURL: 'http://emulator.test/v1', apiKey: keys.funded, fetch }).chat
  const whole = await completions.create(REQUEST)
  const custom = { name: 'patch', input: '*** Begin' }
  expect(whole.choices[0]?.message.tool_calls).toEqual([{ id: 'call_1', type: 'custom', custom }])

  const deltas: unknown[] = []
  for await (const chunk of await completions.create({ ...REQUEST, stream: true })) {
    deltas.push(...(chunk.choices[0]?.delta.tool_calls ?? []))
  }
  expect(deltas[0]).toEqual({ index: 0, id: 'call_1', type: 'custom', custom: { name: 'patch', input: '' } })
  const inputs = deltas.map((delta) => ({ custom: { input: '' }, ...Object(delta) }).custom.input)
  expect(inputs.join('')).toBe('*** Begin')
})
