import { expect, test } from 'vitest'
import { planConformance } from '../conformance/run-conformance.ts'
import { formatEstimate } from './format-plan.ts'

test('states the expected requests and credits before their upper bounds', () => {
  const { estimate } = planConformance({ url: 'http://target.test' })
  const [first, second] = formatEstimate(estimate).split('\n')
  expect(first).toBe(
    `Expected for ${estimate.checks} checks: about ${estimate.usualRequests} requests, which cost at most ${estimate.usualCredits} credits for chat and text.`,
  )
  expect(second).toContain(`Upper bound: ${estimate.requests} requests and ${estimate.credits} credits`)
  // The suite sends 420 requests to the emulator, and up to 510 to gateways.
  expect(estimate.usualRequests).toBeGreaterThan(420)
  expect(estimate.usualRequests).toBeLessThan(520)
})

test('expects about as many requests as a target that serves only chat receives', () => {
  const without = ['images', 'transcriptions', 'speech', 'credits', 'rate-limit'] as const
  const { estimate } = planConformance({ url: 'http://target.test', without })
  // The suite sends 200 to 220 requests to a target with one key.
  expect(estimate.usualRequests).toBeGreaterThan(180)
  expect(estimate.usualRequests).toBeLessThan(240)
})

test('states no credits for models without a known price', () => {
  const models = [{ id: 'own-model' }, { id: 'priced-model', price: 1 }]
  const text = formatEstimate(planConformance({ url: 'http://target.test', models }).estimate)
  expect(text).toContain('The credits are unknown: no price of own-model is declared.')
  expect(text).not.toMatch(/\d credits/)
})
