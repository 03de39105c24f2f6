import { expect, test } from 'vitest'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { createVirtualClock } from '../state/clock.ts'
import { Accounts } from '../state/accounts.ts'
import { identifyClientByKey } from './client-identity.ts'

test.each([
  ['sk-svc-1234', '(hidden)'],
  ['sk-svc-0123456789abcdef', fingerprintSecret('sk-svc-0123456789abcdef')],
])('identifies the key %s of an account and of nobody by %s', (key, keyFingerprint) => {
  const accounts = new Accounts(createVirtualClock())
  expect(identifyClientByKey(key, accounts)).toEqual({ account: null, keyFingerprint })
  accounts.create({ startUnits: 1, key })
  expect(identifyClientByKey(key, accounts)).toEqual({ account: 'account-1', keyFingerprint })
})
