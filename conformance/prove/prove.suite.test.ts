import { expect, test } from 'vitest'
import { CHECKS } from '../sections/checks.ts'
import { prove } from './prove.ts'

const TIMEOUT_MS = 600_000

/** One mutant of each kind. A CI job tests all mutants with `npm run prove`. */
const SAMPLE = [
  '1/no-role-for-sdk', // This mutant requires the checks of the SDK.
  '4.2/name-in-each-delta', // This mutant requires the checks of the group `agents`.
  '8/prompt-free', // This mutant sets an emulator option.
  '7/no-retry-after', // This mutant requires a burst.
]

test('the expected checks catch each mutant and no other check fails', { timeout: TIMEOUT_MS }, async () => {
  const progress: number[] = []
  const document = await prove({ only: SAMPLE, onProgress: ({ done }) => progress.push(done) })
  // The test compares failures first, because they explain an unexpected verdict.
  expect(document.failingWithout).toEqual([])
  expect(document.mutants.filter(({ shortfalls }) => shortfalls.length > 0)).toEqual([])
  expect(document.verdict).toBe('proven')
  expect(document.mutants.map(({ id }) => id).toSorted()).toEqual(SAMPLE.toSorted())
  expect(document.checks.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id))
  expect([...new Set(document.checks.flatMap(({ caught }) => caught))].toSorted()).toEqual(SAMPLE.toSorted())
  expect(progress).toEqual(SAMPLE.map((_, index) => index + 1))
})

test('runs the whole suite against a mutant with `full`', { timeout: TIMEOUT_MS }, async () => {
  const { full, mutants } = await prove({ only: ['2.4/relative-address'], full: true })
  expect(full).toBe(true)
  expect(mutants[0]?.kills).toContain('2.4/url-address')
  // Ignores this check: on a busy machine, only one of the two runs may contain streams that are long enough to
  // evaluate.
  expect(mutants[0]?.shortfalls.filter(({ check }) => check !== '4.2/stream-time-out')).toEqual([])
})
