import { expect, test } from 'vitest'
import { parseJson } from '../http/decode-body.ts'
import { createExcerpt, formatExcerpt } from './json-excerpt.ts'

test('replaces a number that JSON cannot contain with its text', () => {
  const excerpt = createExcerpt(parseJson('{"price": [1e999, -1e999, 1]}'))
  expect(excerpt).toEqual({ price: ['Infinity', '-Infinity', 1] })
  expect(JSON.parse(formatExcerpt(excerpt))).toEqual(excerpt)
})
