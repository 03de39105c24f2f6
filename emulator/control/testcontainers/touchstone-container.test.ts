import { expect, test } from 'vitest'
import { TouchstoneContainer } from './touchstone-container.ts'

// What needs no Docker engine; tests/shipping/containers.shipping.test.ts starts containers.

test.each([
  ['latency', new TouchstoneContainer().withLatency('warp'), 'The setting \'latency\' cannot be "warp". '],
  [
    'a fault',
    new TouchstoneContainer().withFault({ status: 5000 }),
    '"status" of a fault must be an integer from 200 to 599.',
  ],
  ['a rate', new TouchstoneContainer().withLimitedRate({}), "The setting 'limitedRate' cannot be"],
  ['a token', new TouchstoneContainer().withControlToken('short'), 'It must be 8 to 200 characters'],
])('%s that cannot be is one sentence, before anything is started', async (_, container, sentence) => {
  await expect(container.start()).rejects.toThrow(sentence)
})
