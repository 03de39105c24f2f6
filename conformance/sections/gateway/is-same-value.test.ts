import { expect, test } from 'vitest'
import { findDifference, isSameValue } from './is-same-value.ts'

const TOOL = { type: 'function', function: { name: 'a', parameters: { type: 'object', properties: {} } } }

test.each([
  ['null for an absent member', { ...TOOL, function: { ...TOOL.function, strict: null } }],
  ['false for an absent member', { ...TOOL, function: { ...TOOL.function, strict: false } }],
  ['an index', { ...TOOL, index: 0 }],
  ['another order of members', { function: TOOL.function, type: 'function' }],
])('accepts a tool with %s', (_name, arrived) => {
  expect(isSameValue([TOOL], [arrived])).toBe(true)
})

test.each([
  ['true for an absent member', { ...TOOL, function: { ...TOOL.function, strict: true } }],
  ['a missing member', { type: 'function', function: { name: 'a' } }],
  ['null for a member', { ...TOOL, function: { ...TOOL.function, parameters: null } }],
  ['another value', { ...TOOL, function: { ...TOOL.function, name: 'b' } }],
])('rejects a tool with %s', (_name, arrived) => {
  expect(isSameValue([TOOL], [arrived])).toBe(false)
})

test('rejects a list with fewer or more items', () => {
  expect(isSameValue([TOOL], [])).toBe(false)
  expect(isSameValue([TOOL], [TOOL, TOOL])).toBe(false)
})

test('names the part that changed', () => {
  const sent = { list: [{ required: [], maximum: 2 ** 53 - 1 }] }
  const part = (arrived: object) => findDifference('tools', sent, { list: [{ ...sent.list[0], ...arrived }] })
  expect(part({ required: {} })).toEqual({ path: 'tools.list[0].required', sent: [], arrived: {} })
  expect(part({ maximum: 9.0071992547e15 })?.path).toBe('tools.list[0].maximum')
  expect(part({ added: 1 })).toEqual({ path: 'tools.list[0].added', sent: undefined, arrived: 1 })
})
