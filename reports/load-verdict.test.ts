import { expect, test } from 'vitest'
import { formatNumber } from './load-verdict.ts'

test.each([
  [1234.5, '1,235'],
  [12.34, '12.3'],
  [1.234, '1.23'],
  [0.1234, '0.123'],
  [-0.1234, '-0.123'],
  [-0.0001, '0'],
  [0, '0'],
])('formats the number %d as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text)
})
