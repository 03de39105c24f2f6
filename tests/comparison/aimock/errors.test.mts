import { useAimock } from '@copilotkit/aimock/vitest'
import { beforeAll, expect, test } from 'vitest'
import { runAgent } from '../agent.mts'

const mock = useAimock()

beforeAll(() => {
  mock().llm.onMessage('Say hello.', { content: 'Hello!' })
  mock().llm.onMessage('Break off.', { content: 'Hello!' }, { chunkSize: 1, truncateAfterChunks: 2 })
})

test.for([false, true, false, true])('retries after a 429, streamed: %s', async (stream) => {
  mock().llm.nextRequestError(429)
  expect(await runAgent('Say hello.', stream)).toBe('Hello!')
})

test.for([false, true, false, true])('reports a 402, streamed: %s', async (stream) => {
  mock().llm.nextRequestError(402)
  await expect(runAgent('Say hello.', stream)).rejects.toMatchObject({ status: 402 })
})

test.for([true, true])('reports a broken stream', async (stream) => {
  await expect(runAgent('Break off.', stream)).rejects.toThrow()
})
