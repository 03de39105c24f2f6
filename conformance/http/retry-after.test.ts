import { expect, test } from 'vitest'
import { parseRetryAfterMs } from './retry-after.ts'

test.each([
  ['2', 2000],
  ['0.5', 500],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['-3', undefined],
  ['soon', undefined],
  ['1e3', undefined],
  ['', undefined],
])('parses Retry-After %j as %s ms', (value, expected) => {
  expect(parseRetryAfterMs({ 'retry-after': value }, 10_000)).toBe(expected)
})
