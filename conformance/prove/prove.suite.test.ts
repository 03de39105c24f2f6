import { expect, test } from 'vitest'
import { prove } from './prove.ts'

test('runs the whole suite against a mutant with `full`', { timeout: 600_000 }, async () => {
  const { full, mutants } = await prove({ only: ['2.4/relative-address'], full: true })
  expect(full).toBe(true)
  expect(mutants[0]?.kills).toContain('2.4/url-address')
  // Ignores this check: on a busy machine, only one of the two runs may contain streams that are long enough to
  // evaluate.
  expect(mutants[0]?.shortfalls.filter(({ check }) => check !== '4.2/stream-time-out')).toEqual([])
})
