import OpenAI from 'openai'
import { expect, test, vi } from 'vitest'
import { createEmulator } from '../create-emulator.ts'
import { generateInThread } from './structured/generate-in-thread.ts'

vi.mock(import('./structured/generate-in-thread.ts'), { spy: true })

test('generates no further choices after the first error', async () => {
  await using emulator = createEmulator()
  const { chat } = new OpenAI({ ...emulator.clientOptions(), maxRetries: 0 })
  const json_schema = { name: 'none', schema: { type: 'integer', not: {} } }
  const request = chat.completions.create({
    model: 'vendora-v4-flash',
    messages: [{ role: 'user', content: 'Hello.' }],
    n: 3,
    response_format: { type: 'json_schema', json_schema },
  })
  await expect(request).rejects.toMatchObject({ status: 400, param: 'response_format' })
  expect(generateInThread).toHaveBeenCalledTimes(1)
})
