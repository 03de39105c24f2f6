import { expect } from 'vitest'
import { emulatorTest } from '../../../emulator/vitest.ts'
import { runAgent } from '../agent.ts'

const message = 'Is it warm in Paris?'
const toolCalls = [{ name: 'get_weather', arguments: { city: 'Paris' } }]
const answer = { toolResult: '21 degrees in Paris', text: 'Yes, 21 degrees.' }
const test = emulatorTest({ fixtures: [answer, { message, toolCalls }], strictFixtures: true })

test.for([false, true, false, true])('calls the tool, streamed: %s', async (stream, { clientOptions }) => {
  expect(await runAgent(message, stream, clientOptions)).toBe('Yes, 21 degrees.')
})
