import { expect, test } from 'vitest'
import { keyRedactor } from './redact-keys.ts'

const withoutKeys = keyRedactor({
  TOUCHSTONE_KEY: 'sk-svc-Fq7Lx2Vb9Tn4Rw8Z',
  TOUCHSTONE_KEY_LIMITED: 'another"kind/of-key',
  TOUCHSTONE_KEY_SMALL: 'short',
})

test.each([
  ['event 2 has id "Bearer sk-svc-Fq7Lx2Vb9Tn4Rw8Z"', 'event 2 has id "Bearer …Rw8Z"'],
  ['Fq7Lx2Vb9Tn4Rw8Z and sk-svc-Fq7Lx2Vb9Tn4Rw8Z', '…Rw8Z and …Rw8Z'],
  ['id "another\\"kind/of-key"', 'id "…-key"'],
  ['/x?key=another%22kind%2Fof-key', '/x?key=…-key'],
  ['shortly sk-svc-Fq7Lx2', 'shortly sk-svc-Fq7Lx2'],
])('%s is told as %s', (text, told) => {
  expect(withoutKeys(text)).toBe(told)
})

test('of a key of few characters not even the end is told', () => {
  expect(keyRedactor({ TOUCHSTONE_KEY: 'sk-svc-1234' })('sk-svc-1234')).toBe('…')
})
