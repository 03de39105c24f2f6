import { useAimock } from '@copilotkit/aimock/vitest'
import { expect, test } from 'vitest'
import { runAgent } from '../agent.mts'

const providers = { openai: process.env.UPSTREAM_URL! }
useAimock({ fixtures: 'recordings', record: { providers, fixturePath: 'recordings' } })

test.for([false, true, false, true])('gets the recorded response, streamed: %s', async (stream) => {
  expect(await runAgent('Say hello.', stream)).toBe('Hello!')
})
