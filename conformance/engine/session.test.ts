import { expect, test } from 'vitest'
import { SecretMask } from '../evidence/secrets.ts'
import { OWN_TEXT } from './session.ts'

test('the mask keeps names of the suite, even if a key contains a part of one', () => {
  const mask = new SecretMask([{ value: 'sk-svc-user-limited-000333' }], OWN_TEXT)
  for (const text of ['set --limited-burst', 'limited-response', 'declared-limit-not-enforced']) {
    expect(mask.mask(text)).toBe(text)
  }
  expect(mask.mask('user-limited-000333')).not.toContain('limited-0')
})
