import type { Check } from '../harness/check.ts'
import * as expect from '../harness/expect.ts'
import { observationCheck } from './observe.ts'
import type { Look } from './observe.ts'
import { at, items } from './read.ts'

/** Odd, so that user and assistant take turns and the user has the last word. */
const MANY_MESSAGES = 101

const LOOKS: readonly Look[] = [
  {
    id: '8/rate-limit-headers',
    requirement: '8/rate-limits-open',
    tried: 'headers about the rate limit',
    operation: 'chat',
    ask: ({ chat }) => chat(),
    describe: ({ headers }) => {
      const names = Object.keys(headers).filter((name) => name.includes('ratelimit'))
      return names.length === 0 ? 'none' : names.sort().join(', ')
    },
  },
  {
    id: '8/n-two',
    requirement: '8/upper-bounds',
    tried: 'n 2',
    operation: 'images',
    ask: ({ images }) => images({ n: 2 }),
    describe: (answer) =>
      expect.served(answer) ? `${items(at(answer.json, 'data')).length} images` : expect.answered(answer),
  },
  {
    id: '8/many-messages',
    requirement: '8/upper-bounds',
    tried: `${MANY_MESSAGES} messages`,
    operation: 'chat',
    // Each message counts as a few tokens: the cost of a dozen small chats.
    requests: 12,
    ask: ({ chat }) =>
      chat({
        messages: Array.from({ length: MANY_MESSAGES }, (_, index) => ({
          role: index % 2 === 0 ? 'user' : 'assistant',
          content: 'Hi.',
        })),
      }),
  },
]

export const limitChecks: readonly Check[] = LOOKS.map(observationCheck)
