import { expect, test } from 'vitest'
import { planConformance } from '../conformance/run-conformance.ts'
import { formatEstimate } from './format-plan.ts'

test('states the upper bounds of requests and credits', () => {
  const { estimate } = planConformance({ url: 'http://target.test' })
  expect(formatEstimate(estimate)).toContain(
    `Upper bound for ${estimate.checks} checks: ${estimate.requests} requests and ${estimate.credits} credits`,
  )
})

test('states no credits for models without a known price', () => {
  const models = [{ id: 'own-model' }, { id: 'priced-model', price: 1 }]
  const text = formatEstimate(planConformance({ url: 'http://target.test', models }).estimate)
  expect(text).toContain('The credits are unknown: no price of own-model is declared.')
  expect(text).not.toMatch(/\d credits/)
})
