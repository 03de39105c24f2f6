import { SMALL_CHAT_TOKENS } from '../../engine/check.ts'
import type { Check } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import { type Observation, defineObservationCheck } from '../shared/observation-check.ts'
import { getMember, isCount, getItems } from '../shared/response-access.ts'

/** Number of messages. It is odd because user and assistant messages alternate, starting and ending with the user. */
const MANY_MESSAGES = 101
/** Maximum tokens of a message of two letters, with its overhead. */
const MESSAGE_TOKENS = 16

const LARGE_PROMPT = 'word '.repeat(3276)

function observeHeaders({ error, headers }: Exchange, words: readonly string[]): ObservedFact | undefined {
  const names = Object.keys(headers).filter((name) => words.some((word) => name.includes(word)))
  return error === undefined ? { kind: 'header-names', names: names.sort() } : undefined
}

const OBSERVATIONS: readonly Observation[] = [
  {
    id: '8/rate-limit-headers',
    requirement: '8/rate-limits-open',
    tried: 'headers about the rate limit',
    operation: 'chat',
    request: ({ shared }) => shared.chat(),
    observe: (response) => observeHeaders(response, ['ratelimit']),
  },
  {
    id: '8/cost-headers',
    requirement: '8/deduction',
    tried: 'headers about the cost of a request',
    operation: 'chat',
    request: ({ shared }) => shared.chat(),
    observe: (response) => observeHeaders(response, ['cost', 'credit', 'charge', 'spend']),
  },
  {
    id: '8/n-two',
    requirement: '8/upper-bounds',
    tried: 'n 2',
    operation: 'images',
    request: ({ shared }) => shared.images({ n: 2 }),
    observe: (response) =>
      expect.isServed(response)
        ? { kind: 'images', images: getItems(getMember(response.json, 'data')).length }
        : undefined,
  },
  {
    id: '8/many-messages',
    requirement: '8/upper-bounds',
    tried: `${MANY_MESSAGES} messages`,
    operation: 'chat',
    chatTokens: MANY_MESSAGES * MESSAGE_TOKENS,
    request: ({ chat }) =>
      chat({
        messages: Array.from({ length: MANY_MESSAGES }, (_, index) => ({
          role: index % 2 === 0 ? 'user' : 'assistant',
          content: 'Hi.',
        })),
      }),
  },
  {
    id: '8/large-prompt',
    requirement: '8/large-requests',
    tried: 'a message of 16 KiB',
    operation: 'chat',
    chatTokens: LARGE_PROMPT.length + SMALL_CHAT_TOKENS,
    request: ({ chat }) => chat({ messages: [{ role: 'user', content: LARGE_PROMPT }] }),
    observe: ({ status, json }) => {
      const tokens = getMember(json, 'usage', 'prompt_tokens')
      return isCount(tokens) ? { kind: 'prompt-tokens', actualStatus: status, promptTokens: Number(tokens) } : undefined
    },
  },
]

export const limitChecks: readonly Check[] = OBSERVATIONS.map(defineObservationCheck)
