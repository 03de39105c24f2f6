import { expect, test } from 'vitest'
import { createKeyRedactor } from './redact-keys.ts'

const redact = createKeyRedactor(['sk-svc-Fq7Lx2Vb9Tn4Rw8Z', 'another"kind/of-key', 'short'])

test.each([
  ['event 2 has id "Bearer sk-svc-Fq7Lx2Vb9Tn4Rw8Z"', 'event 2 has id "Bearer …Rw8Z"'],
  ['Fq7Lx2Vb9Tn4Rw8Z and sk-svc-Fq7Lx2Vb9Tn4Rw8Z', '…Rw8Z and …Rw8Z'],
  ['id "another\\"kind/of-key"', 'id "…-key"'],
  ['/x?key=another%22kind%2Fof-key', '/x?key=…-key'],
  ['shortly sk-svc-Fq7Lx2', 'shortly sk-svc-Fq7Lx2'],
])('redacts %s as %s', (text, redacted) => {
  expect(redact(text)).toBe(redacted)
})

test('shows nothing of a short key', () => {
  expect(createKeyRedactor(['sk-svc-1234'])('sk-svc-1234')).toBe('…')
})
