import { expect } from 'vitest'
import { emulatorTest } from 'touchstone/emulator/vitest'
import { runAgent } from '../agent.mts'

const test = emulatorTest({ fixtures: [{ text: 'Hello!' }] })

test.for([false, true, false, true])(
  'retries after a 429, streamed: %s',
  async (stream, { emulator, clientOptions }) => {
    emulator.faults.add({ status: 429, times: 1 })
    expect(await runAgent('Say hello.', stream, clientOptions)).toBe('Hello!')
  },
)

test.for([false, true, false, true])('reports a 402, streamed: %s', async (stream, { emulator }) => {
  const { empty } = emulator.keys
  await expect(runAgent('Say hello.', stream, emulator.clientOptions(empty))).rejects.toMatchObject({ status: 402 })
})

test.for([true, true])('reports a broken stream', async (stream, { emulator, clientOptions }) => {
  emulator.faults.add({ cutAfterEvents: 2 })
  await expect(runAgent('Say hello.', stream, clientOptions)).rejects.toThrow()
})
