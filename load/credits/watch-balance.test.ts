import { expect, test } from 'vitest'
import { hasOtherCharges } from './watch-balance.ts'

const own = { id: 'req-1', account: 'funded', charged: '0.0012' }
const ownIds = new Set(['req-1', null])

test.each([
  ['charges of the run alone', [own], false],
  ['another charge to the same account', [own, { ...own, id: 'req-2' }], true],
  ['a request to the same account that cost nothing', [own, { ...own, id: 'req-2', charged: '0' }], false],
  ['a charge to another account', [own, { ...own, id: 'req-2', account: 'small' }], false],
  ['a request without an account', [own, { id: 'req-2', account: null, charged: '0' }], false],
  ['no request of the run', [{ ...own, id: 'req-2' }], false],
])('distinguishes the charges of other clients: %s', (_, log, expected) => {
  expect(hasOtherCharges(log, ownIds)).toBe(expected)
})
