import { expect, test } from 'vitest'
import { planConformance } from './run-conformance.ts'

test('rejects an address that a run would reject', () => {
  expect(() => planConformance({ url: '127.0.0.1:8391' })).toThrow('is not an http or https address')
  expect(planConformance({ url: 'http://127.0.0.1:8391' }).plan.planned.length).toBeGreaterThan(300)
})
