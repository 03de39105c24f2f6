import { expect, test } from 'vitest'
import { renderOtherTiers } from './tier-reporter.ts'

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

test('prints nothing if the caller selected a single tier', () => {
  expect(renderOtherTiers(['k6'])).toBeUndefined()
})
