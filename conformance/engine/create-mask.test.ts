import { expect, test } from 'vitest'
import { resolveTarget } from '../targets/resolve-target.ts'
import { createMask } from './session.ts'

test('masks the control token of the upstream, and a password in its URL', () => {
  const target = resolveTarget({ url: 'http://127.0.0.1:1', keys: {}, embedded: false })
  const upstream = { url: 'http://user:Kq7Lx2Vb9T@127.0.0.1:2', token: 'Fq7Lx2Vb9Tn4' }
  const masked = createMask({ target, upstream }).mask('Fq7Lx2Vb9Tn4 Kq7Lx2Vb9T')
  expect(masked).not.toMatch(/7Lx2Vb9T/)
})

test('keeps the values of observations, although a key contains a part of them', () => {
  const keys = { noCredits: 'sk-svc-without-cream-42' }
  const mask = createMask({ target: resolveTarget({ url: 'http://127.0.0.1:1', keys, embedded: false }) })
  expect(mask.mask('without-choices closed-during-request')).toBe('without-choices closed-during-request')
  expect(mask.mask('without-cream-42')).not.toContain('cream')
})
