import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createEmulator } from '../create-emulator.ts'

const request = { model: 'o3-mini', messages: [{ role: 'user' as const, content: 'Hi.' }], max_tokens: 2 }

function connect(fields: 'none' | 'sdk'): OpenAI {
  return new OpenAI(createEmulator({ options: { 'completion-fields': fields } }).clientOptions())
}

async function readChunks(client: OpenAI): Promise<readonly OpenAI.ChatCompletionChunk[]> {
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) chunks.push(chunk)
  return chunks
}

test('sends system_fingerprint, refusal and logprobs with completion-fields=sdk', async () => {
  const client = connect('sdk')
  const { choices, ...others } = await client.chat.completions.create(request)
  expect(others).toHaveProperty('system_fingerprint', 'fp_touchstone')
  expect(choices).toMatchObject([{ logprobs: null, message: { refusal: null } }])
  const measured = await client.chat.completions.create({ ...request, logprobs: true })
  expect(measured.choices[0]?.logprobs?.content).toHaveLength(2)
})

test('sends system_fingerprint and logprobs in each chunk of a stream with completion-fields=sdk', async () => {
  const chunks = await readChunks(connect('sdk'))
  expect(chunks).toHaveLength(4)
  for (const chunk of chunks) {
    expect(chunk).toMatchObject({ system_fingerprint: 'fp_touchstone', choices: [{ logprobs: null }] })
  }
})

test('sends none of these fields by default', async () => {
  const client = connect('none')
  const completion = await client.chat.completions.create(request)
  const chunks = await readChunks(client)
  expect(JSON.stringify([completion, chunks])).not.toMatch(/system_fingerprint|refusal|logprobs/)
})
