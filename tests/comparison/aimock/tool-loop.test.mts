import { useAimock } from '@copilotkit/aimock/vitest'
import { beforeAll, expect, test } from 'vitest'
import { runAgent } from '../agent.mts'

const userMessage = 'Is it warm in Paris?'
const toolCalls = [{ name: 'get_weather', arguments: { city: 'Paris' } }]
const mock = useAimock({ strict: true })

beforeAll(() => {
  const { llm } = mock()
  llm.on({ userMessage, toolResultContains: '21 degrees in Paris' }, { content: 'Yes, 21 degrees.' })
  llm.on({ userMessage, hasToolResult: false }, { toolCalls })
})

test.for([false, true, false, true])('uses the tool, streamed: %s', async (stream) => {
  expect(await runAgent(userMessage, stream)).toBe('Yes, 21 degrees.')
})
