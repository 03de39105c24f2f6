import { expect, test } from 'vitest'
import { createVirtualClock } from '../state/clock.ts'
import { Accounts } from '../state/accounts.ts'
import { identifyClientByKey } from './client-identity.ts'

test.each([
  ['sk-svc-1234', '34'],
  ['sk-svc-123456789', '6789'],
])('shows at most a quarter of the key %s of an account, and at most four characters', (key, keySuffix) => {
  const accounts = new Accounts(createVirtualClock())
  accounts.create({ startUnits: 1, key })
  expect(identifyClientByKey(key, accounts)).toMatchObject({ account: expect.any(String), keySuffix })
})
