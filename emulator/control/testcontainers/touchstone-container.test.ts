import { expect, test } from 'vitest'
import { TouchstoneContainer } from './touchstone-container.ts'

// These tests need no Docker. `tests/shipping/containers.shipping.test.ts` starts containers.

test.each([
  ['an unknown latency profile', new TouchstoneContainer().withLatency('warp'), 'Invalid latency: "warp". '],
  [
    'an invalid fault',
    new TouchstoneContainer().withFault({ status: 5000 }),
    '"status" of a fault must be an integer from 200 to 599.',
  ],
  ['an empty rate limit', new TouchstoneContainer().withLimitedRate({}), 'Invalid limitedRate'],
  [
    'a short control token',
    new TouchstoneContainer().withControlToken('short'),
    'It must be 8 to 200 ASCII characters',
  ],
])('rejects %s before it starts a container', async (_, container, sentence) => {
  await expect(container.start()).rejects.toThrow(sentence)
})
