import { MODELS } from '../../../contract/facts.ts'
import { changeResponses, changeSuccesses, both, member, errorResponse } from '../change/responses.ts'
import { all, isStreamRequest, type Match, to, withFields } from '../change/match.ts'
import { rewriteFields, rewriteKey } from '../change/requests.ts'
import type { Mutant } from '../mutant.ts'
import { EMULATOR_KEYS } from './operations.ts'

const chatWith = (id: string): Match =>
  all(
    to('chat'),
    withFields(({ model }) => model === id),
  )

/** A model of another price: chats with the first model are charged at its price. */
function mistakenFor(id: string): string {
  const price = MODELS.find((model) => model.id === id)?.creditsPerToken
  return MODELS.find(({ creditsPerToken }) => creditsPerToken !== price)?.id ?? ''
}

const prices: readonly Mutant[] = MODELS.map(({ id }) => ({
  id: `2.1/price-of-another-${id.replaceAll('.', '-')}`,
  breaks: `${id} is charged at the price of ${mistakenFor(id)}`,
  kills: {
    [`2.1/price-${id}`]: { code: 'wrong-charge', params: { bills: [{}, {}] } },
  },
  // Its price decides which chats the check of a small balance sends.
  mayAffect: ['5/concurrent-spending'],
  wire: both(
    rewriteFields(chatWith(id), () => ({ model: mistakenFor(id) })),
    changeSuccesses(
      all(chatWith(id), (request) => !isStreamRequest(request)),
      member('model', () => id),
    ),
  ),
}))

const unknownModel = all(
  to('chat'),
  withFields(({ model }) => model === 'touchstone-no-such-model'),
)

const longStream = all(
  to('chat'),
  isStreamRequest,
  withFields(({ max_tokens }) => max_tokens === 256),
)

export const chargeMutants: readonly Mutant[] = [
  ...prices,
  {
    id: '2.1/charged-to-another',
    breaks: 'chats with vendora-v4-pro are charged to another account',
    kills: { '2.1/price-vendora-v4-pro': { code: 'wrong-charge', params: { bills: [{ units: 0 }, { units: 0 }] } } },
    // For every key.
    mayAffect: ['5/no-credits-each-model'],
    wire: rewriteKey(chatWith('vendora-v4-pro'), EMULATOR_KEYS.small),
  },
  {
    id: '8/prompt-free',
    breaks: 'nothing: whether prompt and completion are priced the same is not specified',
    kills: {
      '8/prompt-price': { code: 'observed-response', params: { seen: { kind: 'price', reading: 'completion-only' } } },
    },
    emulator: { decisions: { 'prompt-price': 'completion-only' } },
    wire: {},
  },
  {
    id: '8/refusals-charged',
    breaks: 'nothing: whether refused calls are charged is not specified',
    kills: {
      '8/refused-charge': { code: 'observed-response', params: { seen: { kind: 'units-charged', units: 100 } } },
    },
    wire: both(
      rewriteFields(unknownModel, () => ({ model: 'vendora-v4-flash' })),
      changeResponses(unknownModel, () => errorResponse(404)),
    ),
  },
  {
    id: '8/left-streams-free',
    breaks: 'nothing: what a client pays that leaves a stream is not specified',
    kills: { '8/left-charge': { code: 'observed-response', params: { seen: { kind: 'units-charged', units: 0 } } } },
    wire: rewriteKey(longStream, EMULATOR_KEYS.small),
  },
]
