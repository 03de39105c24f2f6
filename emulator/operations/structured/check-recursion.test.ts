import { expect, test } from 'vitest'
import { checkRecursion } from './check-recursion.ts'
import { generateJson } from './generate-json.ts'

const node = { $ref: '#/$defs/node' }
const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required })

test.each<[object]>([
  [{ $ref: '#' }],
  [{ type: 'string', $ref: '#' }],
  [{ allOf: [{ $ref: '#' }] }],
  [{ anyOf: [{ $ref: '#' }, object({ next: { $ref: '#' } }, 'next')] }],
  [{ oneOf: [{ $ref: '#' }] }],
  [object({ next: { $ref: '#' } }, 'next')],
  [{ type: 'array', minItems: 1, items: { $ref: '#' } }],
  [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b~1c%20d' }, 'b/c d': { $ref: '#/$defs/a' } } }],
])('rejects a schema that refers to itself without an end: %j', (schema) => {
  const generate = () => generateJson({ schema: { ...schema }, seed: 1, maxTokens: 10 })
  expect(generate).toThrow('refers to itself without an end, so no finite value conforms')
})

test.each<[object]>([
  [object({ next: { $ref: '#' } })],
  [object({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }, 'next')],
  [{ properties: { next: { $ref: '#' } }, required: ['next'] }],
  [{ type: 'array', items: { $ref: '#' } }],
  [{ $ref: '#/$defs/node', $defs: { node: object({ children: { type: 'array', items: node } }, 'children') } }],
  [{ $defs: { unused: { $ref: '#/$defs/unused' } } }],
  [{ $ref: '#/%ff' }],
  [{ $ref: '#/missing/definition' }],
  [{ anyOf: [] }],
])('accepts a schema whose references allow a finite value: %j', (schema) => {
  expect(() => checkRecursion({ ...schema })).not.toThrow()
})

test.each<[object]>([
  [{ oneOf: [{ type: 'string' }, { $ref: '#' }] }],
  [{ not: { $ref: '#' } }],
  [{ $dynamicRef: '#' }],
  [{ ...object({ next: { $ref: '#/$defs/a' } }), $defs: { a: { $ref: '#/$defs/a' } } }],
])('describes other endless references without the message of a RangeError: %j', (schema) => {
  const generate = () => generateJson({ schema: { ...schema }, seed: 1, maxTokens: 10 })
  expect(generate).toThrow('refers to itself without an end, or requires a value that is too large')
  expect(generate).not.toThrow('call stack')
})
