import { expect } from 'vitest'
import { emulatorTest } from 'touchstone/emulator/vitest'
import { runAgent } from '../agent.mts'

const message = 'Is it warm in Paris?'
const test = emulatorTest({
  strictFixtures: true,
  fixtures: [
    { toolResult: '21 degrees in Paris', text: 'Yes, 21 degrees.' },
    { message, turn: 1, toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] },
  ],
})

test.for([false, true, false, true])('uses the tool, streamed: %s', async (stream, { clientOptions }) => {
  expect(await runAgent(message, stream, clientOptions)).toBe('Yes, 21 degrees.')
})
