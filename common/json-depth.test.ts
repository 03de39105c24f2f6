import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNestedDeeper } from './json-depth.ts'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('counts the depth of any JSON text', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('[', '{"', '\\', '\\"', '\\\\"', ']', '"'))
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(value, fc.boolean(), (json, isIndented) => {
      const serialized = JSON.stringify(json, undefined, isIndented ? 1 : 0)
      const depth = depthOf(json)
      expect(isNestedDeeper(serialized, depth)).toBe(false)
      if (depth > 0) expect(isNestedDeeper(serialized, depth - 1)).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test.each(['['.repeat(2000), '{"a":'.repeat(2000), `"[[[[`, `{"a":"\\"[[[[`, '\\'.repeat(2000), ''])(
  'accepts text that is not valid JSON: %j',
  (text) => {
    expect(isNestedDeeper(text, 3)).toBe(text.startsWith('[') || text.startsWith('{"a":{'))
  },
)
