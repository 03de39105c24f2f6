import { rejectRequests } from '../../mutation/change/responses.ts'
import { matchAll, matchOperation, matchBody, matchFields, matchHeader } from '../../mutation/change/match.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchKey } from '../shared/mutants-emulator-keys.ts'
import { matchObservedStatus } from '../../mutation/result-match.ts'

const withoutCredits = matchKey('noCredits')
const withoutKey = matchHeader('authorization', /^$/)
const unknownModel = matchFields({ model: 'touchstone-no-such-model' })
const withHighTemperature = matchFields(({ temperature }) => Number(temperature) > 2)

const OTHER_ORDERS = [
  {
    check: '7/order-401-404',
    breaks: 'nothing: a target may check the path before the key',
    first: 404,
    match: matchAll(({ target }) => target === '/v1/touchstone-no-such-endpoint', withoutKey),
  },
  {
    check: '7/order-401-400',
    breaks: 'nothing: a target may check the body before the key',
    first: 400,
    match: matchAll(matchOperation('chat'), withoutKey, matchBody(/^\{"model":$/)),
  },
  {
    check: '7/order-404-400',
    breaks: 'nothing: a target may check the model before the other parameters',
    first: 404,
    match: matchAll(matchOperation('chat'), unknownModel, withHighTemperature),
  },
  {
    check: '7/order-402-400',
    breaks: 'nothing: a target may check the credits before the parameters',
    first: 402,
    match: matchAll(matchOperation('chat'), withoutCredits, withHighTemperature),
  },
  {
    check: '7/order-402-404',
    breaks: 'nothing: a target may check the credits before the model',
    first: 402,
    match: matchAll(matchOperation('chat'), withoutCredits, unknownModel),
  },
]

export const orderMutants: readonly Mutant[] = OTHER_ORDERS.map(({ check, breaks, first, match }) => ({
  id: `${check}-${first}-first`,
  breaks,
  kills: { [check]: matchObservedStatus(first) },
  hooks: rejectRequests(match, first),
}))
