import { MODELS } from '../../../contract/facts.ts'
import {
  changeResponses,
  changeSuccesses,
  combineHooks,
  createErrorResponse,
  setProperty,
} from '../../mutation/change/responses.ts'
import {
  isStreamRequest,
  matchAll,
  matchBody,
  matchFields,
  matchFieldsOf,
  matchNot,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { rewriteFields, rewriteKey } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { EMULATOR_KEYS, matchKey } from '../shared/mutants-emulator-keys.ts'
import { matchObserved } from '../../mutation/result-match.ts'

const chatWith = (id: string): RequestMatcher => matchFieldsOf('chat', { model: id })

/** Returns a model with a price different from that of `id`. */
function chooseOtherPrice(id: string): string {
  const price = MODELS.find((model) => model.id === id)?.creditsPerToken
  return MODELS.find(({ creditsPerToken }) => creditsPerToken !== price)?.id ?? ''
}

/** Models whose only chats that `measuredChat` matches belong to the price checks. */
const THREE_MODELS = ['vendora-reasoner', 'vendorb-haiku-3.5', 'o3-mini']

const unknownModel = matchFieldsOf('chat', { model: 'touchstone-no-such-model' })

const longStream = matchOperation(
  'chat',
  isStreamRequest,
  matchBody(/This is request/),
  matchBody(/"max_tokens":(?:192|32),/),
)

/** Matches the first chat of the price checks of three models. */
const measuredChat = matchOperation(
  'chat',
  matchNot(isStreamRequest),
  matchKey('funded'),
  matchFields(({ model, temperature }) => temperature === undefined && THREE_MODELS.includes(String(model))),
  matchBody(/Say hello to [0-9a-f]{8}\./),
)

export const priceMutants: readonly Mutant[] = [
  ...MODELS.map(({ id }): Mutant => ({
    id: `2.1/price-of-another-${id.replaceAll('.', '-')}`,
    breaks: `${id} is charged at the price of ${chooseOtherPrice(id)}`,
    kills: { [`2.1/price-${id}`]: { code: 'wrong-charge', params: { bills: [{}, {}] } } },
    // This check selects its model by price, which may be the model with the incorrect charges.
    mayAffect: ['5/concurrent-spending'],
    hooks: combineHooks(
      rewriteFields(chatWith(id), { model: chooseOtherPrice(id) }),
      changeSuccesses(
        matchAll(chatWith(id), (request) => !isStreamRequest(request)),
        setProperty('model', id),
      ),
    ),
  })),
  {
    id: '8/some-chats-charged-to-another',
    breaks: 'three of the measured chats are charged to another account',
    kills: {
      '8/every-charge': { code: 'wrong-charge', params: { bills: [{ units: 0 }, { units: 0 }, { units: 0 }] } },
    },
    // The checks of the prices send the measured chats.
    mayAffect: MODELS.map(({ id }) => `2.1/price-${id}`),
    hooks: rewriteKey(measuredChat, EMULATOR_KEYS.small),
  },
  {
    id: '8/streams-charged-to-another',
    breaks: 'streams with usage are charged to another account',
    kills: { '8/stream-price': { code: 'wrong-charge', params: { bills: [{ units: 0 }, { units: 0 }] } } },
    hooks: rewriteKey(
      matchFieldsOf('chat', (fields) => 'stream_options' in fields && Number(fields['max_tokens']) <= 64),
      EMULATOR_KEYS.small,
    ),
  },
  {
    id: '8/prompt-free',
    breaks: 'nothing: whether prompt and completion are priced the same is not specified',
    kills: { '8/prompt-price': matchObserved({ kind: 'price', reading: 'completion-only' }) },
    emulator: { options: { 'prompt-price': 'completion-only' } },
    hooks: {},
  },
  {
    id: '8/refusals-charged',
    breaks: 'nothing: whether rejected requests are charged is not specified',
    kills: { '8/refused-charge': matchObserved({ kind: 'units-charged', units: 100 }) },
    hooks: combineHooks(
      rewriteFields(unknownModel, { model: 'vendora-v4-flash' }),
      changeResponses(unknownModel, () => createErrorResponse(404)),
    ),
  },
  {
    id: '8/left-streams-free',
    breaks: 'nothing: the charge for an aborted stream is not specified',
    kills: { '8/left-charge': matchObserved({ kind: 'units-charged', units: 0 }) },
    hooks: rewriteKey(longStream, EMULATOR_KEYS.small),
  },
  {
    id: '8/left-streams-overcharged',
    breaks: 'aborted streams are charged at the price of another model',
    kills: { '8/left-charge-bound': { code: 'aborts-overcharged', params: { streams: 4 } } },
    hooks: rewriteFields(longStream, { model: 'vendorc-4o' }),
  },
]
