import { expect, test } from 'vitest'
import { renderOtherTiers } from './tier-reporter.ts'
import { TIERS } from './tiers.ts'

test('names each tier that did not run, and how to start it', () => {
  const text = renderOtherTiers(['unit', 'integration', 'docs', 'shipping', 'go'])
  expect(text?.split('\n').map((line) => line.trim().split('  ')[0])).toEqual([
    'Not part of this run',
    'npm run test:browser',
    'npm run test:k6',
    'npm run test:nightly',
    'npm run test:all',
  ])
})

test('says nothing when every tier ran', () => {
  expect(renderOtherTiers(TIERS.map(({ name }) => name))).toBeUndefined()
})

test('says nothing when the caller chose a single tier', () => {
  expect(renderOtherTiers(['k6'])).toBeUndefined()
})
