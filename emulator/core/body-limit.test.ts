import { expect, test } from 'vitest'
import { createEmulator } from '../create-emulator.ts'

test('names the option that changes the limit on a JSON body, and accepts the body with a higher limit', async () => {
  const send = async (mostBytes: number) => {
    await using emulator = createEmulator({ options: { 'most-json-bytes': mostBytes } })
    const { baseURL, apiKey } = emulator.clientOptions()
    const messages = [{ role: 'user', content: 'x'.repeat(2000) }]
    const response = await emulator.fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: 'o3-mini', messages, max_tokens: 1 }),
    })
    return { status: response.status, body: await response.json() }
  }
  const rejected = await send(1024)
  expect(rejected.status).toBe(400)
  expect(rejected.body).toMatchObject({
    error: {
      code: 'body_too_large',
      message: 'The request body has more than 1024 bytes. The option most-json-bytes (--option) changes this limit.',
    },
  })
  expect((await send(4096)).status).toBe(200)
})

test('rejects a form with more than 100 parts', async () => {
  await using emulator = createEmulator()
  const { baseURL, apiKey } = emulator.clientOptions()
  const form = new FormData()
  form.append('model', 'o3-mini')
  form.append('file', new Blob(['ID3']), 'a.mp3')
  for (let part = 2; part < 101; part += 1) form.append(`field-${part}`, '')
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await emulator.fetch(`${baseURL}/audio/transcriptions`, { method: 'POST', headers, body: form })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { message: 'The form has more than 100 parts.' } })
})
