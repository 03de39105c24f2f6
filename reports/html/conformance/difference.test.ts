import { expect, test } from 'vitest'
import { createCheckEntry } from '../../testing/sample-document.ts'
import { findDifference, renderMarkedText } from './difference.ts'

test.each([
  [{ expected: { status: [400, 404] }, actualStatus: 422 }, ['400', '404'], ['422']],
  [
    { expected: { field: 'object', value: 'chat.completion.chunk' }, path: 'object', actual: 'chat.completion.piece' },
    ['chunk'],
    ['piece'],
  ],
  [{ expected: { rule: 'error-body' }, path: 'error' }, [], ['is missing']],
  [{ missing: ['o3-mini', 'vendorc-4o'] }, [], ['o3-mini', 'vendorc-4o']],
  [{ expected: 7, actualStatus: null }, [], []],
])('finds the difference in %j', (params, expected, actual) => {
  expect(findDifference(createCheckEntry('4.2/x', 'fail', { params }))).toEqual({ expected, actual })
})

test.each([
  ['model {}: returned 422', ['422'], 'model {}: returned <mark>422</mark>'],
  ['returned 4220', ['422'], 'returned 4220'],
  ['400, or 404', ['404', '400'], '<mark>400</mark>, or <mark>404</mark>'],
  ['<b>"x"</b>', ['"x"'], '&lt;b&gt;<mark>&#34;x&#34;</mark>&lt;/b&gt;'],
])('marks the parts of %j', (text, parts, expected) => {
  expect(renderMarkedText(text, parts).text).toBe(expected)
})
