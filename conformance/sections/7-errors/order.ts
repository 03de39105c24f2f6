import type { Check } from '../../engine/check.ts'
import { UNKNOWN_ENDPOINT, UNKNOWN_MODEL } from './errors.ts'
import { type Observation, defineObservationCheck } from '../shared/observation-check.ts'

/** Requests that each violate two rules. The specification does not state which violation determines the status. */
const OBSERVATIONS: readonly Observation[] = [
  {
    id: '7/order-401-404',
    requirement: '7/order',
    tried: 'no key on an unknown endpoint',
    inTitle: 'an unknown endpoint without a key',
    operation: 'models',
    request: ({ send }) => send({ method: 'GET', path: UNKNOWN_ENDPOINT, key: 'none' }),
  },
  {
    id: '7/order-401-400',
    requirement: '7/order',
    tried: 'no key with a malformed body',
    inTitle: 'a malformed body without a key',
    operation: 'chat',
    request: ({ chat }) => chat({}, { key: 'none', rawBody: '{"model":' }),
  },
  {
    id: '7/order-404-400',
    requirement: '7/order',
    tried: 'an unknown model with a temperature above 2',
    operation: 'chat',
    request: ({ chat }) => chat({ model: UNKNOWN_MODEL, temperature: 2.1 }),
  },
  {
    id: '7/order-402-400',
    requirement: '7/order',
    tried: 'no credits with a temperature above 2',
    inTitle: 'a temperature above 2 without credits',
    operation: 'chat',
    needs: ['no-credits'],
    inTurn: true,
    request: ({ chat }) => chat({ temperature: 2.1 }, { key: 'no-credits' }),
  },
  {
    id: '7/order-402-404',
    requirement: '7/order',
    tried: 'no credits with an unknown model',
    inTitle: 'an unknown model without credits',
    operation: 'chat',
    needs: ['no-credits'],
    inTurn: true,
    request: ({ chat }) => chat({ model: UNKNOWN_MODEL }, { key: 'no-credits' }),
  },
]

export const orderChecks: readonly Check[] = OBSERVATIONS.map(defineObservationCheck)
