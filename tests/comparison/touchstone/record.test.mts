import { expect } from 'vitest'
import { emulatorTest } from 'touchstone/emulator/vitest'
import { runAgent } from '../agent.mts'

const test = emulatorTest({ record: process.env.UPSTREAM_URL!, recordMissing: true })

test.for([false, true, false, true])('gets the recorded response, streamed: %s', async (stream, { clientOptions }) => {
  const apiKey = process.env.OPENAI_API_KEY
  expect(await runAgent('Say hello.', stream, { ...clientOptions, apiKey })).toBe('Hello!')
})
