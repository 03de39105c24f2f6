import { expect, test } from 'vitest'
import { renderOtherTiers } from './tier-reporter.ts'
import { TIERS } from './tiers.ts'

test('lists each tier that did not run, with the command that starts it', () => {
  const text = renderOtherTiers(['unit', 'integration', 'docs', 'shipping', 'go'])
  expect(text?.split('\n').map((line) => line.trim().split('  ')[0])).toEqual([
    'Not part of this run',
    'npm run test:suite',
    'npm run test:browser',
    'npm run test:k6',
    'npm run test:kubernetes',
    'npm run test:nightly',
    'npm run test:all',
  ])
})

test('lists only the nightly tiers after a run of all others', () => {
  const others = TIERS.filter(({ isNightly }) => !isNightly).map(({ name }) => name)
  expect(renderOtherTiers(others)).toMatch(
    /^Not part of this run\n  npm run test:kubernetes  .+\n  npm run test:nightly {5}.+$/,
  )
})

test('prints nothing if every tier ran', () => {
  expect(renderOtherTiers(TIERS.map(({ name }) => name))).toBeUndefined()
})

test('prints nothing if the caller selected a single tier', () => {
  expect(renderOtherTiers(['k6'])).toBeUndefined()
})
